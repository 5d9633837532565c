"""The JSON by which a command says how it went, by the rules of the metric runner."""

import math

import pytest

from skillwalker.metrics.json_result import find_json_result, read_json_result

Row = tuple[bool, float | None, str | None]


def read(text: str) -> Row | None:
    found = find_json_result(text)
    if found is None:
        return None
    run = read_json_result(*found)
    return run.success, run.value, run.error


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ('{"success": true, "metric_value": 42, "unit": "ms"}', (True, 42, None)),
        ('{"success": true, "metric_name": "latency", "metric_value": 42}', (True, 42, None)),
        ('{"success": false, "error": "Connection refused"}', (False, None, "Connection refused")),
        ('{"success": true, "reason": "All 10 runs passed"}', (True, None, None)),
        ('{"success": true}', (True, None, None)),
        ('{"success": false}', (False, None, "the command reported a failure")),
        ('{"success": false, "reason": "slow"}', (False, None, "slow")),
        ('{"metric_value": 42}', (True, 42, None)),
        ('{"metric": 42}', (True, 42, None)),
        ('{"metric_value": null, "metric": 7}', (True, 7, None)),
        ('{"success": true, "metric_value": 0}', (True, 0, None)),
        ('{"success": true, "metric_value": -3.5}', (True, -3.5, None)),
        ('{"success": false, "metric_value": 3}', (False, 3, "the command reported a failure")),
        ('{"success": true, "metric_value": null}', (True, None, None)),
        ("Error: something went wrong", None),
        ("42", None),
        ("[1]", None),
        ('"text"', None),
        ("", None),
        ("[" * 100_000, None),
        ('{"a": ' * 100_000, None),
    ],
)
def test_results_are_read(text: str, row: Row | None) -> None:
    assert read(text) == row


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"success": "true"}', '"success" must be true or false, not "true"'),
        ('{"success": 1, "metric_value": 2}', '"success" must be true or false, not 1'),
        ('{"metric_value": "42"}', '"metric_value" must be a number, not "42"'),
        ('{"metric_value": true}', '"metric_value" must be a number, not true'),
        ('{"metric_value": NaN}', '"metric_value" must be a finite number, not nan'),
        ('{"metric_value": -Infinity}', '"metric_value" must be a finite number, not -inf'),
        ('{"metric": 1e999}', '"metric" must be a finite number, not inf'),
        ('{"metric": ' + "9" * 5000 + "}", '"metric" must be a finite number, not inf'),
        ("{}", 'the JSON has neither "success" nor "metric_value"'),
        ('{"metric_value": null}', 'the JSON has neither "success" nor "metric_value"'),
    ],
)
def test_what_is_unclear_is_a_failure_in_words(text: str, error: str) -> None:
    assert read(text) == (False, None, error)


def test_a_negative_zero_is_zero() -> None:
    run = read_json_result({"metric_value": -0.0}, "stdout")
    assert math.copysign(1, run.value or 0.0) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "metric_value": 1\n}\n', "stdout"),
        ('warning\n{"metric_value": 2}\n{"metric_value": 1}', "last JSON line"),
        ('{"metric_value": 1}\r\nbye {\r\n{torn', "last JSON line"),
    ],
)
def test_the_last_json_line_counts_where_there_is_more(text: str, place: str) -> None:
    found = find_json_result(text)
    assert found is not None
    assert (found[0], found[1]) == ({"metric_value": 1}, place)


def test_name_and_unit_are_kept_and_a_unit_is_inferred() -> None:
    run = read_json_result({"metric": 1, "metric_name": "total_\u03bcs"}, "stdout")
    assert (run.name, run.unit) == ("total_\u00b5s", "\u00b5s")
    assert read_json_result({"metric": 1, "unit": "km"}, "stdout").unit == "km"
    assert read_json_result({"metric": 1, "unit": 3}, "stdout").unit is None
