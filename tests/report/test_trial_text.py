from dataclasses import replace

import pytest

from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.report.trial_text import choose_trials, describe_trial, texts_of
from skillwalker.targets.names import description_hash
from tests.recorded_runs import plain_run


def test_a_trial_says_of_which_text_it_is() -> None:
    plan = {"original_description": "old"}
    texts = texts_of(plan, {"best_description": "new"})
    assert texts == {description_hash("old"): "original", description_hash("new"): "best"}
    assert texts_of(plan, {"best_description": "old"}) == {description_hash("old"): "original"}
    assert texts_of(plan, {}) == {description_hash("old"): "original"}


@pytest.mark.parametrize(("turns", "said"), [(1, "within 1 turn\n"), (2, "within 2 turns\n")])
def test_one_turn_is_one_turn(turns: int, said: str) -> None:
    trial = replace(plain_run().trials[0], outcome=Outcome.NOT_TRIGGERED, step=None, turns=turns)
    assert said in f"{describe_trial(trial, number=0, prompt=None, words=None)}\n"


def test_the_only_trial_is_said_to_be() -> None:
    trial = plain_run().trials[0]
    with pytest.raises(StoreError, match="has 1 trial, the only one is 0"):
        choose_trials([trial], trial.case, 1)


def test_the_first_line_names_the_text_where_it_is_known() -> None:
    trial = replace(plain_run().trials[0], iteration=2, attempt=0)
    first = describe_trial(trial, number=0, prompt=None, words=None, text="best").split("\n")[0]
    assert f"(best, iteration 2, {trial.set.value}, attempt 0)" in first
    unnamed = describe_trial(trial, number=0, prompt=None, words=None).split("\n")[0]
    assert f"(iteration 2, {trial.set.value}, attempt 0)" in unnamed
