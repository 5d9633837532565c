"""What stands on both sides of a comparison is no evidence of a difference."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillwalker.datatypes.comparison import CaseOutcomes, ComparedRun, TakenTrial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.statistics.comparison import compare_runs
from skillwalker.statistics.shared_trials import without_shared
from tests.statistics.test_against import run_of

KEY = ("y1", "sonnet")


def taken(run_id: str, *letters: str) -> tuple[TakenTrial, ...]:
    """Trials that a run paid for, by their index: t(riggered) or n(ot)."""
    outcomes = {"t": Outcome.TRIGGERED, "n": Outcome.NOT_TRIGGERED}
    return tuple(
        TakenTrial(run_id=run_id, run_index=index, outcome=outcomes[letter])
        for index, letter in enumerate(letters)
    )


def side(run_id: str, letters: str, *reused: TakenTrial) -> ComparedRun:
    return replace(run_of(run_id, y1=letters, n1="nn"), taken={KEY: reused} if reused else {})


@pytest.mark.parametrize(
    ("a", "b", "left_of_a", "left_of_b"),
    [
        (side("a", "tn"), side("b", "tnt", *taken("a", "t", "n")), 2, 1),
        (side("a", "tnt", *taken("b", "t", "n")), side("b", "tn"), 1, 2),
        (side("a", "tnt", *taken("z", "t", "n")), side("b", "tt", *taken("z", "t")), 2, 1),
        (side("a", "tn", *taken("z", "t", "n")), side("b", "tt"), 2, 2),
        (side("a", "tn", *taken("y", "t", "n")), side("b", "tn", *taken("z", "t", "n")), 2, 2),
    ],
    ids=["b took from a", "a took from b", "both from a third", "one alone", "from two others"],
)
def test_trials_of_both_are_left_out_and_all_others_stay(
    a: ComparedRun, b: ComparedRun, left_of_a: int, left_of_b: int
) -> None:
    left = [(side.outcomes[KEY].decided, side.shared_trials) for side in without_shared(a, b)]
    (of_a, out_a), (of_b, out_b) = left
    assert (of_a, of_b) == (left_of_a, left_of_b)
    assert out_a == a.outcomes[KEY].decided - left_of_a
    assert out_b == b.outcomes[KEY].decided - left_of_b


def test_the_outcome_of_what_is_left_out_goes_with_it() -> None:
    _, b = without_shared(side("a", "tn"), side("b", "tnt", *taken("a", "t", "n")))
    assert b.outcomes[KEY] == CaseOutcomes(triggered=1)


def test_a_case_with_nothing_else_is_named_and_without_any_case_it_is_refused() -> None:
    b = side("b", "tn", *taken("a", "t", "n"))
    found = compare_runs(side("a", "tn"), b)
    assert [(one.case, one.reason) for one in found.left_out] == [
        ("y1", "the same trials in both runs")
    ]
    assert found.b.shared_trials == 2
    every = replace(b, taken={**b.taken, ("n1", "sonnet"): taken("a", "n", "n")})
    with pytest.raises(StoreError, match=r"same trials in both runs \(2\); measure again"):
        compare_runs(side("a", "tn"), every)


@given(own=st.text("tn", max_size=4), reused=st.text("tn", min_size=1, max_size=4))
def test_what_a_run_took_from_the_other_changes_no_figure(own: str, reused: str) -> None:
    a = side("a", reused)
    with_it = side("b", own + reused, *taken("a", *reused))
    trimmed = without_shared(a, with_it)[1]
    assert trimmed.outcomes == side("b", own).outcomes
