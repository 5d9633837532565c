from dataclasses import replace

from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.report.misses import find_misses
from skillwalker.report.tallies import confirmed, result_of, text_in_file, trials_of
from tests.recorded_runs import PLAIN_CASES, plain_run, recorded_run


def test_a_trial_that_was_repeated_counts_as_its_last_attempt() -> None:
    run = plain_run()
    assert run.best is not None
    before = confirmed(run, run.best)
    lost = next(t for t in run.trials if t.set == "confirm" and t.candidate == run.best.candidate)
    first = replace(lost, outcome=Outcome.UNDECIDED, reason="rate")
    repeated = [replace(t, attempt=1) if t is lost else t for t in run.trials]
    for trials in ((first, *repeated), (*repeated, first)):
        assert confirmed(replace(run, trials=trials), run.best) == before


def test_the_result_is_that_of_the_confirm_rounds_where_there_were_any() -> None:
    run, searched = plain_run(), recorded_run(PLAIN_CASES)
    assert run.best is not None
    assert searched.best is not None
    assert [one.triggered for one in result_of(run, run.best)] == [2, 1, 0, 0]
    assert result_of(searched, searched.best) == searched.best.cases
    assert {trial.set.value for trial in trials_of(run, run.best)} == {"confirm"}
    assert {trial.set.value for trial in trials_of(searched, searched.best)} == {
        "train",
        "holdout",
    }


def test_the_file_holds_the_best_text_only_once_it_is_applied() -> None:
    run = plain_run()
    assert text_in_file(run) is run.original
    assert text_in_file(replace(run, summary=replace(run.summary, applied=True))) is run.best


def test_misses_are_the_wrong_and_the_undecided_trials_of_a_text() -> None:
    run = plain_run()
    found = {
        miss.case.name: [t.outcome for t in miss.trials] for miss in find_misses(run, run.best)
    }
    assert found == {
        "wants a second look": [Outcome.NOT_TRIGGERED],
        "says nothing": [Outcome.UNDECIDED],
    }
    assert find_misses(run, None) == ()
