"""The JSON object by which a verification command says how it went (pure).

`{"success": true, "metric_value": 42, "metric_name": "latency", "unit": "ms"}`; every key but one
of the first two may be left out, `metric` stands for `metric_value`, and without `success` a
number means success. Plain text and a bare number are failures.

Source: the metric-runner skill of ponderingBGI/ralph-loop-pp.
"""

import json
import math
from collections.abc import Mapping

from skillwalker.datatypes.metrics import CommandRun
from skillwalker.faults import shown
from skillwalker.metrics.extract import infer_unit, normal_name, tidy

_VALUE_KEYS = ("metric_value", "metric")


def find_json_result(text: str) -> tuple[Mapping[str, object], str] | None:
    """Find the result in an output: the whole of it, else its last line that is an object.

    Returns:
        The object and where it stood; None when there is none.
    """
    whole = _read_object(text)
    if whole is not None:
        return whole, "stdout"
    for line in reversed(text.splitlines()):
        if line.strip().startswith("{"):
            found = _read_object(line)
            if found is not None:
                return found, "last JSON line"
    return None


def read_json_result(result: Mapping[str, object], read_from: str) -> CommandRun:
    """Read what a command said; an object that says nothing clear is a failure."""
    value, fault = _value_of(result)
    success = result.get("success", value is not None)
    if fault is None and not isinstance(success, bool):
        fault = f'"success" must be true or false, not {shown(success)}'
    if fault is None and "success" not in result and value is None:
        fault = 'the JSON has neither "success" nor "metric_value"'
    name = _text(result, "metric_name")
    succeeded = success is True and fault is None
    error = _text(result, "error") or _text(result, "reason")
    return CommandRun(
        success=succeeded,
        value=value if fault is None else None,
        name=None if name is None else normal_name(name),
        unit=_text(result, "unit") or (infer_unit(name) if name is not None else None),
        error=None if succeeded else fault or error or "the command reported a failure",
        read_from=read_from,
    )


def _value_of(result: Mapping[str, object]) -> tuple[float | None, str | None]:
    """Give the number of a result, or what is wrong with it."""
    key = next((key for key in _VALUE_KEYS if result.get(key) is not None), None)
    if key is None:
        return None, None
    value = result[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None, f'"{key}" must be a number, not {shown(value)}'
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        return None, f'"{key}" must be a finite number, not {shown(value)}'
    return tidy(number), None


def _text(result: Mapping[str, object], key: str) -> str | None:
    value = result.get(key)
    return value if isinstance(value, str) and value.strip() else None


def _read_object(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _whole(digits: str) -> float:
    """Read a whole number of any length; Python refuses thousands of digits as an int."""
    return float(digits)
