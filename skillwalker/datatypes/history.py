"""What all recorded runs hold together: facts of each run, and its trials as counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.vocabulary import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What must be equal for two trials to be counted together."""

    engine: str
    endpoint: str
    permission_mode: str
    model: str
    """The full id that answered; what was asked where none ever did."""
    listing_mode: str = "real"
    """Roomy where the listing's budget was lifted."""
    simulated: bool = False
    max_turns: int | None = None
    """Model turns within which a call counts, where the case sets none; None if not recorded."""

    @property
    def order(self) -> tuple[str | int, ...]:
        """Where it stands in a list: real ones first, then by name."""
        return (
            self.simulated,
            self.engine,
            self.endpoint,
            self.permission_mode,
            self.model,
            self.listing_mode,
            self.max_turns or 0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """How the gate of a run ended."""

    passed: bool
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """A run of scil, acil or measure, without its trials."""

    run_id: str
    began: datetime
    kind: str
    target: str
    target_path: str
    suite: str
    simulated: bool
    listing_mode: str
    original: str | None
    """Candidate that the file held when the run began: 16 hex digits; None when not recorded."""
    should_trigger: Mapping[str, bool]
    """By case name."""
    ended: bool
    """Whether it wrote a summary; what follows is None or False where it did not."""
    best: str | None = None
    verdict: str | None = None
    stopped_because: str | None = None
    gate: GateFacts | None = None
    applied: bool = False
    max_turns: int | None = None
    """The turn limit of its trials; None when it is not recorded."""
    own_turns: Mapping[str, int] = field(default_factory=dict)
    """Turn limits of cases that set their own."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """What each case shares with its near-duplicates, by case name, as far as it is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalRowFacts:
    """One expectation of a case of an eval run."""

    suite: str
    case: str
    expect_type: str
    status: str
    is_criterion: bool
    """Whether a judge's verdict on one criterion."""
    agreement: float | None
    """Share of the judge's runs that agree with its verdict; None when that is not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalFacts:
    """A one-off eval run."""

    run_id: str
    began: datetime
    targets: tuple[str, ...]
    """As its cases name them."""
    engine: str
    endpoint: str
    permission_mode: str
    models: tuple[str, ...]
    simulated: bool
    evaluated: bool
    rows: tuple[EvalRowFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialCount:
    """Trials of one run that are alike; each is counted once, by its last attempt."""

    run_id: str
    set: str
    setting: Setting
    outcome: Outcome
    reason: str | None
    trials: int
    attempts: int
    """Attempts with this outcome, those that were tried again included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCount:
    """Decided trials of one case under one candidate in one run."""

    run_id: str
    candidate: str
    confirm: bool
    """Whether they are of the confirm rounds."""
    case: str
    setting: Setting
    cli_version: str
    triggered: int
    not_triggered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one purpose took in one run: every attempt, whatever it said."""

    run_id: str
    simulated: bool
    purpose: str
    """trial, improver or judge."""
    usage: UsageTotal
    estimated_calls: int = 0
    """Calls whose cost is an estimate; their cost is in the sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which folders the figures are made of, and which not."""

    folders: int
    read: tuple[tuple[str, int], ...]
    """Runs that were read, by kind; one that left no trial is among them."""
    without_trials: tuple[str, ...] = ()
    """Runs among them that recorded no trial."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Runs that could not be read, each with the reason."""
    nights: int = 0
    """Nights, whose runs have folders of their own."""
    empty: tuple[str, ...] = ()
    """Folders named like runs in which nothing was recorded."""
    copies: tuple[tuple[str, str], ...] = ()
    """Folders that hold a run of another name, each with that name: they would count twice."""
    no_runs: tuple[str, ...] = ()
    """Folders that are no runs."""
    simulated: int = 0
    """Runs left out because no model was asked."""
    filtered: int = 0
    """Runs left out by `--since` or `--target`."""
    targets: tuple[str, ...] = ()
    """Every target that a recorded run measured, left out or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHistory:
    """Everything that the figures are made of."""

    coverage: Coverage
    runs: tuple[RunFacts, ...] = ()
    evals: tuple[EvalFacts, ...] = ()
    trials: tuple[TrialCount, ...] = ()
    cases: tuple[CaseCount, ...] = ()
    spent: tuple[Spent, ...] = ()
