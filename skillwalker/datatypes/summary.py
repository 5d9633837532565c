"""What a run ends with, and what it says on the way."""

from dataclasses import dataclass

from skillwalker.datatypes.against import Against
from skillwalker.datatypes.inputs import ListingPlace, SplitCase, Target
from skillwalker.datatypes.metrics import MetricChange
from skillwalker.datatypes.scores import GateResult, Iteration, Rate, Rates, UsageTotal
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Phase, StopReason, TargetKind, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRates:
    """The rates of original and best under one model."""

    model: str
    """As it was asked."""
    original: Rates
    best: Rates | None


Fired = tuple[tuple[str, int], ...]
"""What fired instead of the target, with the number of runs, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confused:
    """A case in which something else fired and the target did not."""

    case: str
    should_trigger: bool
    original: Fired
    best: Fired | None
    """None where no other text was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The outcome of a run of the loop: `scil-summary.json` and its siblings.

    Rates are those of the confirm rounds when there were any, else of the search, and
    `measured_on` says which: a search's own score of its winner is too good to be a result.
    """

    run_id: str
    kind: str
    """scil, acil or measure."""
    suite: str
    target: str
    target_kind: TargetKind
    target_path: str
    target_sha256: str
    """Of the file's bytes when the run read it."""
    position: str
    engine: str
    simulated: bool
    endpoint: str
    cli_version: str
    permission_mode: str
    models: tuple[str, ...]
    """Full ids that answered."""
    seed: int
    verdict: Verdict
    stopped_because: StopReason
    cause: str | None
    """One line for people when the run could not do its work."""
    limit: str | None = None
    """The option whose limit stopped it, and that lets it go on when it is raised."""
    refused_usd: float | None = None
    """What the call that a limit on money forbade was reckoned at, in US dollars."""
    original_description: str
    best_description: str
    best_iteration: int
    improved: bool
    applied: bool
    not_written: str | None = None
    """Why the best text was refused when it was to be written; None where it was not refused."""
    measured_on: str
    """confirm, search or nothing."""
    original: Rates | None
    best: Rates | None
    gate: GateResult | None
    rate_in_file: Rate | None
    """Balanced accuracy of what the file holds at the end; what `--fail-under` compares."""
    iterations: int
    trials: int
    undecided: int
    usage: tuple[tuple[str, UsageTotal], ...]
    listing: ListingPlace | None
    listing_mode: str = "real"
    """Real, or roomy where the listing's budget was lifted."""
    by_model: tuple[ModelRates, ...] = ()
    """One for each model that was asked."""
    weakest_model: str | None = None
    """The one under which the best does worst; None where only one was asked."""
    reused: int = 0
    """Trials that count here and that an earlier run paid for; they are none of `trials`."""
    reused_from: tuple[str, ...] = ()
    """Those runs, the oldest first."""
    confusion: tuple[Confused, ...] = ()
    """What fired instead, in the trials that `measured_on` names."""
    unmovable: tuple[str, ...] = ()
    """Names of cases that no description can move; they count in every rate."""
    accepted_changes: tuple[str, ...] = ()
    """What changed between the lives of a resumed run, in words."""
    metrics: tuple[MetricChange, ...] = ()
    """What was tracked beside the rates, and is no part of them."""
    metrics_forbid: str | None = None
    """Why a load-bearing metric keeps the best text from being written; None where none does."""
    against: Against | None = None
    """What became of the target since the run that this one was held against."""


# --- events: what the loop tells its listener --------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The run is resolved and split; nothing was spent yet."""

    target: Target
    suite: str
    cases: tuple[SplitCase, ...]
    headline: str
    simulated: bool
    listing: ListingPlace
    listing_mode: str = "real"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted:
    """A candidate is about to be measured."""

    number: int
    phase: Phase | None
    set: CaseSet | None
    """Control or confirm; None for train and holdout together."""
    trials: int
    """The most that this step can have, retries apart."""
    beside: tuple[int, ...] = ()
    """Numbers of the other iterations that are measured further in the same step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialDone:
    """A trial is on disk."""

    trial: Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialReused:
    """A trial was taken over from an earlier run, which paid for it."""

    trial: Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationDone:
    """A candidate was measured on train and holdout for the first time."""

    iteration: Iteration


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDone:
    """Candidates were measured further, in one step; each holds all its search trials."""

    iterations: tuple[Iteration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The improver answered; `description` is None when it gave nothing usable."""

    description: str | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDone:
    """Original and best were measured side by side once more."""

    rounds: int
    gate: GateResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """A rate limit lets nothing start for a while."""

    until: float
    """In seconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What is left at the most, by what trials have cost and taken so far."""

    trials: int
    """Trials that are left at the most, retries apart."""
    cost_usd: float | None
    """US dollars that these would cost; None when no cost was known."""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that the user should know, in one line."""

    message: str
    is_late: bool = False
    """Whether it is about how the run ended: it is said again behind the result."""


Event = (
    RunStarted
    | StepStarted
    | TrialDone
    | TrialReused
    | IterationDone
    | SampleDone
    | Proposed
    | RoundDone
    | Paused
    | Forecast
    | Warned
)
