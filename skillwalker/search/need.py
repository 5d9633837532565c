"""What it would take to show a change of the size that was measured."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist

from skillwalker.intervals import VARIANCE_FLOOR, PairedCase, compare, mean_change

MOST_ROUNDS_NAMED = 50
"""More rounds than this are no advice."""
CERTAIN = 1e-12
"""Room below certainty, whose distance from nothing has no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What would show a change of the measured size; None is out of reach in that way."""

    rounds: int | None
    """Confirm rounds in all, with the same cases."""
    trials: int | None
    """Trials of those rounds, both texts."""
    cases: int | None
    """Cases of the same kind and mix, with as many rounds as now; None where rounds do. A case on
    several models is one, and so are its near-duplicates."""


def to_decide(pairs: Sequence[PairedCase], threshold: float, rounds: int) -> Need:
    """Estimate what it would take for P(better) to pass the threshold at the measured change.

    The spread of a case's change has a part that more runs shrink (the draws) and one that only
    more cases shrink. Both are estimated from what was measured, so this is an estimate too.
    Near-duplicates are one draw, as in the gate; a class of one group shows no spread, so what the
    gate takes for it stays however often its cases are run.

    Args:
        pairs: what was measured.
        threshold: that the next look asks for.
        rounds: confirm rounds that were run.

    Source: variance between cases plus variance of runs by their number, Miller (`intervals`),
        put into the formula of `intervals.compare`.
    """
    p_better = compare(pairs).p_better
    if p_better is None or p_better <= 0.5 or rounds < 1:
        return Need(rounds=None, trials=None, cases=None)
    asked = NormalDist().inv_cdf(min(threshold, 1 - CERTAIN))
    reached = NormalDist().inv_cdf(min(p_better, 1 - CERTAIN))
    used = [pair for pair in pairs if pair.n0 and pair.n1]
    doubts = [_doubt([pair for pair in used if pair.positive is side]) for side in (True, False)]
    now = sum(doubt.after(rounds, rounds) for doubt in doubts)
    for more in range(rounds + 1, MOST_ROUNDS_NAMED + 1):
        if reached * sqrt(now / sum(doubt.after(rounds, more) for doubt in doubts)) >= asked:
            return Need(rounds=more, trials=2 * len(pairs) * more, cases=None)
    draws = len(_group_sizes(used))
    enough = ceil(draws * (asked / reached) ** 2)
    return Need(rounds=None, trials=None, cases=max(draws + 1, enough))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Doubt:
    """What the variance of a class's mean change is made of."""

    drawn: float
    """Of the draws: more rounds shrink it."""
    lasting: float
    """Between groups, however often each is run."""
    fixed: float
    """What the gate adds, or takes for a class that shows no spread."""

    def after(self, rounds: int, more: int) -> float:
        """Predict the variance of the smoothed change after so many rounds; the scale is free."""
        smoothing = more / (more + 1)
        return smoothing**2 * (self.lasting + self.drawn * rounds / more) + self.fixed


def _doubt(pairs: Sequence[PairedCase]) -> _Doubt:
    """Take apart what a class was seen to vary by; the draws explain no more than that."""
    variance = mean_change(pairs)[1] ** 2
    sizes = _group_sizes(pairs)
    if len(sizes) == 1:
        return _Doubt(drawn=0.0, lasting=0.0, fixed=variance)
    floor = VARIANCE_FLOOR * sum(size**2 for size in sizes) / len(pairs) ** 2
    seen = max(0.0, variance - floor)
    noise = sum(_noise(pair.k0, pair.n0) + _noise(pair.k1, pair.n1) for pair in pairs)
    drawn = min(seen, noise / len(pairs) ** 2)
    return _Doubt(drawn=drawn, lasting=seen - drawn, fixed=floor)


def _group_sizes(pairs: Sequence[PairedCase]) -> tuple[int, ...]:
    """Count the cases of each group of near-duplicates; one without a group stands alone."""
    groups = (at if pair.group is None else pair.group for at, pair in enumerate(pairs))
    return tuple(Counter(groups).values())


def _noise(k: int, n: int) -> float:
    """Give the variance of a case's rate, smoothed so that one run does not look certain."""
    rate = (k + 0.5) / (n + 1)
    return rate * (1 - rate) / n
