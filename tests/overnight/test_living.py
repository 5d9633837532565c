"""Whole nights over generated catalogues, with the simulated engine."""

import shutil
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.nights import NightAction, NightSummary, NightTarget, Stage
from skillwalker.errors import StoreError
from skillwalker.limits import Limits
from skillwalker.overnight.journal import read_task
from skillwalker.overnight.merging import CHANGED, Merge, merge_into
from skillwalker.overnight.summary import merge_nights, night_exit_code, read_night, write_night
from skillwalker.recording.edits import read_edits, undo_edit
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.store import create_run
from skillwalker.targets.names import description_hash
from tests.bench import places_of
from tests.catalogues import (
    DEAF,
    FIRST,
    MUTE,
    Catalogue,
    make_catalogue,
    thing_of,
    write_target,
)
from tests.overnight.test_summary import night as night_of

TARGETS = 60
BROKEN, UNLOADABLE, UNMOVED, TIMES_OUT = 3, 14, 25, 36
MOST_GROWTH = 24 * 2**20
"""Bytes between a third of the night and its end; trials of one run are let go with it."""


def skill(project: Path, number: int) -> Path:
    return project / f"plugins/p{number:02}/skills/{thing_of(number)}/SKILL.md"


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def of(summary: NightSummary, number: int) -> NightTarget:
    return next(one for one in summary.targets if one.suite == f"s{number:02}")


def make_troubled_catalogue(root: Path) -> Path:
    project = make_catalogue(root, TARGETS)
    (project / f"evals/s{BROKEN:02}/tests.json").write_text("{")
    skill(project, UNLOADABLE).write_text("---\nname: nothing\n---\n")
    for number, word in ((UNMOVED, MUTE), (TIMES_OUT, DEAF)):
        shutil.rmtree(project / f"plugins/p{number:02}")
        shutil.rmtree(project / f"evals/s{number:02}")
        write_target(project, number, prompts=(f"{word} one", f"{word} two", f"{word} three"))
    return project


def test_a_night_over_sixty_targets_names_what_fails_and_does_the_rest(tmp_path: Path) -> None:
    catalogue = Catalogue(make_troubled_catalogue(tmp_path))
    sizes: list[int] = []
    catalogue.on_run = lambda: sizes.append(resident())
    night = anyio.run(catalogue.live, tmp_path / "night")
    assert len(night.targets) == TARGETS - 1
    assert [one.suite for one in night.broken] == [f"s{BROKEN:02}"]
    assert "not JSON" in night.broken[0].reason or "JSON" in night.broken[0].reason
    unloadable, timed_out = of(night, UNLOADABLE), of(night, TIMES_OUT)
    assert (unloadable.action, unloadable.exit_code) == (NightAction.FAILED, 1)
    assert "description" in str(unloadable.reason)
    assert (timed_out.action, timed_out.exit_code) == (NightAction.INCONCLUSIVE, 3)
    assert "timed out on purpose" in str(timed_out.reason)
    assert of(night, UNMOVED).action is NightAction.KEPT
    others = [t for t in night.targets if t not in (unloadable, timed_out)]
    assert {t.action for t in others} <= {
        NightAction.IMPROVED,
        NightAction.KEPT,
        NightAction.MEASURED,
    }
    assert night.counts["improved"] > TARGETS / 2
    assert night.stopped_because == "done"
    assert night_exit_code(night) == 1
    assert read_night(tmp_path / "night") == night
    assert sizes[-1] - sizes[len(sizes) // 3] < MOST_GROWTH


def test_the_second_night_rechecks_what_was_written_and_spends_nothing_else(
    tmp_path: Path,
) -> None:
    catalogue = Catalogue(make_catalogue(tmp_path, 6), apply=True)
    first = anyio.run(catalogue.live, tmp_path / "first")
    written = {t.suite for t in first.targets if t.applied}
    assert written
    catalogue.told.clear()
    second = anyio.run(catalogue.live, tmp_path / "second")
    assert {(suite, stage) for suite, stage, _ in catalogue.told} == {
        (suite, Stage.RECHECK) for suite in written
    }
    assert all(t.trials == 0 for t in second.targets if t.suite not in written)
    assert all(t.revert is None for t in second.targets)
    catalogue.told.clear()
    third = anyio.run(catalogue.live, tmp_path / "third")
    assert catalogue.told == []
    assert third.counts["fresh"] == 6
    assert third.trials == 0


def test_a_night_of_a_stand_in_is_simulated_and_goes_on_with_no_other(tmp_path: Path) -> None:
    catalogue = Catalogue(make_catalogue(tmp_path, 1))
    night = anyio.run(catalogue.live, tmp_path / "night")
    assert night.simulated
    assert read_task(tmp_path / "night").simulated is True
    catalogue.simulated = False
    task = read_task(tmp_path / "night")
    with pytest.raises(StoreError, match="was simulated, and a model would answer now"):
        anyio.run(catalogue.go_on, task, tmp_path / "night")
    real = replace(task, simulated=False)
    catalogue.simulated = True
    with pytest.raises(StoreError, match="was not simulated, and no model would answer now"):
        anyio.run(catalogue.go_on, real, tmp_path / "night")


def without_ids(summary: NightSummary) -> NightSummary:
    targets = tuple(replace(target, run_ids=()) for target in summary.targets)
    return replace(summary, night_id="", targets=targets)


def live_in_shards(root: Path, project: Path, shards: int) -> list[Path]:
    """Live each part of a night on a machine of its own; give the nights' folders."""
    folders = []
    for number in range(1, shards + 1):
        machine = root / f"machine-{number}"
        shutil.copytree(project, machine / "project")
        folder = machine / "night"
        catalogue = Catalogue(machine / "project")
        anyio.run(lambda: catalogue.live(folder, shard=(number, shards)))  # noqa: B023 (called at once)
        folders.append(folder)
    return folders


@pytest.fixture(scope="module")
def sharded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path], NightSummary]:
    """A project, three parts of a night over copies of it, and the same night in one."""
    root = tmp_path_factory.mktemp("sharded")
    project = make_catalogue(root, 6)
    (project / "evals/s05/tests.json").write_text("{")
    folders = live_in_shards(root, project, 3)
    shutil.copytree(project, root / "whole" / "project")
    whole = anyio.run(Catalogue(root / "whole" / "project").live, root / "whole" / "night")
    return project, folders, whole


def test_three_shards_merged_give_the_summary_of_one_night(
    sharded: tuple[Path, list[Path], NightSummary],
) -> None:
    _, folders, whole = sharded
    parts = [read_night(folder) for folder in folders]
    assert sum(len(part.targets) for part in parts) == len(whole.targets)
    assert without_ids(merge_nights("", parts)) == without_ids(whole)


def merged(
    sharded: tuple[Path, list[Path], NightSummary], root: Path, *, apply: bool = True
) -> tuple[Path, NightSummary, Path]:
    """Merge the shards into a copy of the project."""
    project = root / "project"
    shutil.copytree(sharded[0], project)
    return (project, *merge_in(project, sharded[1], apply=apply))


def merge_in(
    project: Path, folders: list[Path], *, apply: bool, allow: bool = True
) -> tuple[NightSummary, Path]:
    places = places_of(project)
    asked = Merge(
        parts=tuple(folders),
        apply=apply,
        allow_simulated=allow,
        began=lambda: create_run(places.output_dir),
    )
    return merge_into(asked, places)


def test_merging_writes_the_improved_descriptions_so_that_they_can_be_undone(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    project, night, folder = merged(sharded, tmp_path)
    improved = [t for t in night.targets if t.action is NightAction.IMPROVED]
    assert improved
    for target in improved:
        assert target.applied
        assert target.after == target.found
        assert str(target.description) in (project / target.path).read_text()
    entries = read_lock(project)
    assert {key.path for key in entries} == {t.path for t in night.targets}
    one = next(e for key, e in entries.items() if key.path == improved[0].path)
    assert one.applied is not None
    assert (one.applied.run_id, one.rates, one.applied.replaced) == (folder.name, None, FIRST)
    for edit in read_edits(folder, project):
        undo_edit(edit, project=project)
    assert all(FIRST in (project / t.path).read_text() for t in improved)


def test_the_night_after_a_merge_rechecks_what_was_written_and_searches_nothing_again(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    project, night, _ = merged(sharded, tmp_path)
    catalogue = Catalogue(project)
    anyio.run(catalogue.live, tmp_path / "next")
    applied = {(t.suite, Stage.RECHECK) for t in night.targets if t.applied}
    assert {(suite, stage) for suite, stage, _ in catalogue.told} == applied


def test_merging_without_apply_writes_no_target(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    project, night, _ = merged(sharded, tmp_path, apply=False)
    assert not any(t.applied for t in night.targets)
    assert all(FIRST in skill(project, n).read_text() for n in range(6))
    shutil.rmtree(project / "output")
    simulated, _ = merge_in(project, sharded[1], apply=True, allow=False)
    assert not any(t.applied for t in simulated.targets)


def test_a_file_that_was_edited_meanwhile_is_not_overwritten_by_a_merge(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    project = tmp_path / "project"
    shutil.copytree(sharded[0], project)
    target = next(t for t in sharded[2].targets if t.action is NightAction.IMPROVED)
    path = project / target.path
    path.write_text(path.read_text().replace(FIRST, "Written by somebody else."))
    night, _ = merge_in(project, sharded[1], apply=True)
    row = next(t for t in night.targets if t.path == target.path)
    assert "Written by somebody else." in path.read_text()
    assert (row.applied, row.exit_code) == (False, 1)
    assert CHANGED in str(row.reason)


def test_what_is_remembered_of_the_text_that_is_here_outlives_a_merge(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    """As on the night after the improvements were taken into the main branch."""
    project, night, _ = merged(sharded, tmp_path)
    remembered = read_lock(project)
    merge_in(project, sharded[1], apply=False)
    assert read_lock(project) == remembered
    for target in night.targets:  # and where they were not taken, what the night found counts
        path = project / target.path
        path.write_text(path.read_text().replace(str(target.description), FIRST))
    merge_in(project, sharded[1], apply=False)
    entries = read_lock(project)
    assert all(entry.candidate == description_hash(FIRST) for entry in entries.values())
    assert all(entry.rates is not None for entry in entries.values())


def test_parts_that_do_not_belong_together_change_nothing(
    sharded: tuple[Path, list[Path], NightSummary], tmp_path: Path
) -> None:
    project, copied = tmp_path / "project", tmp_path / "copied"
    shutil.copytree(sharded[0], project)
    shutil.copytree(sharded[1][0], copied)
    idle = tmp_path / "output" / "20261130T220000"
    idle.mkdir(parents=True)
    write_night(idle, night_of(shard="3/3"), {})
    for folders, said in (
        ([copied, sharded[1][0]], "stands in two"),
        ([sharded[1][0], sharded[1][0]], "one night"),
        ([idle, idle.parent], "one night"),
        ([], "takes the folders"),
        ([tmp_path / "nowhere"], "there is no folder"),
    ):
        with pytest.raises(StoreError, match=said):
            merge_in(project, folders, apply=True)
    assert not (project / "skillwalker.lock").exists()
    assert not (project / "output").exists()


@pytest.mark.parametrize("runs", [1, 4])
def test_an_interrupted_night_goes_on_where_it_ended(tmp_path: Path, runs: int) -> None:
    for name in ("whole", "cut"):
        make_catalogue(tmp_path / name, 3)
    whole = anyio.run(Catalogue(tmp_path / "whole/project").live, tmp_path / "whole/night")
    catalogue, limits = Catalogue(tmp_path / "cut/project"), Limits()

    def stop() -> None:
        if len(catalogue.told) == runs:
            limits.interrupt()

    catalogue.on_run = stop
    folder = tmp_path / "cut/night"
    cut = anyio.run(lambda: catalogue.live(folder, limits=limits))
    assert cut.stopped_because == "interrupted"
    assert night_exit_code(cut) == 130
    assert cut.counts["left"] > 0
    again = Limits()
    resumed = anyio.run(lambda: catalogue.live(folder, limits=again))
    assert without_ids(resumed) == without_ids(whole)
    assert again.trials == whole.trials
    assert len({(suite, stage) for suite, stage, _ in catalogue.told}) == len(catalogue.told)


@pytest.mark.parametrize("most", [0, 30, 75])
def test_a_cap_holds_over_the_whole_night_and_over_its_lives(tmp_path: Path, most: int) -> None:
    catalogue = Catalogue(make_catalogue(tmp_path, 3))
    folder = tmp_path / "night"
    cut = anyio.run(lambda: catalogue.live(folder, limits=Limits(max_trials=most)))
    assert cut.trials <= most
    assert cut.stopped_because == "budget"
    assert {t.action for t in cut.targets} <= {NightAction.LEFT, NightAction.IMPROVED}
    assert night_exit_code(cut) == 0
    again = anyio.run(lambda: catalogue.live(folder, limits=Limits(max_trials=most)))
    assert again.trials <= most
