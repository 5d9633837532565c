"""How large a change a suite can show, and how large a suite a change needs (pure)."""

from math import ceil, sqrt
from statistics import NormalDist

from skillwalker.distributions import CONFIDENCE, normal_quantile

BETWEEN = 0.27
"""Standard deviation, over cases, of the true change of a case's rate.

Source: Skillwalker's simulation of 600 skills; 0.27 between queries.
"""
DISAGREE = 0.21
"""Variance of the difference of two single runs: how often two runs of a case disagree.

Source: the same simulation, in which they disagree in 21 of 100.
"""
POWER = 0.8
"""Chance to see a change that is there."""


def detectable_change(positive: int, negative: int, runs: int) -> float | None:
    """Give the smallest change of balanced accuracy that two measurements are likely to show.

    Args:
        positive: cases in which the target is to be called.
        negative: cases in which it is not.
        runs: of every case, for each of the two texts.

    Returns:
        A share between 0 and 1; None where a class has no case, so that nothing can be shown.

    Source: variance between cases plus variance of runs by their number, Evan Miller, "Adding Error
        Bars to Evals", https://arxiv.org/abs/2411.00640; 80 % power in a two-sided test at 90 %.
    """
    if not positive or not negative:
        return None
    cases = 4.0 / (1.0 / positive + 1.0 / negative)  # each class weighs half, whatever its size
    return min(1.0, _reach() * sqrt(_variance(runs) / cases))


def cases_needed(change: float, runs: int) -> int:
    """Give how many cases, half of them of either class, are likely to show a change.

    Args:
        change: of balanced accuracy, more than 0.
        runs: of every case, for each of the two texts.
    """
    return max(2, ceil(_variance(runs) * (_reach() / change) ** 2))


def _variance(runs: int) -> float:
    return BETWEEN**2 + DISAGREE / runs


def _reach() -> float:
    return normal_quantile(CONFIDENCE) + NormalDist().inv_cdf(POWER)
