"""Whether metrics allow a description to be written (pure)."""

from collections.abc import Sequence

from skillwalker.datatypes.metrics import Direction, Goal, TrackedMetric
from skillwalker.faults import quoted


def gates_apply(original: Sequence[TrackedMetric], best: Sequence[TrackedMetric]) -> str | None:
    """Say why a best description is not to be written, in one line; None when nothing forbids it.

    Only a load-bearing metric with a direction can forbid anything: when it is worse than under
    the original, or could not be measured, for nobody knows then.

    Args:
        original: the metrics of the description that the file holds.
        best: those of the one that would be written.
    """
    after = {metric.name: metric for metric in best}
    reasons = [
        reason
        for metric in original
        if metric.load_bearing and metric.direction is not None
        for reason in (_reason(metric, after.get(metric.name)),)
        if reason is not None
    ]
    return "; ".join(reasons) or None


def _reason(before: TrackedMetric, after: TrackedMetric | None) -> str | None:
    name = f"the load-bearing metric {quoted(before.name)}"
    if after is None or after.value is None:
        why = after.error if after is not None else "it was not tracked"
        return f"{name} could not be measured with the new text ({why})"
    if before.value is None or before.direction is None:
        return None
    if Goal(value=before.value, direction=before.direction).is_met_by(after.value):
        return None
    unit = f" {before.unit}" if before.unit else ""
    better = "less" if before.direction is Direction.DECREASE else "more"
    return f"{name} got worse: {before.value:g} to {after.value:g}{unit}, and {better} is better"
