from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.scores import GateResult
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.intervals import compare
from skillwalker.search.gate import (
    CLASS_PRIOR,
    another_round,
    judge,
    not_confirmed,
    pair,
    posterior_median,
    said_beside,
    threshold,
    worth_confirming,
)
from tests.measured import iteration, results

LAW = settings(max_examples=100, deadline=None)

Sides = tuple[Sequence[str], Sequence[str]]
"""Letters of the positive and of the negative cases."""


def judged(before: Sides, after: Sides, *, asked: float = 0.9, rounds: int = 3) -> GateResult:
    return judge(
        results(*before, side=CaseSet.CONFIRM),
        results(*after, side=CaseSet.CONFIRM),
        threshold=asked,
        max_loss=0.05,
        rounds=rounds,
    )


def test_a_clear_gain_passes() -> None:
    result = judged((["nnn"] * 10, ["nnn"] * 10), (["ttt"] * 10, ["nnn"] * 10))
    assert result.passed
    assert result.p_better is not None
    assert result.p_better > 0.99
    assert (result.recall_change, result.specificity_change, result.change) == (1.0, 0.0, 0.5)
    assert result.rounds == 3
    assert result.reason.startswith("better with P > 0.99 (0.9 is asked): recall +1.000")


def test_a_pass_whose_interval_holds_0_says_so_before_its_probability() -> None:
    result = judged((["n"] * 6, ["n"] * 6), (["t"] * 2 + ["n"] * 4, ["n"] * 6), rounds=1)
    assert result.passed
    assert result.interval is not None
    assert result.interval[0] <= 0
    assert result.reason.startswith("the 90 % interval of the change holds 0; better with P ")


def test_a_pass_whose_interval_holds_0_says_what_another_look_would_take() -> None:
    """One that leaves 0 out has shown enough; one that falls short says it in its reason."""
    before = results(["n"] * 6, ["n"] * 6)
    after = results(["t"] * 2 + ["n"] * 4, ["n"] * 6)
    little, short = (
        judge(before, after, threshold=asked, next_threshold=0.99, max_loss=0.05, rounds=1)
        for asked in (0.9, 0.999)
    )
    assert little.passed
    assert little.advice.startswith("to show a true change of +0.167 to another look, which asks")
    assert (short.passed, short.advice) == (False, "")
    assert short.reason.endswith(little.advice)
    assert judged((["nnn"] * 10, ["nnn"] * 10), (["ttt"] * 10, ["nnn"] * 10)).advice == ""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        pytest.param(
            (["ttn"] * 6, ["nnn"] * 6),
            (["ttn"] * 6, ["nnn"] * 6),
            "no convincing difference: P(better) is 0.50, 0.9 is asked; the best text did no"
            " better",
            id="no change",
        ),
        pytest.param(
            (["nnn"] * 20, ["nnn"] * 20),
            (["ttt"] * 20, ["nnn"] * 16 + ["ttt"] * 4),
            "specificity fell by 0.200, of which 0.055 is likely to last, and at most 0.05 may",
            id="a gain that costs specificity",
        ),
        pytest.param(
            (["ttt"] * 20, ["ttt"] * 20),
            (["ttt"] * 16 + ["nnn"] * 4, ["nnn"] * 20),
            "recall fell by 0.200",
            id="a gain that costs recall",
        ),
        pytest.param(
            (["nnn"] * 4, []),
            (["ttt"] * 4, []),
            "no case that should not trigger was decided under both texts; add cases that should"
            " not trigger",
            id="no negative",
        ),
        pytest.param(
            (["nnn"], ["nnn"]),
            (["uuu"], ["nnn"]),
            "no case that should trigger was decided under both texts; add cases that should"
            " trigger",
            id="positives undecided",
        ),
        pytest.param(
            ([], []),
            ([], []),
            "no case that should trigger and none that should not trigger was decided",
            id="nothing",
        ),
    ],
)
def test_refusals_say_why(before: Sides, after: Sides, reason: str) -> None:
    result = judged(before, after)
    assert not result.passed
    assert result.reason.startswith(reason)


@pytest.mark.parametrize(
    ("lost", "passes"),
    [
        pytest.param(2, True, id="two of twenty may be luck"),
        pytest.param(4, False, id="four are not"),
    ],
)
def test_a_loss_counts_as_far_as_it_is_likely_to_last(lost: int, passes: bool) -> None:
    before = (["nnn"] * 20, ["nnn"] * 20)
    after = (["ttt"] * 20, ["ttt"] * lost + ["nnn"] * (20 - lost))
    assert judged(before, after).passed is passes


def test_a_loss_is_not_refused_by_rounding() -> None:
    before = results(["nnn"] * 20, ["nnn"] * 20)
    after = results(["ttt"] * 20, ["nnt"] * 9 + ["nnn"] * 11)
    change = compare(pair(before, after))
    lost = -posterior_median(change.specificity_change, change.specificity_error)
    assert judge(before, after, threshold=0.9, max_loss=lost - 1e-12, rounds=3).passed
    assert not judge(before, after, threshold=0.9, max_loss=lost - 1e-6, rounds=3).passed


@given(st.integers(-100, 100).map(lambda points: points / 100), st.floats(0, 1))
@LAW
def test_the_posterior_median_lies_between_nothing_and_what_was_measured(
    change: float, error: float
) -> None:
    median = posterior_median(change, error)
    assert min(0.0, change) <= median <= max(0.0, change)
    assert abs(posterior_median(change, error + 0.1)) <= abs(median)


def test_the_posterior_median_of_what_was_not_measured_is_nothing() -> None:
    assert (posterior_median(None, None), posterior_median(-0.2, CLASS_PRIOR)) == (0.0, -0.1)


def test_near_duplicates_are_one_draw() -> None:
    """Four paraphrases that all improve say little more than one question that does."""
    before = results(["n"] * 4 + ["t"] * 10, ["n"] * 14)
    after = results(["t"] * 14, ["n"] * 14)
    alone = compare(pair(before, after))
    grouped = tuple(
        replace(result, group="one question" if place < 4 else f"case {place}")
        for place, result in enumerate(before)
    )
    together = compare(pair(grouped, after))
    assert together.change == alone.change
    assert together.recall_error == pytest.approx(0.2303, abs=1e-4)
    assert alone.recall_error == pytest.approx(0.1308, abs=1e-4)
    assert together.p_better is not None
    assert alone.p_better is not None
    assert together.p_better < 0.99 < 0.999 < alone.p_better


def test_the_threshold_decides() -> None:
    before, after = (["ntn"] * 8, ["nnn"] * 8), (["ntt"] * 5 + ["ntn"] * 3, ["nnn"] * 8)
    p = judged(before, after).p_better
    assert p is not None
    assert judged(before, after, asked=p).passed
    assert not judged(before, after, asked=p + 1e-6).passed


NOISY: tuple[Sides, Sides] = (
    (["tn"] * 12, ["tn"] * 12),
    (["tn"] * 9 + ["tt"] * 3, ["tn"] * 10 + ["nn"] * 2),
)
ROUNDS_ALIKE: tuple[Sides, Sides] = (
    (["ttn"] * 10, ["nnn"] * 10),
    (["ttt", *["ttn"] * 9], ["nnn"] * 10),
)


@pytest.mark.parametrize(
    ("sides", "asked", "advice"),
    [
        pytest.param(
            ROUNDS_ALIKE,
            0.9,
            "true change of +0.017 to another look, which asks 0.975, would take about 320 cases"
            " that are no near-duplicates of each other; more rounds of these will not do",
            id="more cases",
        ),
        pytest.param(
            NOISY,
            0.995,
            "true change of +0.104 to another look, which asks 0.9988, would take about 9 rounds"
            " (432 trials) in all",
            id="more rounds",
        ),
    ],
)
def test_an_open_result_says_what_would_decide_it_at_another_look(
    sides: tuple[Sides, Sides], asked: float, advice: str
) -> None:
    """Going on is another look: what this one asks would pass nothing then."""
    before, after = (results(*of_text) for of_text in sides)
    rounds = len(sides[0][0][0])
    judged_once = judge(
        before,
        after,
        threshold=asked,
        next_threshold=threshold(asked, 2),
        max_loss=0.05,
        rounds=rounds,
    )
    assert judged_once.reason.startswith("no convincing difference: P(better) is 0.")
    assert judged_once.reason.endswith(advice)


def test_rounds_are_added_up_by_case() -> None:
    first = results(["t", "n"], ["n"], side=CaseSet.CONFIRM)
    second = results(["t", "t"], ["t"], side=CaseSet.CONFIRM)
    whole = results(["tt", "nt"], ["nt"], side=CaseSet.CONFIRM)
    assert pair((*first, *second), whole) == pair(whole, whole)
    assert pair(first, ()) == ()


@given(st.permutations(range(6)))
@LAW
def test_the_order_of_cases_and_rounds_changes_nothing(order: list[int]) -> None:
    before = results(["n", "t", "n"], ["n", "t", "n"], side=CaseSet.CONFIRM)
    after = results(["t", "t", "n"], ["n", "n", "n"], side=CaseSet.CONFIRM)
    shuffled = tuple(after[place] for place in order)
    one = judge(before, after, threshold=0.9, max_loss=0.05, rounds=1)
    assert judge(before, shuffled, threshold=0.9, max_loss=0.05, rounds=1) == one


# --- whether to begin, to go on, and how high the bar is ----------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "worth"),
    [
        pytest.param((["n"] * 4, ["n"] * 4), (["t"] * 4, ["n"] * 4), True, id="better"),
        pytest.param((["t"] * 4, ["n"] * 4), (["t"] * 4, ["n"] * 4), True, id="alike"),
        pytest.param((["t"] * 9, ["n"] * 9), (["n"] * 9, ["n"] * 9), False, id="worse"),
        pytest.param((["n"] * 4, []), (["t"] * 4, []), False, id="no negatives in the suite"),
        pytest.param((["n"] * 4, ["u"]), (["t"] * 4, ["n"]), True, id="negatives undecided so far"),
    ],
)
def test_worth_confirming(before: Sides, after: Sides, worth: bool) -> None:
    original, best = iteration(1, results(*before)), iteration(2, results(*after))
    assert worth_confirming(original, best) is worth


def test_the_same_text_is_not_worth_it() -> None:
    original = iteration(1, results(["n"] * 4, ["n"] * 4))
    best = replace(original, number=3, results=results(["t"] * 4, ["n"] * 4))
    assert not worth_confirming(original, best)


def test_a_gate_that_was_not_run_did_not_pass() -> None:
    result = not_confirmed(0.9)
    assert (result.passed, result.rounds, result.p_better, result.threshold) == (
        False,
        0,
        None,
        0.9,
    )
    assert "no confirm round was run" in result.reason


@pytest.mark.parametrize(
    ("rounds", "p", "asked", "due"),
    [
        pytest.param(1, 0.999, 0.9, True, id="one round is never enough"),
        pytest.param(1, 0.1, 0.9, True, id="one round never ends it"),
        pytest.param(2, 0.991, 0.9, False, id="surely better"),
        pytest.param(2, 0.99, 0.9, True, id="not surely enough"),
        pytest.param(2, 0.249, 0.9, False, id="hardly better"),
        pytest.param(2, 0.25, 0.9, True, id="may still be better"),
        pytest.param(3, 0.9, 0.9, False, id="all rounds used"),
        pytest.param(2, 0.991, 0.995, True, id="a higher bar is not yet reached"),
        pytest.param(2, 0.996, 0.995, False, id="a higher bar is passed"),
        pytest.param(2, None, 0.9, True, id="a class undecided so far"),
    ],
)
def test_another_round(rounds: int, p: float | None, asked: float, due: bool) -> None:
    result = replace(not_confirmed(asked), rounds=rounds, p_better=p)
    assert another_round(result, most=3) is due


def test_one_round_when_one_is_allowed() -> None:
    assert not another_round(replace(not_confirmed(0.9), rounds=1, p_better=0.5), most=1)


@pytest.mark.parametrize(
    ("looks", "asked"), [(0, 0.9), (1, 0.9), (2, 0.975), (3, 0.98889), (10, 0.999)]
)
def test_threshold(looks: int, asked: float) -> None:
    assert threshold(0.9, looks) == pytest.approx(asked, abs=1e-5)


@given(st.floats(0.01, 0.99), st.integers(1, 200))
@LAW
def test_the_bar_rises_and_all_looks_together_stay_bounded(gate: float, looks: int) -> None:
    bars = [threshold(gate, look) for look in range(1, looks + 1)]
    assert bars[0] == gate
    assert bars == sorted(bars)
    assert sum(1 - bar for bar in bars) <= 1.65 * (1 - gate)


@given(st.lists(st.tuples(st.text("tn", min_size=1, max_size=3), st.booleans()), max_size=12))
@LAW
def test_any_result_is_judged(letters: list[tuple[str, bool]]) -> None:
    after = (
        [row for row, positive in letters if positive],
        [row for row, positive in letters if not positive],
    )
    before = (["n"] * len(after[0]), ["n"] * len(after[1]))
    result = judged(before, after)
    change = compare(pair(results(*before), results(*after)))
    assert result.p_better == change.p_better
    assert result.reason
    assert not result.passed or (result.p_better is not None and result.p_better >= 0.9)


@pytest.mark.parametrize(
    ("value", "asked", "said"),
    [
        pytest.param(0.95, 0.9, ("0.95", "0.9"), id="plainly"),
        pytest.param(0.999, 0.9, ("> 0.99", "0.9"), id="near 1"),
        pytest.param(0.9987, 0.9984, ("0.9987", "0.9984"), id="as many as are asked"),
        pytest.param(0.99999, 0.9984, ("> 0.9999", "0.9984"), id="near 1, much asked"),
        pytest.param(0.89996, 0.9, ("0.89996", "0.9"), id="missed by little"),
        pytest.param(0.5, 0.9, ("0.50", "0.9"), id="missed"),
        pytest.param(0.998, 0.9984, ("0.9980", "0.9984"), id="missed, much asked"),
        pytest.param(0.99, 0.999975, ("0.990000", "0.999975"), id="all but 1 is asked"),
    ],
)
def test_one_sees_whether_a_probability_is_what_is_asked(
    value: float, asked: float, said: tuple[str, str]
) -> None:
    assert said_beside(value, asked) == said


@LAW
@given(st.floats(0.0, 1.0), st.floats(0.5, 0.99999))
def test_a_probability_beside_its_threshold_says_whether_it_is_reached(
    value: float, asked: float
) -> None:
    assume(abs(value - asked) > 1e-6)
    told, shown = said_beside(value, asked)
    assert (float(told.lstrip("<> ")) >= float(shown)) is (value >= asked)
