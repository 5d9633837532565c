"""The files under metrics/: appended to, torn, newer, unreadable; what is remembered over runs."""

import json
from pathlib import Path

import pytest

from skillwalker.datatypes.metrics import Direction, Goal, HistoryEntry, MetricValue
from skillwalker.errors import StoreError
from skillwalker.metrics.history import CALIBRATIONS, HISTORY, Row, append_row, read_rows
from skillwalker.metrics.rows import (
    history_row,
    known_secondaries,
    plain_number,
    read_calibrations,
    read_history,
    with_known,
)
from tests.project_files import full_disk
from tests.projects import write


def written(project: Path) -> bytes:
    return (project / "metrics" / HISTORY).read_bytes()


def test_lines_are_appended_and_read_back(tmp_path: Path) -> None:
    assert read_rows(tmp_path, HISTORY).rows == ()
    append_row(tmp_path, HISTORY, {"a": "größe \ud800"})
    append_row(tmp_path, HISTORY, {"b": 2})
    assert written(tmp_path).count(b"\n") == 2
    rows = read_rows(tmp_path, HISTORY)
    assert rows.rows == (
        {"schema_version": 1, "a": "größe ?"},
        {"schema_version": 1, "b": 2},
    )
    assert rows.left_out == ()


@pytest.mark.parametrize(
    ("content", "kept", "torn"),
    [
        pytest.param('{"schema_version":1,"a":1}\n{"schema_ver', 1, [2], id="the last line"),
        pytest.param('{"schema\n\n{"schema_version":1}\n', 1, [1], id="a line before others"),
        pytest.param("[1]\n\udcff\n", 0, [1, 2], id="no object, no text"),
        pytest.param('{"schema_version":1}\r\n', 1, [], id="CRLF"),
    ],
)
def test_a_torn_line_is_left_out_and_named(
    tmp_path: Path, content: str, kept: int, torn: list[int]
) -> None:
    write(tmp_path / "metrics" / HISTORY, content.encode("utf-8", "surrogateescape"))
    rows = read_rows(tmp_path, HISTORY)
    assert len(rows.rows) == kept
    assert rows.left_out == tuple(
        f"metrics/history.jsonl: line {number} is torn and was left out; remove it"
        for number in torn
    )


def test_a_torn_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    write(tmp_path / "metrics" / HISTORY, '{"torn')
    append_row(tmp_path, HISTORY, {"a": 1})
    rows = read_rows(tmp_path, HISTORY)
    assert (len(rows.rows), len(rows.left_out)) == (1, 1)
    assert written(tmp_path).startswith(b'{"torn\n{')


@pytest.mark.parametrize("version", ["2", '"1"', "null"])
def test_a_newer_schema_is_refused_by_name(tmp_path: Path, version: str) -> None:
    write(tmp_path / "metrics" / HISTORY, f'{{"schema_version":{version}}}\n')
    with pytest.raises(StoreError, match=r"history\.jsonl: line 1 has schema_version .* reads 1"):
        read_rows(tmp_path, HISTORY)


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "metrics" / HISTORY).mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be read"):
        read_rows(tmp_path, HISTORY)
    with pytest.raises(StoreError, match="cannot be written"):
        append_row(tmp_path, HISTORY, {})
    with full_disk(0), pytest.raises(StoreError, match="disk not full"):
        append_row(tmp_path, CALIBRATIONS, {"a": 1})


def entry(
    *secondaries: MetricValue, name: str | None = "a", value: float | None = 1
) -> HistoryEntry:
    return HistoryEntry(
        timestamp="2026-01-06T10:30:00Z",
        iteration=5,
        name=name,
        value=value,
        success=True,
        goal=Goal(value=80, direction=Direction.DECREASE),
        goal_achieved=False,
        runs=3,
        error=None,
        secondaries=secondaries,
    )


def test_a_run_is_written_with_its_keys_and_read_back() -> None:
    first = entry(MetricValue(name="m", value=2.5), MetricValue(name="t_ms", value=None, unit="ms"))
    row = history_row(first)
    assert row == {
        "timestamp": "2026-01-06T10:30:00Z",
        "iteration": 5,
        "metric_name": "a",
        "metric_value": 1,
        "success": True,
        "goal": 80,
        "direction": "decrease",
        "goal_achieved": False,
        "runs": 3,
        "error": None,
        "metrics": {"m": 2.5, "t_ms": None},
        "units": {"m": None, "t_ms": "ms"},
    }
    assert read_history([json.loads(json.dumps(row))]) == (first,)


def test_rows_of_other_tools_and_broken_ones_are_read_as_far_as_they_go() -> None:
    broken: Row = {"metric_value": "x", "goal": True, "metrics": 3, "units": []}
    rows: list[Row] = [{"metric": 85}, {}, broken]
    assert [found.value for found in read_history(rows)] == [85, None, None]
    half = {"metric": "a", "version": 1, "predicted": 0.3}
    assert read_calibrations([half, {}, {**half, "observed": float("nan")}]) == ()
    assert read_calibrations([{**half, "observed": 10**400}]) == ()
    assert len(read_calibrations([{**half, "observed": 1}])) == 1


def test_secondaries_are_remembered_over_runs_of_one_metric() -> None:
    m, n = MetricValue(name="m", value=1), MetricValue(name="n_ms", value=2, unit="ms")
    new = MetricValue(name="new", value=3)
    past = (entry(m), entry(n, MetricValue(name="m", value=None)), entry(new, name="other"))
    known = known_secondaries(past, "a")
    assert known == (m, n)
    now = MetricValue(name="n_ms", value=9, unit="ms")
    assert with_known((new, now), known) == (MetricValue(name="m", value=None), now, new)


@pytest.mark.parametrize(
    ("value", "written"),
    [(14600.0, "14600"), (0.5, "0.5"), (1e300, "1e+300"), (-3.0, "-3"), (None, "null")],
)
def test_whole_numbers_stay_whole(value: float | None, written: str) -> None:
    assert json.dumps(plain_number(value)) == written
