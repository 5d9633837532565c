"""Metrics of two texts laid side by side (pure)."""

from collections.abc import Sequence

from skillwalker.datatypes.metrics import MetricChange, TrackedMetric


def lay_beside(
    original: Sequence[TrackedMetric], best: Sequence[TrackedMetric] | None
) -> tuple[MetricChange, ...]:
    """Lay the metrics of the best text beside those of the original.

    Args:
        original: the metrics of the text that the run began with.
        best: those of the one that it chose; None where it chose no other.
    """
    after = {metric.name: metric for metric in best or ()}
    return tuple(_change(metric, after.get(metric.name)) for metric in original)


def _change(before: TrackedMetric, after: TrackedMetric | None) -> MetricChange:
    return MetricChange(
        name=before.name,
        original=before.value,
        best=None if after is None else after.value,
        unit=before.unit,
        load_bearing=before.load_bearing,
        direction=before.direction,
        built_in=before.built_in,
        version=before.version,
        original_error=before.error,
        best_error=None if after is None else after.error,
    )
