"""Tracked metrics in words, for every kind of report (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass

from skillwalker.datatypes.metrics import MetricChange
from skillwalker.datatypes.summary import Summary
from skillwalker.report.plain import one_line
from skillwalker.report.wording import NOT_MEASURED, percent

TITLE = "Tracked beside the rates, never averaged into them"
SHARE = "of the budget"
"""Unit of what is a fraction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """A metric in the words of a report."""

    name: str
    original: str
    best: str | None
    """None where the run chose no other text."""
    standing: str
    """Whether it may decide anything."""


def metric_rows(summary: Summary) -> tuple[MetricRow, ...]:
    """Write the metrics of a run; those of which nothing is known are left out."""
    has_other = summary.best_iteration != 1
    return tuple(
        MetricRow(
            name=one_line(f"{one.name} ({one.unit})" if one.unit else one.name),
            original=_value(one.original, one),
            best=_value(one.best, one) if has_other else None,
            standing=_standing(one),
        )
        for one in summary.metrics
        if not one.built_in or one.original is not None or one.best is not None
    )


def has_standing(summary: Summary) -> bool:
    """Whether any metric of a run has a standing: those that are built in have none."""
    return any(row.standing for row in metric_rows(summary))


def metric_notes(summary: Summary) -> Iterator[str]:
    """Say which metrics could not be measured, and what one of them forbids."""
    for one in summary.metrics:
        for text, error in (("original", one.original_error), ("best text", one.best_error)):
            if error is not None:
                yield f"metric {one.name} could not be measured for the {text}: {error}"
    if summary.metrics_forbid is not None and not summary.applied:
        yield f"the best text is not written by itself: {summary.metrics_forbid}"


def _value(value: float | None, metric: MetricChange) -> str:
    if value is None:
        return NOT_MEASURED
    if metric.unit == SHARE:
        return percent(value) if value >= 0.01 else "under 1 %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _standing(metric: MetricChange) -> str:
    if metric.built_in:
        return ""
    return "load-bearing" if metric.load_bearing else "advisory"
