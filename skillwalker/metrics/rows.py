"""Records of metrics and their lines on disk: one place knows the keys, both ways (pure).

Numbers may stand under `metric_value` or `metric`, as the tools that keep such files write them;
`metric_value` is what is written.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from skillwalker.datatypes.metrics import (
    Calibration,
    Direction,
    Goal,
    HistoryEntry,
    MetricChange,
    MetricValue,
    TrackedMetric,
)
from skillwalker.metrics.history import Row
from skillwalker.metrics.registry import fingerprint
from skillwalker.settings import MetricSettings

_EXACT = 2**53
"""Up to here every whole number is a float of its own."""


def plain_number(value: float | None) -> float | int | None:
    """Write a whole number without a fraction, as it was printed."""
    if value is not None and float(value).is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def history_row(entry: HistoryEntry) -> Row:
    """Make a line of history.jsonl."""
    return {
        "timestamp": entry.timestamp,
        "iteration": entry.iteration,
        "metric_name": entry.name,
        "metric_value": plain_number(entry.value),
        "success": entry.success,
        "goal": None if entry.goal is None else plain_number(entry.goal.value),
        "direction": None if entry.goal is None else entry.goal.direction,
        "goal_achieved": entry.goal_achieved,
        "runs": entry.runs,
        "error": entry.error,
        "metrics": {metric.name: plain_number(metric.value) for metric in entry.secondaries},
        "units": {metric.name: metric.unit for metric in entry.secondaries},
    }


def read_history(rows: Iterable[Row]) -> tuple[HistoryEntry, ...]:
    """Read the lines of history.jsonl; what a line lacks is unknown."""
    return tuple(_entry(row) for row in rows)


def known_secondaries(entries: Iterable[HistoryEntry], name: str | None) -> tuple[MetricValue, ...]:
    """Give the secondary metrics that runs of a metric ever had, in order of first appearance."""
    found: dict[str, MetricValue] = {}
    for entry in entries:
        for metric in entry.secondaries if entry.name == name else ():
            known = found.get(metric.name)
            if known is None or metric.value is not None:
                found[metric.name] = metric
    return tuple(found.values())


def with_known(
    measured: Iterable[MetricValue], known: Iterable[MetricValue]
) -> tuple[MetricValue, ...]:
    """Give the known secondaries first, those that this run lacks without a value, then new."""
    new = {metric.name: metric for metric in measured}
    old = [new.pop(m.name, MetricValue(name=m.name, value=None, unit=m.unit)) for m in known]
    return (*old, *new.values())


def calibration_row(pair: Calibration, at: datetime) -> Row:
    """Make a line of calibrations.jsonl."""
    return {
        "timestamp": stamp(at),
        "metric": pair.metric,
        "version": pair.version,
        "predicted": pair.predicted,
        "observed": pair.observed,
    }


def read_calibrations(rows: Iterable[Row]) -> tuple[Calibration, ...]:
    """Read the lines of calibrations.jsonl; one without its numbers is none."""
    return tuple(_calibrations(rows))


def registration_row(spec: MetricSettings, at: datetime) -> Row:
    """Make a line of registry.jsonl."""
    return {
        "timestamp": stamp(at),
        "metric": spec.name,
        "version": spec.version,
        "fingerprint": fingerprint(spec),
        "kind": spec.kind,
        "unit": spec.unit,
        "description": spec.description,
    }


def read_registered(rows: Iterable[Row]) -> dict[str, tuple[int, str]]:
    """Give version and fingerprint of each metric as it was registered last."""
    found = {}
    for row in rows:
        name, version, meaning = row.get("metric"), row.get("version"), row.get("fingerprint")
        if isinstance(name, str) and isinstance(version, int) and isinstance(meaning, str):
            found[name] = (version, meaning)
    return found


def tracked_row(metric: TrackedMetric) -> dict[str, object]:
    """Write a tracked metric for a run's records."""
    return {
        "name": metric.name,
        "value": plain_number(metric.value),
        "unit": metric.unit,
        "version": metric.version,
        "direction": metric.direction,
        "load_bearing": metric.load_bearing,
        "built_in": metric.built_in,
        "error": metric.error,
    }


def change_record(change: MetricChange) -> dict[str, object]:
    """Write a metric of both texts for a run's summary, under its name."""
    record = dataclasses.asdict(change)
    del record["name"]
    return record | {side: plain_number(record[side]) for side in ("original", "best")}


def read_tracked(rows: object) -> tuple[TrackedMetric, ...]:
    """Read what `tracked_row` wrote; what a row lacks is unknown."""
    listed = rows if isinstance(rows, list) else []
    return tuple(_tracked(row) for row in listed if isinstance(row, Mapping))


def stamp(at: datetime) -> str:
    """Write a moment in UTC: 2026-10-05T07:30:00Z."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _tracked(row: Row) -> TrackedMetric:
    direction = _text(row, "direction")
    return TrackedMetric(
        name=_text(row, "name") or "",
        value=_number(row, "value"),
        unit=_text(row, "unit"),
        version=int(_number(row, "version") or 0),
        direction=next((known for known in Direction if known == direction), None),
        load_bearing=row.get("load_bearing") is True,
        built_in=row.get("built_in") is True,
        error=_text(row, "error"),
    )


def _entry(row: Row) -> HistoryEntry:
    units = row.get("units")
    named = units if isinstance(units, Mapping) else {}
    metrics = row.get("metrics")
    numbers: Mapping[str, object] = metrics if isinstance(metrics, Mapping) else {}
    value = _number(row, "metric_value")
    return HistoryEntry(
        timestamp=_text(row, "timestamp") or "",
        iteration=int(_number(row, "iteration") or 0),
        name=_text(row, "metric_name"),
        value=value if value is not None else _number(row, "metric"),
        success=row.get("success") is True,
        goal=_goal(row),
        goal_achieved=_flag(row, "goal_achieved"),
        runs=int(_number(row, "runs") or 0),
        error=_text(row, "error"),
        secondaries=tuple(
            MetricValue(name=name, value=_number(numbers, name), unit=_text(named, name))
            for name in numbers
        ),
    )


def _goal(row: Row) -> Goal | None:
    value, direction = _number(row, "goal"), _text(row, "direction")
    if value is None or direction is None or direction not in {*Direction}:
        return None
    return Goal(value=value, direction=Direction(direction))


def _calibrations(rows: Iterable[Row]) -> Iterator[Calibration]:
    for row in rows:
        name, version = row.get("metric"), row.get("version")
        predicted, observed = _number(row, "predicted"), _number(row, "observed")
        if predicted is None or observed is None:
            continue
        if isinstance(name, str) and isinstance(version, int):
            yield Calibration(metric=name, version=version, predicted=predicted, observed=observed)


def _number(row: Row, key: str) -> float | None:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _text(row: Row, key: str) -> str | None:
    value = row.get(key)
    return value if isinstance(value, str) else None


def _flag(row: Row, key: str) -> bool | None:
    value = row.get(key)
    return value if isinstance(value, bool) else None
