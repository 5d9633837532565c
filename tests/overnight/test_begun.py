"""What earlier lives of a night have spent counts, also where nobody knows how much that was."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.catalogue import read_catalogue
from skillwalker.datatypes.nights import Stage, StageResult
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Outcome, Purpose
from skillwalker.errors import StoreError
from skillwalker.limits import Limits
from skillwalker.overnight.begun import (
    Counted,
    count_begun,
    count_finished,
    read_spent,
    so_far,
    uncounted,
)
from skillwalker.overnight.journal import NightJournal
from skillwalker.recording.store import TRIALS, RunStore
from tests.bench import places_of
from tests.catalogues import Catalogue, make_catalogue
from tests.measured import trial

COSTS = (0.3, None, 0.1, None)
"""Of the trials of a run: the mean of what is known is 0.2."""
PRIOR = 0.2
WHOLE = (4, 0.8, 2)
"""Trials, money and reckoned calls of such a run."""


def limits() -> Limits:
    return Limits(prior=lambda *_: PRIOR)


def standing(limits: Limits) -> tuple[int, float, int]:
    return limits.trials, round(limits.cost_usd, 9), limits.reckoned_calls


def run_of(folder: Path) -> Path:
    """Write a run whose trials have cost `COSTS`."""
    folder.mkdir(parents=True)
    store = RunStore(folder, paid=False)
    store.write_plan({"schema_version": 1})
    for number, cost in enumerate(COSTS):
        made = trial(f"case {number}", Outcome.TRIGGERED)
        store.record_trial(replace(made, usage=Usage(output_tokens=3, cost_usd=cost)), ())
    store.close()
    return folder


def result_of(run_id: str | None) -> StageResult:
    return StageResult(
        stage=Stage.MEASURE, run_id=run_id, trials=4, cost_usd=0.4, cost_unknown_calls=2
    )


def test_what_a_begun_run_has_spent_is_reckoned_in(tmp_path: Path) -> None:
    run, counting = run_of(tmp_path / "run"), limits()
    counted = count_begun(counting, [run, tmp_path / "removed"])
    assert standing(counting) == WHOLE
    assert (counted[run].trials, counted[run].reckoned_calls) == (4, 2)
    assert counted[run].cost_usd == pytest.approx(0.8)
    assert counted[tmp_path / "removed"] == Counted()


def test_a_begun_run_that_goes_on_counts_for_itself(tmp_path: Path) -> None:
    run, counting = run_of(tmp_path / "run"), limits()
    counted = count_begun(counting, [run])[run]
    # Costs that are learnt in between must not change what is taken back.
    counting.admit()
    counting.settle(Usage(output_tokens=1, cost_usd=9.0))
    with uncounted(counting, counted):
        assert standing(counting) == (1, 9.0, 0)


def fail(limits: Limits, run: Path, counted: Counted, *, counts_itself: bool) -> None:
    """A later life that ends with an error, before or after it counted the earlier ones."""
    with uncounted(limits, counted):
        if counts_itself:
            spent = read_spent(run)
            limits.count_earlier(spent.trials)
            for purpose, model, usage in spent.calls:
                limits.pay_earlier(usage, purpose, model)
        raise StoreError("gone")


@pytest.mark.parametrize(
    ("counts_itself", "whole"),
    [
        pytest.param(False, WHOLE, id="before it counts"),
        pytest.param(True, (4, 0.85, 2), id="behind that"),
    ],
)
def test_a_begun_run_that_cannot_go_on_forgets_nothing(
    tmp_path: Path, *, counts_itself: bool, whole: tuple[int, float, int]
) -> None:
    run, counting = run_of(tmp_path / "run"), limits()
    counted = count_begun(counting, [run])[run]
    with pytest.raises(StoreError):
        fail(counting, run, counted, counts_itself=counts_itself)
    assert standing(counting) == whole


def test_the_calls_of_a_finished_run_teach_what_calls_cost(tmp_path: Path) -> None:
    run, counting = run_of(tmp_path / "run"), limits()
    count_finished(counting, result_of(run.name), tmp_path)
    assert standing(counting) == (4, 0.85, 2)
    assert counting.reckon(Usage(), Purpose.TRIAL, "sonnet") == pytest.approx(0.6 / 3)
    assert counting.reckon(Usage(cost_usd=0.7), Purpose.TRIAL, "sonnet") == 0.7


@pytest.mark.parametrize("name", ["removed", "broken", None])
def test_a_finished_run_without_a_record_counts_with_its_result(
    tmp_path: Path, name: str | None
) -> None:
    (run_of(tmp_path / "broken") / TRIALS).write_text("{\n{}\n")
    counting = limits()
    count_finished(counting, result_of(name), tmp_path)
    assert standing(counting) == WHOLE


def test_a_result_tells_known_and_unknown_apart(tmp_path: Path) -> None:
    found = so_far(Stage.MEASURE, run_of(tmp_path / "run"))
    assert (found.trials, found.cost_usd, found.cost_unknown_calls) == (4, 0.4, 2)


def test_a_later_life_of_a_night_begins_with_all_that_was_spent(tmp_path: Path) -> None:
    catalogue = Catalogue(make_catalogue(tmp_path, 2))
    places, folder = places_of(catalogue.project), tmp_path / "night"
    first, second = read_catalogue(places).entries
    folder.mkdir()
    journal = NightJournal(folder)
    journal.begin(catalogue.task())
    journal.run_began(first, Stage.MEASURE, run_of(places.output_dir / "done").name)
    journal.run_done(first, result_of("done"))
    journal.run_began(second, Stage.MEASURE, run_of(places.output_dir / "begun").name)
    journal.close()
    counting = limits()
    counting.interrupt()
    night = anyio.run(lambda: catalogue.live(folder, limits=counting))
    assert (counting.trials, counting.reckoned_calls) == (8, 4)
    assert counting.cost_usd == pytest.approx(0.85 + 0.4 + 2 * 0.2)
    assert (night.trials, night.cost_unknown_calls) == (8, 4)
