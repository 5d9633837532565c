"""Two recorded runs, case by case, and what can be said of their difference."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from skillwalker.datatypes.scores import Rates
from skillwalker.datatypes.vocabulary import Outcome


class Which(StrEnum):
    """Which description of a run is meant."""

    HELD = "held"
    """What the file held at the run's end: the best where it was applied, else the original."""
    ORIGINAL = "original"
    BEST = "best"


class Basis(StrEnum):
    """Which trials of a description are counted."""

    ALL = "all"
    """Of an original: nothing was chosen by them."""
    CONFIRM = "confirm"
    SEARCH = "search"
    """Those by which the search chose its best: they flatter it."""


class Shown(StrEnum):
    """What an interval shows of the change from the first run to the second."""

    HIGHER = "higher"
    LOWER = "lower"
    NO_DIFFERENCE = "no_difference_shown"
    NOT_MEASURED = "not_measured"
    """No case of one class was decided in both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCase:
    """What a case asked in one run."""

    should_trigger: bool
    prompt: str
    """Its hash."""
    scaffold: str | None
    max_turns: int | None
    group: str | None = None
    """Shared with its near-duplicates; None where the run does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcomes:
    """Trials of one case on one model, each by its last attempt."""

    triggered: int = 0
    not_triggered: int = 0
    undecided: int = 0

    @property
    def decided(self) -> int:
        """Trials that say something."""
        return self.triggered + self.not_triggered


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenTrial:
    """A trial that counts for a run and that another run had paid for."""

    run_id: str
    """Of the run that paid."""
    run_index: int
    """In that run."""
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One side of a comparison."""

    run_id: str
    target: str
    suite: str
    simulated: bool
    engine: str
    endpoint: str
    permission_mode: str
    listing_mode: str
    cli_versions: tuple[str, ...]
    efforts: tuple[str, ...]
    which: Which
    """Original or best; never `held`."""
    applied: bool = False
    """Whether the run wrote this description into the file."""
    candidate: str
    description: str
    basis: Basis
    siblings: Mapping[str, str]
    """Hash of the file of each skill and agent beside the target."""
    accepted_changes: tuple[str, ...]
    asked: Mapping[str, AskedCase]
    """By case name."""
    outcomes: Mapping[tuple[str, str], CaseOutcomes]
    """By case and model, of the description that is meant."""
    taken: Mapping[tuple[str, str], tuple[TakenTrial, ...]] = field(default_factory=dict)
    """Those of `outcomes` that other runs paid for, by case and model."""
    shared_trials: int = 0
    """Trials that are left out of `outcomes` because they stand on the other side too."""
    answered: Mapping[str, str] = field(default_factory=dict)
    """The model that answered, by the one that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A case that is in no figure of a comparison."""

    case: str
    model: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePair:
    """One case on one model in both runs: correct of decided trials."""

    case: str
    should_trigger: bool
    k_a: int
    n_a: int
    k_b: int
    n_b: int
    group: str
    """Shared with its near-duplicates, and with itself on other models: one draw together."""

    @property
    def change(self) -> float:
        """Of the share of correct trials."""
        return self.k_b / self.n_b - self.k_a / self.n_a


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelComparison:
    """Both runs on one model, over the cases that both decided."""

    model: str
    pairs: tuple[CasePair, ...]
    a: Rates
    b: Rates
    shown: Shown
    change: float | None
    """Of balanced accuracy."""
    interval: tuple[float, float] | None
    """90 % interval of `change` over cases."""
    p_higher: float | None
    recall_change: float | None
    specificity_change: float | None
    recall_interval: tuple[float, float] | None
    """90 % interval of `recall_change` over its cases; None where it has under two."""
    specificity_interval: tuple[float, float] | None
    detectable_change: float | None
    """Change of balanced accuracy that such a comparison shows in 8 of 10 times.

    None when nothing was measured, or when no change is large enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The second run against the first."""

    a: ComparedRun
    b: ComparedRun
    differences: tuple[str, ...]
    """What else differs between the runs, so that a change may be due to it."""
    models: tuple[ModelComparison, ...]
    left_out: tuple[LeftOut, ...]
