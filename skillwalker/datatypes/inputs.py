"""What a run starts from: suites, cases, targets and how Claude Code lists them."""

from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.vocabulary import (
    CaseSet,
    CaseType,
    ListingState,
    Position,
    Severity,
    TargetKind,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallExpectation:
    """Whether a skill or agent is to be called."""

    kind: TargetKind
    target: str
    """As written in the suite, in any form of a target."""
    expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextExpectation:
    """Whether the final answer holds a text."""

    text: str
    contains: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeExpectation:
    """A rubric that a model grades by."""

    rubric_file: Path
    model: str
    threshold: float


Expectation = CallExpectation | TextExpectation | JudgeExpectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One prompt with what should happen, as read from tests.json."""

    name: str
    type: CaseType
    prompt: str
    target: str | None
    """The file's `skillFile` or `agentFile`, as written."""
    model: str
    scaffold: Path | None
    expect: tuple[Expectation, ...]
    tags: tuple[str, ...] = ()
    runs: int | None = None
    max_turns: int | None = None
    timeout: float | None = None
    preferred: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One folder under evals/."""

    name: str
    path: Path
    plugins: tuple[str, ...]
    cases: tuple[Case, ...]
    metrics: tuple[str, ...] = ()
    """Declared metrics that are tracked beside each candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerCase:
    """A case as the loop measures it: a prompt and whether the target should trigger."""

    name: str
    prompt: str
    should_trigger: bool
    model: str
    scaffold: Path | None = None
    tags: tuple[str, ...] = ()
    runs: int | None = None
    """Overrides the run's runs per query."""
    max_turns: int | None = None
    timeout: float | None = None
    preferred: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCase:
    """A case and the side it is on; `group` joins near-duplicates."""

    case: TriggerCase
    set: CaseSet
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourCase:
    """A request that belongs to a rival of the target."""

    owner: str
    """The rival's id."""
    case: TriggerCase
    """As a case of the target's: it should not trigger here."""
    group: str
    """Shared with its near-duplicates, and with itself on other models: one draw together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something a user should know about a file."""

    rule: str
    severity: Severity
    line: int | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The skill or agent whose description is measured, as its file stood when it was read."""

    kind: TargetKind
    position: Position
    plugin: str | None
    """The plugin's name; None in project position."""
    name: str
    """Folder of a skill, frontmatter name (else file name) of an agent, without a plugin prefix."""
    alias: str | None
    """A second name that Claude Code lists in brackets, without a prefix."""
    path: Path
    content: bytes
    description: str
    """The description as Claude Code reads it, before it flattens, escapes or caps it."""
    body: str
    is_users: bool = False
    """Whether it lies in the user's own `~/.claude`, and not in the project's."""

    @property
    def id(self) -> str:
        """The target as it is written on a command line: `plugin:`, `project:` or `user:name`."""
        if self.plugin is not None:
            return f"{self.plugin}:{self.name}"
        return f"{'user' if self.is_users else 'project'}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What Claude Code shows of one file, whatever the total budget."""

    path: Path
    kind: TargetKind
    position: Position
    listed: bool
    name: str | None
    alias: str | None
    text: str | None
    """What follows the name, made of the frontmatter; None when nothing of it is sent."""
    yaml_text: str | None
    findings: tuple[Finding, ...] = ()
    stand_in: str | None = None
    """What follows the name where `text` is None: the body's first line, or Claude Code's words."""
    stand_in_is_own: bool = False
    """Whether `stand_in` is a line of the file."""

    @property
    def own_text(self) -> str | None:
        """Exactly what follows the name in the request; None when none of it is the file's own."""
        return self.text if self.text is not None or not self.stand_in_is_own else self.stand_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPlace:
    """The target's line in the whole listing: what is used of what budget, in columns."""

    listed: Listed
    budget_chars: int | None
    """None for an agent: agents share no budget."""
    used_chars: int
    state: ListingState
    longest: int | None = None
    """Most columns that the target's text may have to be sent; None where it is not listed."""
