"""Figures and comparisons as JSON objects."""

import dataclasses
from datetime import date
from enum import Enum

from skillwalker.datatypes.comparison import ComparedRun, Comparison
from skillwalker.datatypes.statistics import Statistics
from skillwalker.recording.records import SCHEMA_VERSION

_COUNTS = frozenset({"read", "verdicts", "stopped_because", "reasons", "case_statuses"})
"""Fields of pairs of a word and a number."""
_KEYS = {
    "unreadable": ("run_id", "reason"),
    "copies": ("folder", "run_id"),
    "expectations": ("type", "status", "number"),
}
"""Fields of tuples whose places have names."""


def statistics_record(figures: Statistics) -> dict[str, object]:
    """Make the JSON object of `stats`."""
    record = _plain(figures)
    if not isinstance(record, dict):
        raise TypeError("figures are a record")
    return {"schema_version": SCHEMA_VERSION, **record}


def comparison_record(comparison: Comparison) -> dict[str, object]:
    """Make the JSON object of `diff`."""
    return {
        "schema_version": SCHEMA_VERSION,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "differences": list(comparison.differences),
        "models": _plain(comparison.models),
        "left_out": _plain(comparison.left_out),
    }


def _side(run: ComparedRun) -> dict[str, object]:
    """Tell what one side is; its cases stand in the pairs."""
    left = {"asked", "outcomes", "siblings", "taken"}
    names = (field.name for field in dataclasses.fields(run) if field.name not in left)
    tallies = run.outcomes.values()
    return {name: _plain(getattr(run, name)) for name in names} | {
        "trials": sum(tally.decided + tally.undecided for tally in tallies),
        "undecided": sum(tally.undecided for tally in tallies),
    }


def _plain(value: object) -> object:
    """Write a value in JSON's own kinds."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name: _field(name, getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value


def _field(name: str, value: object) -> object:
    """Write a field; what is a table on paper is no list of lists."""
    if isinstance(value, tuple) and name in _COUNTS:
        return dict(value)
    if isinstance(value, tuple) and name in _KEYS:
        return [dict(zip(_KEYS[name], row, strict=True)) for row in value]
    return _plain(value)
