"""Trials of one case, iterations, and the figures made from them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import fsum

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.metrics import TrackedMetric
from skillwalker.datatypes.trials import Trial, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A case to be measured: at most `runs` trials, numbered from `first_index`."""

    case: TriggerCase
    set: CaseSet
    runs: int
    first_index: int
    group: str | None = None
    """Joins near-duplicates; None where the case stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The trials of one case under one candidate; the vote is derived from them."""

    case: TriggerCase
    set: CaseSet
    trials: tuple[Trial, ...] = field(repr=False)
    """Last attempt of each run, in order of run_index."""
    group: str | None = None
    """Joins near-duplicates, which are one sample together; None where the case stands alone."""

    def count(self, outcome: Outcome) -> int:
        """Number of trials with that outcome."""
        return sum(trial.outcome is outcome for trial in self.trials)

    @property
    def triggered(self) -> int:
        """Trials in which the target was called."""
        return self.count(Outcome.TRIGGERED)

    @property
    def not_triggered(self) -> int:
        """Trials in which it was not."""
        return self.count(Outcome.NOT_TRIGGERED)

    @property
    def undecided(self) -> int:
        """Trials that say nothing."""
        return self.count(Outcome.UNDECIDED)

    @property
    def correct(self) -> int:
        """Decided trials that did what the case asks for."""
        return self.triggered if self.case.should_trigger else self.not_triggered

    @property
    def passed(self) -> bool | None:
        """Majority of the decided trials; None on a tie or when none is decided."""
        if self.triggered == self.not_triggered:
            return None
        return (self.triggered > self.not_triggered) == self.case.should_trigger


def join_results(results: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """Join the trials of each case and model, in order of first appearance."""
    joined: dict[tuple[str, str], CaseResult] = {}
    for result in results:
        key = (result.case.name, result.case.model)
        before = joined.get(key)
        joined[key] = (
            result if before is None else replace(before, trials=before.trials + result.trials)
        )
    return tuple(joined.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SetScore:
    """Cases of one set after the vote."""

    passed: int
    failed: int
    undecided: int

    @property
    def total(self) -> int:
        """All cases of the set."""
        return self.passed + self.failed + self.undecided

    @property
    def accuracy(self) -> float | None:
        """Passed of the decided; None when nothing was decided."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """k of n decided runs, with a 90 % interval over cases."""

    k: int
    n: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The four rates of one description; `balanced` is the mean of recall and specificity."""

    accuracy: Rate
    recall: Rate
    specificity: Rate
    balanced: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourChange:
    """What a rival keeps of its own requests, under the original and under the best text."""

    target: str
    """The rival's id."""
    kept_before: int
    """Runs in which the target left the request alone."""
    runs_before: int
    kept_after: int
    runs_after: int
    change: float | None
    """Of the share that is kept, as the mean over requests."""
    lasting: float
    """Posterior median of `change`."""
    cases: tuple[str, ...]
    """Requests that the best text takes and the original does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Original against best, from confirm trials alone."""

    p_better: float | None
    threshold: float
    passed: bool
    change: float | None
    """Of balanced accuracy."""
    interval: tuple[float, float] | None
    """90 % interval of `change` over cases."""
    recall_change: float | None
    specificity_change: float | None
    rounds: int
    reason: str
    """One sentence for people: why it passed, was refused or was not run."""
    advice: str = ""
    """What it would take to show more, where it passed although `interval` holds 0."""
    recall_interval: tuple[float, float] | None = None
    """90 % interval of `recall_change` over its cases; None of under two, or not recorded."""
    specificity_interval: tuple[float, float] | None = None
    neighbours: tuple[NeighbourChange, ...] = ()
    """Of `--guard-neighbours`: what the rivals keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTotal:
    """Usage summed over calls of one purpose."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    """Sum of the known costs."""
    cost_unknown_calls: int = 0

    @property
    def cache_share(self) -> float | None:
        """Share of all prompt tokens that the cache gave; None when there were none."""
        prompt = self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
        return self.cache_read_tokens / prompt if prompt else None


def sum_usage(usages: Iterable[Usage]) -> UsageTotal:
    """Add up tokens and known costs, in any order the same; what is unknown is counted."""
    spent = tuple(usages)
    return UsageTotal(
        calls=len(spent),
        input_tokens=sum(usage.input_tokens for usage in spent),
        output_tokens=sum(usage.output_tokens for usage in spent),
        cache_read_tokens=sum(usage.cache_read_tokens for usage in spent),
        cache_write_tokens=sum(usage.cache_write_tokens for usage in spent),
        cost_usd=fsum(usage.cost_usd or 0.0 for usage in spent),
        cost_unknown_calls=sum(usage.cost_usd is None for usage in spent),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One candidate, measured."""

    number: int
    """From 1, the original."""
    phase: Phase
    candidate: str
    description: str
    results: tuple[CaseResult, ...]
    metrics: tuple[TrackedMetric, ...] = ()
    """What was tracked of the text itself, beside its trials."""
