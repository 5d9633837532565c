import fcntl
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, nan
from pathlib import Path

import pytest

from skillwalker.errors import StoreError
from skillwalker.recording.rows import (
    RowFiles,
    clear_unfinished,
    read_each,
    read_row,
    read_rows,
    write_atomically,
)

NAME = "trials.jsonl"
MOST = 4096


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as on a full disk: a write takes what fits, then fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_fails_is_told_once_and_leaves_whole_lines(tmp_path: Path) -> None:
    files = RowFiles(tmp_path)
    files.append(NAME, {"number": 1})
    with files_end_at(MOST):
        with pytest.raises(StoreError, match=r"cannot write .*trials\.jsonl: .*File too large"):
            files.append(NAME, {"text": "x" * 2 * MOST})
        files.close()  # must not try the rest again
    assert [*read_rows(tmp_path / NAME)] == [{"number": 1}]


def test_after_a_failed_write_the_next_line_is_whole(tmp_path: Path) -> None:
    files = RowFiles(tmp_path)
    files.append(NAME, {"number": 1})
    with files_end_at(MOST), pytest.raises(StoreError):
        files.append(NAME, {"text": "x" * 2 * MOST})
    files.append(NAME, {"number": 2})
    files.close()
    assert [*read_rows(tmp_path / NAME)] == [{"number": 1}, {"number": 2}]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    files = RowFiles(tmp_path)
    files.append(NAME, {"number": 1})
    with files_end_at(MOST):
        with pytest.raises(StoreError):
            files.append(NAME, {"text": "x" * 2 * MOST})
        with pytest.raises(StoreError):
            files.replace(NAME, [{"text": "x" * 2 * MOST}])
        files.close()
    assert [*read_rows(tmp_path / NAME)] == [{"number": 1}]
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_pipe_is_no_recorded_file(tmp_path: Path) -> None:
    pipe = tmp_path / NAME
    os.mkfifo(pipe)
    with pytest.raises(StoreError, match="not a regular file"):
        [*read_rows(pipe)]
    with pytest.raises(StoreError, match="not a regular file"):
        read_row(pipe)
    with pytest.raises(StoreError, match="not a regular file"):
        RowFiles(tmp_path).append(NAME, {})


def test_a_record_that_is_refused_is_named_by_its_line(tmp_path: Path) -> None:
    def read(row: dict[str, object]) -> object:
        if row["number"] == 2:
            raise StoreError("number: too many")
        return row["number"]

    path = tmp_path / NAME
    path.write_text('{"number": 1}\n{"number": 2}\n')
    rows = read_each(path, read)
    assert next(rows) == 1
    with pytest.raises(StoreError, match=r"trials\.jsonl, line 2: number: too many"):
        next(rows)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\xff\xfe{\x00}\x00\n", "not JSON .*utf-8"),
        (b'{"cost_usd": NaN}\n', "NaN is no number"),
        (b'{"cost_usd": -Infinity}\n', "-Infinity is no number"),
        (b'{"cost_usd": 1e999}\n', "1e999 is no number"),
        (b"[" * 100_000 + b"\n", "not JSON"),
    ],
    ids=["utf-16", "nan", "infinity", "too large", "deep"],
)
def test_a_line_that_is_no_json_is_named(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / NAME
    path.write_bytes(b"{}\n" + line)
    with pytest.raises(StoreError, match=f"line 2: .*{reason}"):
        [*read_rows(path)]


@pytest.mark.parametrize("value", [inf, -inf, nan], ids=str)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, value: float) -> None:
    files = RowFiles(tmp_path)
    files.append(NAME, {"number": 1})
    files.write("run.json", {"number": 1})
    for write in (files.append, files.write):
        for name in (NAME, "run.json"):
            with pytest.raises(StoreError, match="cannot be written as JSON"):
                write(name, {"settings": {"timeout": value}})
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        files.replace(NAME, [{"number": 2}, {"number": value}])
    files.append(NAME, {"number": 2})
    files.close()
    assert [*read_rows(tmp_path / NAME)] == [{"number": 1}, {"number": 2}]
    assert read_row(tmp_path / "run.json") == {"number": 1}


def test_what_is_appended_to_a_replaced_file_stands_in_the_new_one(tmp_path: Path) -> None:
    files = RowFiles(tmp_path)
    files.append(NAME, {"number": 1})
    files.replace(NAME, [{"number": 2}])
    files.append(NAME, {"number": 3})
    files.close()
    assert [*read_rows(tmp_path / NAME)] == [{"number": 2}, {"number": 3}]


def test_what_a_killed_writer_left_of_a_file_is_cleared_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".run.json.4194304.tmp"
    other = tmp_path / ".scil-summary.json.4194304.tmp"
    mine = tmp_path / ".notes.tmp.json"
    for path in (left, other, mine):
        path.write_bytes(b"half")
    write_atomically(tmp_path / "run.json", b"{}")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".notes.tmp.json",
        ".scil-summary.json.4194304.tmp",
        "run.json",
    ]
    clear_unfinished(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".notes.tmp.json", "run.json"]
    clear_unfinished(tmp_path / "nowhere")


def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    busy = tmp_path / ".run.json.1.tmp"
    with busy.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        clear_unfinished(tmp_path)
        assert busy.exists()
    clear_unfinished(tmp_path)
    assert not busy.exists()
