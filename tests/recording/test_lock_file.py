import json
import os
import subprocess
import sys
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from skillwalker.datatypes.lock_entries import AppliedChange, EntryKey, LockEntry, Rejected
from skillwalker.datatypes.scores import Rate, Rates
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import StoreError
from skillwalker.recording.lock_file import LOCK_FILE, merge_entries, read_lock

RATE = Rate(k=9, n=12, rate=0.75, low=0.5, high=0.9)
RATES = Rates(accuracy=RATE, recall=RATE, specificity=RATE, balanced=RATE)
WRITE_TEN = """
import sys
from pathlib import Path
from skillwalker.recording.lock_file import merge_entries
from tests.recording.test_lock_file import entry_of
for number in range(10):
    one = entry_of(f"{sys.argv[2]}-{number}")
    merge_entries(Path(sys.argv[1]), lambda _old: {one.key: one})
"""


def key_of(path: str = "plugins/demo/skills/x/SKILL.md", *, simulated: bool = False) -> EntryKey:
    return EntryKey(path=path, suite="review", simulated=simulated)


def entry_of(path: str = "plugins/demo/skills/x/SKILL.md", *, simulated: bool = False) -> LockEntry:
    return LockEntry(
        key=key_of(path, simulated=simulated),
        kind=TargetKind.SKILL,
        target="demo:x",
        engine="docker",
        candidate="0123456789abcdef",
        fingerprint="f" * 16,
        rates=RATES,
        run_id="20261130T120000",
        looks=2,
        tuned="f" * 16,
        rejected=Rejected(description="Größer – 日本語", p_better=0.7, run_id="20261130T120000"),
        applied=AppliedChange(run_id="20261129T120000", replaced="old", description="new"),
    )


def put(project: Path, entry: LockEntry) -> None:
    merge_entries(project, lambda _old: {entry.key: entry})


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    put(tmp_path, entry_of())
    assert read_lock(tmp_path) == {key_of(): entry_of()}


def test_no_file_remembers_nothing(tmp_path: Path) -> None:
    assert read_lock(tmp_path) == {}


def test_a_simulated_entry_stands_beside_the_real_one(tmp_path: Path) -> None:
    put(tmp_path, entry_of())
    put(tmp_path, replace(entry_of(simulated=True), looks=9))
    entries = read_lock(tmp_path)
    assert entries[key_of()].looks == 2
    assert entries[key_of(simulated=True)].looks == 9


def test_entries_are_sorted_and_an_unchanged_file_is_not_written(tmp_path: Path) -> None:
    for path in ("b", "c", "a"):
        put(tmp_path, entry_of(path))
    file = tmp_path / LOCK_FILE
    rows = json.loads(file.read_bytes())["targets"]
    assert [row["path"] for row in rows] == ["a", "b", "c"]
    before = file.stat()
    put(tmp_path, entry_of("b"))
    assert file.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "cannot be read"),
        (b"[]", "no JSON object"),
        (b'{"schema_version": 1}', '"targets" is missing'),
        (b'{"schema_version": 1, "targets": 5}', '"targets" must be a list, not 5'),
        (b'{"schema_version": 1, "targets": {}}', '"targets" must be a list'),
        (b'{"schema_version": 1, "targets": [7]}', r'"targets\[0\]" must be an object, not 7'),
        (b'{"schema_version": 1, "targets": [{}]}', r'"targets\[0\].path" is missing'),
        (
            b'{"schema_version": 1, "targets": [{"path": 5, "suite": "s", "simulated": 0}]}',
            r'"targets\[0\].path": Input should be a valid string',
        ),
        (
            b'{"schema_version": 1, "targets": [{"path": "x", "suite": "s", "simulated": 0}]}',
            "cannot be read",
        ),
        (b"<<<<<<< ours", "git conflict markers"),
        (b'{"schema_version": 9, "targets": []}', "schema_version 9"),
        (b'{"schema_version": 1, "targets": [], "x": NaN}', "NaN is no number"),
        (b'{"schema_version": 1, "targets": [], "x": -Infinity}', "-Infinity is no number"),
        (b'{"schema_version": 1, "targets": [], "x": 1e999}', "1e999 is no number"),
        (b"\xff\xfe", "cannot be read"),
    ],
    ids=[
        "cut",
        "a list",
        "no targets",
        "targets a number",
        "targets an object",
        "an entry a number",
        "no key",
        "a key of another type",
        "half an entry",
        "conflict",
        "newer",
        "nan",
        "infinity",
        "too large",
        "bytes",
    ],
)
def test_a_broken_file_is_refused_and_stays_as_it_is(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / LOCK_FILE
    file.write_bytes(content)
    with pytest.raises(StoreError, match=said):
        put(tmp_path, entry_of())
    assert file.read_bytes() == content


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITE_TEN, str(tmp_path), name],
            cwd=root,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(root)},
        )
        for name in ("one", "two", "three")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(read_lock(tmp_path)) == 30


def test_git_conflict_markers_are_called_by_their_name(tmp_path: Path) -> None:
    put(tmp_path, entry_of())
    path = tmp_path / LOCK_FILE
    ours = path.read_text()
    path.write_text(f"<<<<<<< HEAD\n{ours}=======\n{ours}>>>>>>> other\n")
    with pytest.raises(StoreError, match=r"git conflict markers; resolve them \(each entry"):
        read_lock(tmp_path)
    path.write_text("{")
    with pytest.raises(StoreError, match="restore it from git"):
        read_lock(tmp_path)


def test_a_file_that_its_owner_made_read_only_is_not_replaced(tmp_path: Path) -> None:
    put(tmp_path, entry_of())
    path = tmp_path / LOCK_FILE
    path.chmod(0o444)
    before = path.read_bytes()
    put(tmp_path, entry_of())  # nothing to write is no fault
    with pytest.raises(StoreError, match="read-only"):
        put(tmp_path, replace(entry_of(), looks=9))
    assert path.read_bytes() == before


def test_where_nothing_changes_no_file_is_made(tmp_path: Path) -> None:
    merge_entries(tmp_path, lambda _entries: {})
    assert not (tmp_path / LOCK_FILE).exists()


@pytest.mark.parametrize("value", [inf, nan], ids=str)
def test_a_number_that_is_none_is_not_written(tmp_path: Path, value: float) -> None:
    put(tmp_path, entry_of())
    before = (tmp_path / LOCK_FILE).read_bytes()
    rate = replace(RATE, rate=value)
    with pytest.raises(StoreError, match="cannot be written as JSON"):
        put(tmp_path, replace(entry_of(), rates=replace(RATES, recall=rate)))
    assert (tmp_path / LOCK_FILE).read_bytes() == before
