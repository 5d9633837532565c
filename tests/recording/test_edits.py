import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillwalker.datatypes.edits import Edit, WrittenFile
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import StoreError, TargetError
from skillwalker.recording.edits import (
    list_edits,
    read_edits,
    record_edit,
    undo_edit,
    write_recorded,
)
from skillwalker.recording.store import create_run
from skillwalker.targets.file import read_target
from tests.project_files import full_disk, skill_file, write_files

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
FIRST, SECOND = "First text of the two that are written.", "Second text of the two."
SKILL_PATH = "plugins/demo/skills/alpha/SKILL.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path / "project", {SKILL_PATH: skill_file()})
    return tmp_path / "project"


def target_in(project: Path) -> Target:
    return read_target(project / SKILL_PATH, TargetKind.SKILL)


def write(project: Path, text: str, minutes: int = 0) -> Path:
    moment = NOON + timedelta(minutes=minutes)
    run = create_run(project / "output", moment)
    write_recorded(run, target_in(project), text, project=project, now=moment)
    return run


def test_a_write_leaves_the_first_bytes_in_its_run_s_folder(project: Path) -> None:
    before = (project / SKILL_PATH).read_bytes()
    run = write(project, FIRST)
    assert (run / "original" / "1" / "SKILL.md").read_bytes() == before
    record = json.loads((run / "original" / "1.json").read_text())
    assert record["schema_version"] == 1
    assert record["path"] == SKILL_PATH
    assert record["undone_at"] is None
    (edit,) = read_edits(run, project)
    assert (edit.run_id, edit.number, edit.target) == (run.name, 1, "demo:alpha")
    assert (edit.path, edit.written_at) == (project / SKILL_PATH, NOON)


def test_undo_brings_the_first_bytes_back_and_says_so(project: Path) -> None:
    before = (project / SKILL_PATH).read_bytes()
    run = write(project, FIRST)
    after = (project / SKILL_PATH).read_bytes()
    (edit,) = read_edits(run, project)
    undone = undo_edit(edit, project=project, now=NOON)
    assert undone == WrittenFile(path=edit.path, before=after, after=before)
    assert (project / SKILL_PATH).read_bytes() == before
    (edit,) = read_edits(run, project)
    assert edit.undone_at == NOON


def test_edits_of_all_runs_come_newest_first(project: Path) -> None:
    runs = [write(project, text, minutes) for minutes, text in enumerate((FIRST, SECOND))]
    listed = list_edits(project / "output", project)
    assert [edit.run_id for edit in listed] == [run.name for run in reversed(runs)]


def test_undoing_in_turn_leads_back_to_the_start(project: Path) -> None:
    before = (project / SKILL_PATH).read_bytes()
    for minutes, text in enumerate((FIRST, SECOND)):
        write(project, text, minutes)
    for edit in list_edits(project / "output", project):
        undo_edit(edit, project=project)
    assert (project / SKILL_PATH).read_bytes() == before


def test_an_older_write_cannot_be_undone_through_a_newer_one(project: Path) -> None:
    write(project, FIRST)
    write(project, SECOND, 1)
    newer, older = list_edits(project / "output", project)
    with pytest.raises(TargetError, match="no longer what was written"):
        undo_edit(older, project=project)
    assert target_in(project).description == SECOND
    assert newer.undone_at is None


def test_several_writes_of_one_run_are_numbered(project: Path) -> None:
    run = write(project, FIRST)
    write_recorded(run, target_in(project), SECOND, project=project, now=NOON)
    assert [edit.number for edit in read_edits(run, project)] == [2, 1]
    for edit in read_edits(run, project):
        undo_edit(edit, project=project)
    assert (project / SKILL_PATH).read_text() == skill_file()


def test_the_same_text_is_no_write(project: Path) -> None:
    run = write(project, target_in(project).description)
    assert read_edits(run, project) == ()
    assert not (run / "original").exists()


def test_a_write_that_failed_is_not_recorded(project: Path) -> None:
    target = target_in(project)
    target.path.write_bytes(b"---\nname: no description\n---\n")
    run = create_run(project / "output")
    for force in (False, True):
        with pytest.raises(TargetError):
            write_recorded(run, target, FIRST, project=project, force=force)
    assert list_edits(project / "output", project) == ()


def test_a_write_that_lost_a_race_is_not_recorded(project: Path) -> None:
    target = target_in(project)
    run = create_run(project / "output")
    (run / "original").mkdir()
    target.path.chmod(0o600)
    target.path.write_bytes(target.content + b"changed")
    with pytest.raises(TargetError):
        write_recorded(run, target, FIRST, project=project)
    assert list((run / "original").iterdir()) == []


def test_a_write_that_fails_on_the_disk_is_not_recorded(project: Path) -> None:
    long = skill_file(more=f"# {'x' * 3_000}\n")
    write_files(project, {SKILL_PATH: long})
    run = create_run(project / "output")
    with full_disk(len(long) + 10), pytest.raises(TargetError, match="cannot be written"):
        write_recorded(run, target_in(project), FIRST * 3, project=project)
    assert (project / SKILL_PATH).read_text() == long
    assert read_edits(run, project) == ()
    assert list((run / "original").iterdir()) == []


def test_a_record_without_a_write_is_undone_without_harm(project: Path) -> None:
    # What a kill between the record and the write leaves behind.
    run = create_run(project / "output")
    target = target_in(project)
    written = WrittenFile(path=target.path, before=target.content, after=b"never written")
    edit = record_edit(run, written, target=target.id, project=project, now=NOON)
    undo_edit(edit, project=project)
    assert target.path.read_bytes() == target.content
    assert read_edits(run, project)[0].undone_at is not None


def test_a_moved_project_can_undo(project: Path) -> None:
    write(project, FIRST)
    moved = project.rename(project.with_name("moved"))
    (edit,) = list_edits(moved / "output", moved)
    undo_edit(edit, project=moved)
    assert (moved / SKILL_PATH).read_text() == skill_file()


def test_a_file_outside_the_project_keeps_its_whole_path(project: Path) -> None:
    outside = project.parent / "other" / "skills" / "x" / "SKILL.md"
    write_files(project.parent, {"other/skills/x/SKILL.md": skill_file()})
    run = create_run(project / "output")
    write_recorded(run, read_target(outside, TargetKind.SKILL), FIRST, project=project)
    (edit,) = read_edits(run, project)
    assert edit.path == outside
    undo_edit(edit, project=project)
    assert outside.read_text() == skill_file()


def one_edit(project: Path) -> tuple[Edit, Path]:
    run = write(project, FIRST)
    return read_edits(run, project)[0], run / "original"


def test_damaged_bytes_are_not_put_back(project: Path) -> None:
    edit, originals = one_edit(project)
    (originals / "1" / "SKILL.md").write_bytes(b"damaged")
    with pytest.raises(StoreError, match="not those that were recorded"):
        undo_edit(edit, project=project, force=True)
    (originals / "1" / "SKILL.md").unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        undo_edit(edit, project=project, force=True)
    assert target_in(project).description == FIRST


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"schema_version": 2}', "null", "\xff", "[" * 100_000],
    ids=["empty", "cut", "list", "bare", "version", "null", "latin", "deep"],
)
def test_a_record_that_cannot_be_read_is_named(project: Path, text: str) -> None:
    _, originals = one_edit(project)
    (originals / "1.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(StoreError, match=r"1\.json cannot be read"):
        list_edits(project / "output", project)


@pytest.mark.parametrize("key", ["written_at", "undone_at"])
def test_a_moment_that_is_none_is_an_error(project: Path, key: str) -> None:
    _, originals = one_edit(project)
    record = json.loads((originals / "1.json").read_text()) | {key: "yesterday"}
    (originals / "1.json").write_text(json.dumps(record))
    with pytest.raises(StoreError, match="yesterday"):
        list_edits(project / "output", project)


def test_a_record_cannot_point_out_of_its_folder(project: Path) -> None:
    _, originals = one_edit(project)
    record = json.loads((originals / "1.json").read_text()) | {"file": "../../secret"}
    (originals / "1.json").write_text(json.dumps(record))
    (edit,) = list_edits(project / "output", project)
    assert edit.original == originals / "1" / "secret"


def test_a_run_s_folder_that_cannot_be_written_is_named_and_nothing_is_touched(
    project: Path,
) -> None:
    run = create_run(project / "output")
    (run / "original").write_text("a file in the way")
    with pytest.raises(StoreError, match="cannot record a write"):
        write_recorded(run, target_in(project), FIRST, project=project)
    assert (project / SKILL_PATH).read_text() == skill_file()
