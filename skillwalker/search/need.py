"""What it would take to show a change of the size that was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import NormalDist, fmean, variance

from skillwalker.intervals import VARIANCE_FLOOR, PairedCase, compare

MOST_ROUNDS_NAMED = 50
"""More rounds than this are no advice."""
SMALLEST_Z = 1e-9
"""A threshold of one half or less asks for no distance from nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What would show a change of the measured size; None is out of reach in that way."""

    rounds: int | None
    """Confirm rounds in all, with the same cases."""
    trials: int | None
    """Trials of those rounds, both texts."""
    cases: int | None
    """Cases of the same kind and mix, with as many rounds as now; None where rounds do."""


def to_decide(pairs: Sequence[PairedCase], threshold: float, rounds: int) -> Need:
    """Estimate what it would take for the measured change to pass the threshold.

    The spread of a case's change has a part that more runs shrink (the draws) and one that only
    more cases shrink. Both are estimated from what was measured, so this is an estimate too.

    Source: variance between cases plus variance of runs by their number, Miller (`intervals`).
    """
    change = compare(pairs).change
    nothing = Need(rounds=None, trials=None, cases=None)
    if change is None or change <= 0 or rounds < 1:
        return nothing
    allowed = (change / max(NormalDist().inv_cdf(threshold), SMALLEST_Z)) ** 2
    used = [pair for pair in pairs if pair.n0 and pair.n1]
    classes = [[p for p in used if p.positive is positive] for positive in (True, False)]
    drawn = sum(_drawn(of_class) for of_class in classes)
    lasting = max(0.0, sum(_spread(of_class) for of_class in classes) - drawn)
    lasting += sum(VARIANCE_FLOOR / len(of_class) / 4 for of_class in classes)
    if allowed > lasting:
        enough = max(rounds + 1, ceil(rounds * drawn / (allowed - lasting)))
        if enough <= MOST_ROUNDS_NAMED:
            return Need(rounds=enough, trials=2 * len(pairs) * enough, cases=None)
    more = max(1.0, (lasting + drawn) / allowed)
    return Need(rounds=None, trials=None, cases=max(len(used) + 1, ceil(len(used) * more)))


def _spread(pairs: Sequence[PairedCase]) -> float:
    """Give a class's part of the variance of the change, as it was seen over cases."""
    changes = [pair.k1 / pair.n1 - pair.k0 / pair.n0 for pair in pairs]
    return (variance(changes) if len(changes) > 1 else 0.0) / len(pairs) / 4


def _drawn(pairs: Sequence[PairedCase]) -> float:
    """Give the part of a class's variance that comes from the draws of its runs."""
    return fmean(_noise(p.k0, p.n0) + _noise(p.k1, p.n1) for p in pairs) / len(pairs) / 4


def _noise(k: int, n: int) -> float:
    """Give the variance of a case's rate, smoothed so that one run does not look certain."""
    rate = (k + 0.5) / (n + 1)
    return rate * (1 - rate) / n
