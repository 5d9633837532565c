"""METRIC lines: numbers that a program prints among other things (pure).

A line is `METRIC name=value` and nothing else: no space before it or around the `=`. Names are of
ASCII letters, digits, `_`, dots and the micro sign; a value is a finite decimal number. Everything
else is ignored, as are numbers in other bases, which the grammar does not mention.

Source: the metric-extraction skill of pbdeuchler/llm-plugins, and the engine that it mirrors.
"""

import math
import re
from collections.abc import Sequence

from skillwalker.datatypes.metrics import Extraction, MetricValue

MICRO, MU = "\u00b5", "\u03bc"
"""The micro sign of the grammar, and the Greek letter that looks the same and is read as it."""
UNITS = (
    (f"{MICRO}s", f"{MICRO}s"),
    ("_ms", "ms"),
    ("_s", "s"),
    ("_sec", "s"),
    ("_kb", "kb"),
    ("_mb", "mb"),
)
"""Endings of names and the units they mean; the first that fits."""
REFUSED = frozenset({"__proto__", "constructor", "prototype"})
"""Names that would harm a reader of our records that is written in JavaScript."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_METRIC = re.compile(rf"METRIC[ \t]+([A-Za-z0-9_.{MICRO}]+)=(\S+)[ \t]*")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def normal_name(name: str) -> str:
    """Write a metric's name with the micro sign of the grammar."""
    return name.replace(MU, MICRO)


def infer_unit(name: str) -> str | None:
    """Tell a unit from the end of a name; None for a number without one."""
    return next((unit for ending, unit in UNITS if normal_name(name).endswith(ending)), None)


def read_metric_lines(text: str) -> tuple[MetricValue, ...]:
    """Read every METRIC line of an output.

    Returns:
        One of each name, in order of first appearance, with its last value.
    """
    values: dict[str, float] = {}
    for line in _LINE_END.split(text):
        match = _METRIC.fullmatch(normal_name(line))
        value = _number(match[2]) if match else None
        if match and value is not None and match[1] not in REFUSED:
            values[match[1]] = value
    return tuple(
        MetricValue(name=name, value=value, unit=infer_unit(name)) for name, value in values.items()
    )


def choose_primary(measured: Sequence[MetricValue], primary: str | None) -> Extraction:
    """Tell the primary metric from the others; without a name, all are secondary."""
    wanted = None if primary is None else normal_name(primary)
    return Extraction(
        primary=next((metric for metric in measured if metric.name == wanted), None),
        secondaries=tuple(metric for metric in measured if metric.name != wanted),
    )


def tidy(value: float) -> float:
    """Give a number without the sign of a zero."""
    return value + 0.0


def _number(token: str) -> float | None:
    if not _NUMBER.fullmatch(token):
        return None
    value = float(token)
    return tidy(value) if math.isfinite(value) else None
