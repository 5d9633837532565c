"""A one-off eval run: cases as they are run, what each trial says, and the rows made from it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from skillwalker.datatypes.inputs import Case, Target
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.trials import CalledAs, Transcript, Trial
from skillwalker.datatypes.vocabulary import CaseType, StopReason, TargetKind


class Status(StrEnum):
    """What is known about an expectation, or about a whole case."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The trial is sound, but nobody could say: no judge answered, it could not tell, or as many
    runs are for as against."""
    INFRASTRUCTURE = "infrastructure"
    """The trial itself says nothing; never counted as a failure."""


WORST_FIRST = (Status.FAILED, Status.INFRASTRUCTURE, Status.UNKNOWN, Status.PASSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCase:
    """A case as a run records it: enough to evaluate its trials without the project."""

    suite: str
    case: Case
    """With the model that is asked; its paths are relative to the suite's folder."""
    plugins: tuple[str, ...]
    """The suite's plugins, as written."""
    called_as: tuple[CalledAs | None, ...]
    """Beside each expectation the names of the target that it speaks of, if it does."""
    runs: int
    max_turns: int
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What Claude Code finds installed in a trial: real folders, or a throw-away copy."""

    plugin_dirs: tuple[Path, ...] = ()
    project_dir: Path | None = None
    copied: tuple[Target, ...] = ()
    """The target, then its rivals; they are copied without what could act. Empty for folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCase:
    """A case with what its trials are run with."""

    case: EvalCase
    prompt: str
    """As it is sent."""
    scaffold: Path | None
    loaded: Loaded
    stops_at: CalledAs | None
    """The one target that every expectation is about; None runs a trial to its end."""
    aim: "Aim | None" = None
    """Whose call the trials say something about; None where nobody's is expected."""
    may_act: bool = False
    """Whether tools act, and the files that they leave are recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The target of a case, as its trials are counted in trials.jsonl."""

    target: Target
    called_as: CalledAs
    expected: bool | None
    """Whether it should be called; None where the case does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalLine:
    """A line of trials.jsonl of an eval run: the trial, and what the line has beside it."""

    trial: Trial
    suite: str
    case_type: CaseType
    target: str | None
    target_kind: TargetKind | None
    expected: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTrial:
    """One finished run of a case."""

    suite: str
    case: str
    run_index: int
    attempt: int
    model_asked: str
    max_turns: int
    engine: str
    simulated: bool
    endpoint: str
    permission_mode: str
    transcript: Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What one trial says about one expectation."""

    status: Status
    why: str
    """One sentence for people."""
    reason: str | None = None
    """Why the trial says nothing: a word of `UNDECIDED_REASONS`, or `turn_limit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow:
    """A line of test-results.jsonl: one expectation after the vote over the case's runs."""

    suite: str
    test_name: str
    expect_type: str
    expect_value: str
    status: Status
    reasoning: str
    target: str | None = None
    """What a call expectation speaks of."""
    runs_passed: int = 0
    runs_failed: int = 0
    runs_undecided: int = 0
    rubric_file: str | None = None
    criterion: str | None = None
    """Of a judge's row; None in the row that sums them up."""
    criterion_file: str | None = None
    """The file that the criterion is about."""
    judge: str | None = None
    """api, cli or simulated."""
    judge_model: str | None = None
    """The full id that answered, else the model that is asked."""
    judge_runs: int | None = None
    """How often the judge was asked about each trial."""
    agreement: float | None = None
    """Share of the judge's runs that say what the row says; in the sum their mean."""
    judge_score: float | None = None
    """Passed criteria of those that were decided."""
    judge_threshold: float | None = None

    @property
    def passed(self) -> bool | None:
        """Whether it is met; None when that is not known."""
        return {Status.PASSED: True, Status.FAILED: False}.get(self.status)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStatus:
    """A case after all its expectations: failed before not known before passed."""

    suite: str
    test_name: str
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSummary:
    """The outcome of an eval run: `test-run-summary.json`."""

    test_run_id: str
    suites: tuple[str, ...]
    engine: str
    simulated: bool
    """Whether no model ran the trials, or none graded them."""
    trials_simulated: bool
    endpoint: str
    permission_mode: str
    cli_version: str
    models: tuple[str, ...]
    """Full ids that answered."""
    stopped_because: StopReason | None
    """None when every case was run."""
    cause: str | None
    total_tests: int
    passed: int
    failures: int
    """Cases of which an expectation is not met."""
    inconclusive: int
    """Cases without a failure of which something is not known."""
    trials: int
    undecided: int
    """Expectations that no trial says anything about."""
    total_duration_ms: int
    total_input_tokens: int
    total_output_tokens: int
    judge: str | None
    """Who graded: api, cli or simulated; None where nothing was graded."""
    usage: tuple[tuple[str, UsageTotal], ...]
    tests: tuple[CaseStatus, ...]
    judge_stopped: StopReason | None = None
    """The limit that left questions to the judge unasked, in the last evaluation."""
    judge_cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOutcome:
    """An eval run, evaluated."""

    folder: Path
    summary: EvalSummary
    rows: tuple[ResultRow, ...]


# --- events: what an eval run tells its listener -----------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalStarted:
    """The engine is open; nothing was spent yet."""

    run_id: str
    headline: str
    simulated: bool
    trials: int
    """The most there can be, retries apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTrialDone:
    """A trial is on disk."""

    trial: EvalTrial
    undecided: str | None
    """Why it says nothing, if it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """The judge is about to be asked."""

    judge: str
    """api, cli or simulated."""
    models: tuple[str, ...]
    calls: int
    """The most there can be, second tries apart."""
    reused: int
    """Verdicts that were recorded before and are not asked for again."""


EvalEvent = EvalStarted | EvalTrialDone | Judging
