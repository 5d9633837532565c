"""Whatever happened to the record of a night, its readers say in one line what and where."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.nights import Stage, StageResult
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import StoreError
from skillwalker.overnight.journal import Decision, NightJournal, NightTask, read_task
from skillwalker.overnight.summary import (
    night_exit_code,
    read_entries,
    read_night,
    write_night,
)
from skillwalker.recording.night_files import NIGHT, NIGHT_SUMMARY
from skillwalker.recording.rows import read_rows
from tests.damage import surprises
from tests.overnight.test_night import TEMPLATE
from tests.overnight.test_summary import night, target
from tests.recording.test_lock_file import entry_of, key_of

ENTRY = CatalogueEntry(path="p/SKILL.md", suite="s", kind=TargetKind.SKILL, target="demo:x")
RESULT = StageResult(stage=Stage.MEASURE, run_id="20261130T220000", trials=3, cost_usd=0.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    journal = NightJournal(tmp_path)
    journal.begin(NightTask(template=TEMPLATE, shard=(1, 3)))
    journal.decide(ENTRY, Stage.MEASURE, Decision(is_due=True, known=entry_of()))
    journal.run_began(ENTRY, Stage.MEASURE, RESULT.run_id or "")
    journal.run_done(ENTRY, RESULT)
    journal.close()
    return tmp_path


def test_a_night_is_read_back_as_it_was_written(folder: Path) -> None:
    assert read_task(folder) == NightTask(template=TEMPLATE, shard=(1, 3))
    journal = NightJournal(folder)
    assert journal.decided(ENTRY, Stage.MEASURE) == Decision(is_due=True, known=entry_of())
    assert (journal.begun(ENTRY, Stage.MEASURE), journal.finished()) == (RESULT.run_id, (RESULT,))


@pytest.mark.parametrize(
    ("number", "read"),
    [(0, read_task), (1, NightJournal), (2, NightJournal), (3, NightJournal)],
    ids=["asked", "decided", "began", "done"],
)
def test_a_damaged_line_is_read_or_refused(
    folder: Path, number: int, read: Callable[[Path], object]
) -> None:
    row = list(read_rows(folder / NIGHT))[number]

    def read_file(broken: object) -> None:
        (folder / NIGHT).write_text(f"{json.dumps(broken)}\n")
        read(folder)

    read_file(row)
    assert surprises(row, read_file) == []


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"stage": "dream"}, "line 2: stage: Input should be"),
        ({"decision": {}}, r"line 2: decision\.is_due: Field required"),
    ],
    ids=["another stage", "an empty decision"],
)
def test_the_place_of_a_damage_is_named(folder: Path, damage: dict[str, object], said: str) -> None:
    asked, decided, *_ = read_rows(folder / NIGHT)
    lines = (asked, decided | damage)
    (folder / NIGHT).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(StoreError, match=rf"night\.jsonl, {said}"):
        NightJournal(folder)


def test_a_damaged_summary_is_read_or_refused(tmp_path: Path) -> None:
    write_night(tmp_path, night(target("a")), {key_of(): entry_of()})
    row = json.loads((tmp_path / NIGHT_SUMMARY).read_text())

    def read(broken: object) -> None:
        (tmp_path / NIGHT_SUMMARY).write_text(json.dumps(broken))
        night_exit_code(read_night(tmp_path))

    assert surprises(row, read) == []


def test_damaged_entries_are_read_or_refused(tmp_path: Path) -> None:
    write_night(tmp_path, night(target("a")), {key_of(): entry_of()})
    path = tmp_path / "overnight-lock.json"
    row = json.loads(path.read_text())

    def read(broken: object) -> None:
        path.write_text(json.dumps(broken))
        read_entries(tmp_path)

    assert surprises(row, read) == []
