"""The calibration gate: a metric is advisory until its predictions have come true (pure).

What a metric is worth follows from its recorded calibrations of its version alone, so nothing else
can promote it and no other metric has a part in it.

Source: veegee82/loss-driven-development 0.14, define-metric and its tail rules.
"""

from collections.abc import Sequence

from skillwalker.datatypes.metrics import Calibration, GateState, MetricStanding
from skillwalker.metrics.registry import Registry
from skillwalker.settings import MetricSettings

MIN_SAMPLES = 5
"""Below this the mean error is noise."""
MAX_MEAN_ERROR = 0.15
MAX_P95_ERROR = 0.30
MAX_ERROR = 0.50
RECENT = 10
"""Samples by which a metric that was promoted is judged; one bad day is tolerated."""
_HUGE = 1e290
"""Errors beyond it count as it, so that no mean of them is infinite."""
_ROUNDING = 1e-9
"""Bounds are inclusive: 0.45 - 0.3 is not more than 0.15."""


def judge(errors: Sequence[float]) -> GateState:
    """Say what a metric is worth after its errors, in the order in which they came."""
    promoted = False
    for count in range(1, len(errors) + 1):
        if promoted:
            promoted = not _exceeds(_mean(errors[max(count - RECENT, 0) : count]), MAX_MEAN_ERROR)
        else:
            promoted = _gate(errors[:count]) is GateState.LOAD_BEARING
    if promoted:
        return GateState.LOAD_BEARING
    state = _gate(errors)
    return GateState.DRIFTING if state is GateState.LOAD_BEARING else state


def standing_of(
    name: str, registry: Registry, calibrations: Sequence[Calibration]
) -> MetricStanding:
    """Say what a metric is worth; a composed one needs that of all its parts as well.

    Raises:
        ConfigError: it is not declared.
    """
    spec = registry.get(name)
    errors = _errors(spec, calibrations)
    parts = dict.fromkeys(spec.parts)
    return MetricStanding(
        samples=len(errors),
        mean_error=_mean(errors) if errors else None,
        p95_error=_p95(errors) if errors else None,
        worst_error=max(errors, default=None),
        state=judge(errors),
        held_back_by=tuple(
            part for part in parts if not standing_of(part, registry, calibrations).load_bearing
        ),
    )


def _errors(spec: MetricSettings, calibrations: Sequence[Calibration]) -> list[float]:
    """Give the errors of a metric's version, in units of its scale."""
    return [
        min(abs(pair.predicted - pair.observed) / spec.scale, _HUGE)
        for pair in calibrations
        if (pair.metric, pair.version) == (spec.name, spec.version)
    ]


def _gate(errors: Sequence[float]) -> GateState:
    if len(errors) < MIN_SAMPLES:
        return GateState.INSUFFICIENT_DATA
    if _exceeds(max(errors), MAX_ERROR):
        return GateState.CATASTROPHIC_OUTLIER
    if _exceeds(_p95(errors), MAX_P95_ERROR):
        return GateState.TAIL_RISK_HIGH
    if _exceeds(max(_mean(errors), _mean(errors[-RECENT:])), MAX_MEAN_ERROR):
        return GateState.DRIFTING
    return GateState.LOAD_BEARING


def _exceeds(error: float, bound: float) -> bool:
    return error > bound + _ROUNDING


def _mean(errors: Sequence[float]) -> float:
    return sum(errors) / len(errors)


def _p95(errors: Sequence[float]) -> float:
    return sorted(errors)[min(len(errors) - 1, int(0.95 * len(errors)))]
