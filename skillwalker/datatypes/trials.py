"""One run of Claude Code: what an engine is told, what came back, what is recorded."""

from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.datatypes.vocabulary import CaseSet, Mode, Outcome, TargetKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledAs:
    """The names by which a model may call the target."""

    kind: TargetKind
    names: frozenset[str]
    """Every accepted spelling, without a leading slash: qualified, bare where unique, alias."""
    path_suffix: str
    """Ending of the file's path inside the trial; a read of it is mode `read`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One run of Claude Code: everything an engine is told."""

    prompt: str
    plugin_dirs: tuple[Path, ...]
    project_dir: Path | None
    """A folder whose `.claude` is laid into the working folder (project position)."""
    scaffold: Path | None
    model: str
    max_turns: int
    timeout: float
    called_as: CalledAs | None
    """Stop at the first call of this target; None runs to the end."""
    run_index: int
    """Which repeat this is; only the simulated engine draws from it."""
    may_act: bool = False
    """Let tools act without being asked, and hand back the files that they left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFile:
    """A file that a trial made, changed or deleted in its working folder."""

    path: str
    """Inside the working folder, with `/`."""
    size: int
    """Bytes; 0 for a file that was deleted."""
    text: str | None
    reason: str | None = None
    """Why there is no text: binary, too_large, total_limit, link, link_out, special, unreadable or
    deleted."""
    link: str | None = None
    """Where a link points; it is never followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFiles:
    """What a trial left in its working folder, in order of the paths."""

    files: tuple[OutputFile, ...] = ()
    fault: str | None = None
    """Why there may be more than is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPlugin:
    """A throw-away copy of the target under one candidate, with its rivals beside it."""

    candidate: str
    """First 16 hex digits of the sha256 of the description."""
    plugin_dirs: tuple[Path, ...]
    project_dir: Path | None
    called_as: CalledAs
    listing_key: str
    """Hash of everything the copy shows a model: part of what makes two trials the same."""


@dataclass(frozen=True, slots=True)
class TrialKey:
    """What tells one trial of a run from another."""

    candidate: str
    case: str
    model_asked: str
    run_index: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and money of one or more model calls."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    """None when the price is not known; an unknown cost is never free."""
    cost_estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A skill or agent that was used in a trial."""

    kind: TargetKind
    name: str
    """As the model wrote it, or the file's path for mode `read`."""
    step: int
    """The model turn, from 1."""
    mode: Mode
    refused: bool = False
    """The CLI answered the call with an error (denied, unknown); a refusal is still a choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """The parsed events of a trial, or of the part that was seen before it ended."""

    calls: tuple[Call, ...]
    turns: int
    """Whole model turns of the main thread."""
    model: str | None
    """The full id that answered; None when no real model message arrived."""
    cli_version: str
    usage: Usage
    duration: float
    failure: str | None = None
    """One of `UNDECIDED_REASONS` when any sign of an error was seen."""
    detail: str | None = None
    """The first error's own words."""
    ended_by_limit: bool = False
    """The turn limit ended it, which is an answer within that many turns."""
    timed_out: bool = False
    answer: str = ""
    resets_at: float | None = None
    """When a rejected rate limit ends, in seconds since 1970."""
    retry_after: float | None = None
    """Seconds that the API asked to wait for a rate limit, where they are many."""
    raw: tuple[bytes, ...] = field(default=(), repr=False)
    """The stream as received, a line each; empty for the simulated engine."""
    output: OutputFiles | None = field(default=None, repr=False)
    """None where nothing was asked for, or nothing could be taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a transcript says about the target."""

    outcome: Outcome
    reason: str | None
    step: int | None
    mode: Mode | None
    also_fired: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One finished trial: a line of trials.jsonl."""

    case: str
    set: CaseSet
    candidate: str
    """First 16 hex digits of the sha256 of the description."""
    iteration: int
    run_index: int
    attempt: int
    model: str | None
    model_asked: str
    engine: str
    endpoint: str
    permission_mode: str
    cli_version: str
    effort: str
    cell_key: str
    outcome: Outcome
    reason: str | None
    step: int | None
    turns: int
    mode: Mode | None
    also_fired: tuple[str, ...]
    usage: Usage
    duration: float
    transcript: str | None
    """Path inside the run's folder."""
