"""What it would take to show a change of the size that was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist, fmean, variance

from skillwalker.intervals import VARIANCE_FLOOR, PairedCase, compare

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

    Source: variance between cases plus variance of runs by their number, Miller (`intervals`),
        put into the formula of `intervals.compare`.
    """
    p_better = compare(pairs).p_better
    if p_better is None or p_better <= 0.5 or rounds < 1:
        return Need(rounds=None, trials=None, cases=None)
    asked = NormalDist().inv_cdf(threshold)
    reached = NormalDist().inv_cdf(min(p_better, 1 - CERTAIN))
    used = [pair for pair in pairs if pair.n0 and pair.n1]
    now = _variance_after(used, rounds, rounds)
    for more in range(rounds + 1, MOST_ROUNDS_NAMED + 1):
        if reached * sqrt(now / _variance_after(used, rounds, more)) >= asked:
            return Need(rounds=more, trials=2 * len(pairs) * more, cases=None)
    draws = len({at if pair.group is None else pair.group for at, pair in enumerate(used)})
    enough = ceil(draws * (asked / reached) ** 2)
    return Need(rounds=None, trials=None, cases=max(draws + 1, enough))


def _variance_after(pairs: Sequence[PairedCase], rounds: int, more: int) -> float:
    """Predict the variance of the smoothed change after so many rounds; the scale is free."""
    total = 0.0
    for positive in (True, False):
        of_class = [pair for pair in pairs if pair.positive is positive]
        drawn = fmean(_noise(pair.k0, pair.n0) + _noise(pair.k1, pair.n1) for pair in of_class)
        lasting = max(0.0, _spread(of_class) - drawn)
        smoothing = more / (more + 1)
        spread = smoothing**2 * (lasting + drawn * rounds / more)
        total += (spread + VARIANCE_FLOOR) / len(of_class)
    return total


def _spread(pairs: Sequence[PairedCase]) -> float:
    """Give the variance of a case's change, as it was seen over the cases of a class."""
    changes = [pair.k1 / pair.n1 - pair.k0 / pair.n0 for pair in pairs]
    return variance(changes) if len(changes) > 1 else 0.0


def _noise(k: int, n: int) -> float:
    """Give the variance of a case's rate, smoothed so that one run does not look certain."""
    rate = (k + 0.5) / (n + 1)
    return rate * (1 - rate) / n
