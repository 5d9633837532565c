"""What the trials so far say of every candidate on every case: posterior rates, and their sum.

A candidate's score is the balanced accuracy that one more use would have. Each class weighs half,
and in it each group of near-duplicates weighs the same, so that five ways to put one question do
not outvote four other questions.

Source: the recommended algorithm of Skillwalker's simulation: a beta posterior for each cell, its
prior mean the case's pooled rate (an empirical Bayes estimate).
"""

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import NamedTuple

from skillwalker.distributions import normal_cdf
from skillwalker.search.protocol import CellRuns, Tally

PRIOR_RUNS = 1.5
"""Runs that the case's pooled rate counts for in a candidate's posterior."""
POOL_RUNS = 2.0
POOL_RATE = 0.75
"""The pooled rate is itself drawn towards this one, as if by so many runs."""
LOSS_WEIGHT = 0.5
"""Source: tried in Skillwalker's simulation (docs/strategies.md)."""
EQUAL = 1e-9
"""Worths that are no further apart are one: sums of the same fractions in another order differ by
less, and one trial of one case among thousands moves a worth by more."""


class Column(NamedTuple):
    """A case, as far as its weight goes: its class, and what joins it to its near-duplicates."""

    positive: bool
    group: str
    model: str = ""
    """Whom it asks; it weighs nothing, and tells which model a candidate does worst under."""


class Score(NamedTuple):
    """Posterior mean and variance of a candidate's balanced accuracy, and the means by class."""

    mean: float
    variance: float
    recall: float | None
    specificity: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """The posterior of every cell, made by `believe`."""

    columns: tuple[Column, ...]
    weights: tuple[float, ...]
    """Of each case in the score; they add up to 1."""
    tallies: tuple[tuple[Tally, ...], ...]
    pooled: tuple[float, ...]
    """Of each case, the shrunk rate over all candidates: the prior mean of each."""
    means: tuple[tuple[float, ...], ...]
    """Of each candidate, the posterior mean of each case."""
    scores: tuple[Score, ...]

    def values(self, max_loss: float) -> tuple[float, ...]:
        """Give what each candidate is worth: its mean, less for what a class loses.

        A text that trades one class for the other is refused by the gate, so to choose it is a
        waste. What the posterior loss of a class to the first candidate is above `max_loss`
        counts half.
        """
        first = self.scores[0]
        return tuple(
            score.mean
            - LOSS_WEIGHT
            * (
                _excess(first.recall, score.recall, max_loss)
                + _excess(first.specificity, score.specificity, max_loss)
            )
            for score in self.scores
        )

    def leader(self, max_loss: float, *, first: int = 0) -> int:
        """Give the place of the candidate that is worth the most, the earliest of equals.

        Where several models are asked, of equals the one whose weakest model does better goes
        before the earlier one, as in the choice of the phases (`step_5_score.select_best`).

        Args:
            max_loss: as of `values`.
            first: the place from which on candidates are looked at.
        """
        values = self.values(max_loss)
        best = max(values[first:]) - EQUAL
        equals = [at for at in range(first, len(values)) if values[at] >= best]
        if len({column.model for column in self.columns}) < 2:
            return equals[0]
        weakest = [self.weakest(at) for at in equals]
        least = max(weakest) - EQUAL
        return next(at for at, worst in zip(equals, weakest, strict=True) if worst >= least)

    def weakest(self, candidate: int) -> float:
        """Give the posterior mean that a candidate has under the model it does worst under."""
        cells: dict[str, list[tuple[Column, float]]] = {}
        for column, mean in zip(self.columns, self.means[candidate], strict=True):
            cells.setdefault(column.model, []).append((column, mean))
        return min(
            fsum(
                weight * mean
                for weight, (_, mean) in zip(weigh([c for c, _ in own]), own, strict=True)
            )
            for own in cells.values()
        )

    def p_better(self, candidate: int, than: int = 0) -> float:
        """Give the chance that one candidate's score is above another's, draws alone counted."""
        ours, theirs = self.scores[candidate], self.scores[than]
        spread = sqrt(ours.variance + theirs.variance)
        if spread == 0:
            return 0.5
        return normal_cdf((ours.mean - theirs.mean) / spread)


def _excess(before: float | None, after: float | None, most: float) -> float:
    """Give by how much more than allowed a class lost."""
    return 0.0 if before is None or after is None else max(0.0, before - after - most)


def weigh(columns: Sequence[Column]) -> tuple[float, ...]:
    """Share the weight of 1: half to each class, in a class alike to each group.

    Where a class has no case, the other has all of the weight.
    """
    members = Counter((column.positive, column.group) for column in columns)
    groups = Counter(positive for positive, _ in members)
    return tuple(
        1 / (len(groups) * groups[column.positive] * members[column.positive, column.group])
        for column in columns
    )


def believe(columns: Sequence[Column], tallies: Sequence[Sequence[Tally]]) -> Belief:
    """Make the posterior of every cell.

    Args:
        columns: the cases.
        tallies: of each candidate, the tally of each case.
    """
    weights = weigh(columns)
    pooled = tuple(_pooled(of_case) for of_case in zip(*tallies, strict=True))
    means = tuple(
        tuple(posterior_mean(tally, rate) for tally, rate in zip(row, pooled, strict=True))
        for row in tallies
    )
    return Belief(
        columns=tuple(columns),
        weights=weights,
        tallies=tuple(map(tuple, tallies)),
        pooled=pooled,
        means=means,
        scores=tuple(
            _score(columns, weights, row, mean) for row, mean in zip(tallies, means, strict=True)
        ),
    )


def _pooled(of_case: Sequence[Tally]) -> float:
    """Give the shrunk rate of a case over all candidates."""
    correct = sum(tally.correct for tally in of_case)
    decided = sum(tally.decided for tally in of_case)
    return (correct + POOL_RUNS * POOL_RATE) / (decided + POOL_RUNS)


def posterior_mean(tally: Tally, pooled: float) -> float:
    """Give the posterior mean of a cell."""
    return (tally.correct + PRIOR_RUNS * pooled) / (tally.decided + PRIOR_RUNS)


def _score(
    columns: Sequence[Column],
    weights: Sequence[float],
    row: Sequence[Tally],
    means: Sequence[float],
) -> Score:
    """Add up the cells of a candidate; exactly, so that the order of the cases is nothing."""
    cells = tuple(zip(columns, weights, row, means, strict=True))
    return Score(
        mean=fsum(weight * mean for _, weight, _, mean in cells),
        variance=fsum(
            weight * weight * mean * (1 - mean) / (tally.decided + PRIOR_RUNS + 1)
            for _, weight, tally, mean in cells
        ),
        recall=_class_mean([(w, mean) for column, w, _, mean in cells if column.positive]),
        specificity=_class_mean([(w, mean) for column, w, _, mean in cells if not column.positive]),
    )


def _class_mean(cells: Sequence[tuple[float, float]]) -> float | None:
    """Give the weighted mean of a class; None where it has no case."""
    if not cells:
        return None
    return fsum(weight * mean for weight, mean in cells) / fsum(weight for weight, _ in cells)


def most_telling(
    belief: Belief, candidate: int | None, runs: int, tie: Callable[[int], int]
) -> tuple[CellRuns, ...]:
    """Name the runs of a candidate that lower the variance of its score the most, one by one.

    A run that stayed undecided counts as one here, or a case that is never decided would get all.

    Args:
        belief: of everything so far.
        candidate: its place; None for one of which nothing was measured.
        runs: how many to name.
        tie: gives the rank of a case among equals, lowest first.

    Returns:
        The cases in their order, each with its runs.
    """
    count = len(belief.weights)
    row = (Tally(),) * count if candidate is None else belief.tallies[candidate]
    means = belief.pooled if candidate is None else belief.means[candidate]
    factors = tuple(
        weight * weight * mean * (1 - mean)
        for weight, mean in zip(belief.weights, means, strict=True)
    )
    asked = [tally.runs for tally in row]
    heap = [(-_drop(factors[at], asked[at]), tie(at), at) for at in range(count)]
    heapq.heapify(heap)
    named: Counter[int] = Counter()
    for _ in range(runs if heap else 0):
        _, rank, at = heap[0]
        named[at] += 1
        asked[at] += 1
        heapq.heapreplace(heap, (-_drop(factors[at], asked[at]), rank, at))
    return tuple(CellRuns(at=at, runs=named[at]) for at in sorted(named))


def _drop(factor: float, runs: int) -> float:
    """Give how much one more run lowers the variance of a cell."""
    worth = runs + PRIOR_RUNS
    return factor / ((worth + 1) * (worth + 2))
