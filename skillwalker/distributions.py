"""The normal distribution and Student's, as far as intervals need them."""

from functools import lru_cache
from math import atan, cos, erf, pi, sin, sqrt
from statistics import NormalDist

CONFIDENCE = 0.9
"""Of every interval that is printed."""


def normal_cdf(x: float) -> float:
    """Give the standard normal distribution function."""
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


@lru_cache(maxsize=64)
def normal_quantile(confidence: float) -> float:
    """Give the z that leaves (1 - confidence) / 2 on each side."""
    return NormalDist().inv_cdf((1.0 + confidence) / 2.0)


@lru_cache(maxsize=1024)
def t_quantile(df: int, confidence: float = CONFIDENCE) -> float:
    """Give the t that leaves (1 - confidence) / 2 on each side of Student's distribution.

    Args:
        df: whole degrees of freedom, at least 1.
        confidence: of the two-sided interval.

    Source: the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4, halved until exact.
    """
    low, high = 0.0, 2.0
    while _t_within(high, df) < confidence:
        low, high = high, 2.0 * high
    while low < (middle := (low + high) / 2.0) < high:
        if _t_within(middle, df) < confidence:
            low = middle
        else:
            high = middle
    return high


def _t_within(t: float, df: int) -> float:
    """Give the probability that Student's t lies between -t and t."""
    theta = atan(t / sqrt(df))
    square = cos(theta) ** 2
    odd = df % 2
    term = cos(theta) if odd else 1.0
    total = 0.0 if df == 1 else term
    for step in range(2 + odd, df - 1, 2):
        term *= square * (step - 1) / step
        total += term
    series = sin(theta) * total
    return 2.0 / pi * (theta + series) if odd else series
