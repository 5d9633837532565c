"""Nights that are killed at every row of their journal, and gone on with."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.nights import NightSummary, Stage
from skillwalker.datatypes.summary import Summary
from skillwalker.limits import Limits
from skillwalker.overnight.begun import read_spent, so_far
from skillwalker.overnight.journal import NightJournal
from skillwalker.overnight.merging import Merge, merge_into
from skillwalker.overnight.night import Start
from skillwalker.plan import Order
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.night_files import NIGHT
from skillwalker.recording.store import create_run
from tests.bench import places_of
from tests.catalogues import Catalogue, make_catalogue

NIGHT_FOLDER = Path("project/output/night")
CAP = 100
"""Trials that end the night in the middle of a search."""


@dataclass(slots=True)
class Watched(Catalogue):
    """Nights of which the disk is kept as it was around every run."""

    keep: Callable[[], None] = field(default=lambda: None)

    def starter(self, limits: Limits) -> Start:
        """Make what does the runs, and keeps the disk."""
        start = Catalogue.starter(self, limits)

        async def watched(
            order: Order, earlier: Earlier | None, began: Callable[[str], None]
        ) -> tuple[Summary, Path]:
            def note(run_id: str) -> None:
                began(run_id)
                self.keep()

            self.keep()
            ended = await start(order, earlier, note)
            self.keep()
            return ended

        return watched


def live(root: Path, catalogue: Catalogue, most: int | None) -> tuple[NightSummary, int]:
    """Live the night of a folder, or go on with it; say what counted against its cap."""
    limits = Limits(max_trials=most)
    night = anyio.run(lambda: catalogue.live(root / NIGHT_FOLDER, limits=limits))
    return night, limits.trials


def without_ids(summary: NightSummary) -> NightSummary:
    targets = tuple(replace(target, run_ids=(), revert=None) for target in summary.targets)
    return replace(summary, night_id="", targets=targets)


def cut_last_row(root: Path) -> None:
    path = root / NIGHT_FOLDER / NIGHT
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def states_of(root: Path, most: int | None) -> tuple[list[Path], NightSummary, str]:
    """Live a night and keep the disk as a kill would have left it at each of its rows."""
    project = make_catalogue(root / "whole", 2)
    catalogue = Watched(project, apply=True)
    kept: list[Path] = []

    def keep() -> None:
        kept.append(root / f"state-{len(kept)}")
        shutil.copytree(root / "whole", kept[-1])

    catalogue.keep = keep
    whole, _ = live(root / "whole", catalogue, most)
    if most is not None:
        return kept[2::3], whole, texts_of(project)  # where each run has ended, and nobody knows
    for state in kept[0::3] + kept[1::3]:
        shutil.copytree(state, kept_less := state.with_name(f"{state.name}-less"))
        cut_last_row(kept_less)
        kept.append(kept_less)
    return kept, whole, texts_of(project)


def texts_of(project: Path) -> str:
    return "".join(path.read_text() for path in sorted(project.glob("plugins/*/skills/*/SKILL.md")))


@pytest.mark.parametrize("most", [None, CAP])
def test_a_night_that_was_killed_anywhere_comes_to_the_same(
    tmp_path: Path, most: int | None
) -> None:
    kept, whole, texts = states_of(tmp_path, most)
    assert (whole.stopped_because == "done") is (most is None)
    assert any(target.applied for target in whole.targets)
    for state in kept:
        catalogue = Catalogue(state / "project", apply=True)
        resumed, counted = live(state, catalogue, most)
        assert without_ids(resumed) == without_ids(whole), state.name
        assert counted == whole.trials, state.name
        assert texts_of(state / "project") == texts, state.name
        assert Stage.RECHECK not in {stage for _, stage, _ in catalogue.told}, state.name


def unfinished(root: Path) -> Iterator[Path]:
    """Kill a night in its first run, behind that run's last trial."""
    catalogue = Watched(make_catalogue(root, 3))
    calls: list[None] = []

    def die() -> None:
        calls.append(None)
        if len(calls) == 3:
            raise KeyboardInterrupt

    catalogue.keep = die
    with pytest.raises(KeyboardInterrupt):
        live(root, catalogue, None)
    journal = NightJournal(root / NIGHT_FOLDER)
    for run_id in journal.unfinished():
        yield root / "project/output" / run_id
    journal.close()


def test_what_a_begun_run_has_spent_counts_before_anything_starts(tmp_path: Path) -> None:
    (run,) = unfinished(tmp_path)
    spent = read_spent(run).trials
    assert spent > 0
    night, counted = live(tmp_path, Catalogue(tmp_path / "project"), spent)
    assert (night.trials, counted) == (spent, spent)
    assert night.counts["left"] == 3
    assert night.targets[0].run_ids == (run.name,)


def test_an_interrupted_life_names_what_an_earlier_one_has_spent(tmp_path: Path) -> None:
    (run,) = unfinished(tmp_path)
    limits = Limits()
    limits.interrupt()
    catalogue = Catalogue(tmp_path / "project")
    night = anyio.run(lambda: catalogue.live(tmp_path / NIGHT_FOLDER, limits=limits))
    assert night.trials == limits.trials == read_spent(run).trials


def test_a_begun_run_that_cannot_go_on_keeps_what_it_has_spent(tmp_path: Path) -> None:
    (run,) = unfinished(tmp_path)
    spent = read_spent(run).trials
    (run / "measure-summary.json").unlink()
    (tmp_path / "project/evals/s00/tests.json").write_text(
        (tmp_path / "project/evals/s00/tests.json").read_text().replace("Oslo", "Rome")
    )
    night, counted = live(tmp_path, Catalogue(tmp_path / "project"), None)
    first = night.targets[0]
    assert (first.action.value, first.trials) == ("failed", spent)
    assert "cannot be resumed as it was" in str(first.reason)
    assert counted == night.trials


def test_a_run_whose_folder_was_removed_has_spent_nothing_that_is_known(tmp_path: Path) -> None:
    gone = so_far(Stage.TUNE, tmp_path / "gone", cause="it is gone", code=1)
    assert (gone.run_id, gone.trials, gone.cost_usd) == ("gone", 0, 0.0)


def test_a_part_that_is_gone_on_with_after_a_merge_rechecks_nothing_of_its_own(
    tmp_path: Path,
) -> None:
    project = make_catalogue(tmp_path, 2)
    catalogue, limits = Catalogue(project), Limits()
    catalogue.on_run = lambda: limits.interrupt() if len(catalogue.told) == 3 else None
    folder = tmp_path / NIGHT_FOLDER
    anyio.run(lambda: catalogue.live(folder, limits=limits, shard=(1, 1)))
    places = places_of(project)
    asked = Merge(
        parts=(folder,),
        apply=True,
        allow_simulated=True,
        began=lambda: create_run(places.output_dir),
    )
    merged, _ = merge_into(asked, places)
    written = {target.suite for target in merged.targets if target.applied}
    assert written
    catalogue.told.clear()
    anyio.run(lambda: catalogue.live(folder, shard=(1, 1)))
    assert {(suite, stage) for suite, stage, _ in catalogue.told} == {
        (suite, Stage.TUNE) for suite in {"s00", "s01"} - written
    }
    assert all(
        one.applied is None or not one.applied.rechecked for one in read_lock(project).values()
    )
