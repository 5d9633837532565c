"""How metrics are brought to one scale and joined (pure).

A composed metric of kind bounded joins its parts on the scale from 0 to 1: its sum is their mean,
in which a part that is named twice counts twice. One of another kind joins numbers of its own kind
and unit as they are. It depends on the values of its parts and on nothing else.

Source: the Metric Algebra of veegee82/loss-driven-development.
"""

import math
from collections.abc import Sequence

from skillwalker.settings import MetricSettings

BOUNDED, POSITIVE, SIGNED = "bounded", "positive", "signed"


def kind_fault(value: float, spec: MetricSettings) -> str | None:
    """Say why a number cannot be one of this metric's, or None."""
    if not math.isfinite(value):
        return f"{value:g} is not a finite number"
    if spec.kind == BOUNDED and not 0 <= value <= 1:
        return f"{value:g} is outside of 0 to 1, where a bounded metric lies"
    if spec.kind == POSITIVE and value < 0:
        return f"{value:g} is negative, which a positive metric never is"
    return None


def normalise(value: float, spec: MetricSettings) -> float:
    """Bring a number to 0 to 1 by its kind.

    Returns:
        Bounded: the number, within its bounds; positive: its share of the scale, at most 1;
        signed: the logistic of its share.
    """
    if spec.kind == BOUNDED:
        return min(max(value, 0.0), 1.0)
    share = value / spec.scale
    if spec.kind == POSITIVE:
        return min(max(share, 0.0), 1.0)
    if share >= 0:
        return 1 / (1 + math.exp(-share))
    power = math.exp(share)  # of a negative number, so that it cannot overflow
    return power / (1 + power)


def compose(spec: MetricSettings, parts: Sequence[tuple[MetricSettings, float]]) -> float:
    """Join the values of a composed metric's parts.

    Args:
        spec: the composed metric.
        parts: its parts with their values, once for each time that they are named.
    """
    bounded = spec.kind == BOUNDED
    values = [normalise(value, part) if bounded else value for part, value in parts]
    if spec.composition == "max":
        return max(values)
    if spec.composition == "min":
        return min(values)
    try:
        total = math.fsum(values)
    except OverflowError:  # no number of its kind either, as any infinite one
        return math.inf
    return min(total / len(values), 1.0) if bounded else total
