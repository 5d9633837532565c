from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.scores import CaseResult, Iteration, SetScore
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.intervals import wilson
from skillwalker.steps.step_5_score import (
    count_runs,
    rates,
    rates_by_model,
    score,
    select_best,
    weakest,
)
from tests.measured import iteration, result, results

LAW = settings(max_examples=100, deadline=None)
LETTERS = st.text("tnu", max_size=5)
SIDES = st.sampled_from([CaseSet.TRAIN, CaseSet.HOLDOUT])


@st.composite
def measured(draw: st.DrawFn, *, most: int = 8) -> tuple[CaseResult, ...]:
    rows = draw(st.lists(st.tuples(LETTERS, st.booleans(), SIDES), max_size=most))
    return tuple(
        result(f"case {place}", letters, positive=positive, side=side)
        for place, (letters, positive, side) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("letters", "positive", "passed"),
    [
        pytest.param("t", True, True, id="positive triggered"),
        pytest.param("t", False, False, id="negative triggered"),
        pytest.param("n", False, True, id="negative left alone"),
        pytest.param("ttn", True, True, id="two of three"),
        pytest.param("tnn", True, False, id="one of three"),
        pytest.param("tn", True, None, id="tie"),
        pytest.param("tn", False, None, id="tie of a negative"),
        pytest.param("uu", True, None, id="undecided"),
        pytest.param("", True, None, id="no trial"),
        pytest.param("uut", True, True, id="one decided"),
    ],
)
def test_vote(letters: str, positive: bool, passed: bool | None) -> None:
    assert result("case", letters, positive=positive).passed is passed


@given(LETTERS, st.randoms(use_true_random=False), st.booleans())
@LAW
def test_vote_and_rates_ignore_the_order(letters: str, mixer: Random, positive: bool) -> None:
    shuffled = list(letters)
    mixer.shuffle(shuffled)
    one = result("case", letters, positive=positive)
    other = result("case", "".join(shuffled), positive=positive)
    assert (one.passed, rates([one])) == (other.passed, rates([other]))


@given(measured(), st.integers(0, 8), st.integers(1, 4))
@LAW
def test_an_undecided_trial_moves_no_rate(
    cases: tuple[CaseResult, ...], place: int, more: int
) -> None:
    names = [case.case.name for case in cases]
    with_undecided = [
        result(
            name,
            "".join(trial.outcome.value[0] for trial in case.trials) + "u" * more * (at == place),
            positive=case.case.should_trigger,
            side=case.set,
        )
        for at, (name, case) in enumerate(zip(names, cases, strict=True))
    ]
    lost = result("all undecided", "u" * more)
    assert rates([*with_undecided, lost]) == rates(cases)
    for side in CaseSet:
        assert score(with_undecided, side) == score(cases, side)


def test_score_counts_one_set() -> None:
    cases = (
        *results(["t", "n", "u"], ["n", "t"]),
        *results(["t"], ["tn"], side=CaseSet.HOLDOUT),
    )
    assert score(cases, CaseSet.TRAIN) == SetScore(passed=2, failed=2, undecided=1)
    assert score(cases, CaseSet.HOLDOUT) == SetScore(passed=1, failed=0, undecided=1)
    assert score(cases, CaseSet.CONFIRM).accuracy is None


def test_rates_of_one_run_each_are_wilson() -> None:
    made = rates(results(["t", "t", "n"], ["n", "n", "n", "t"]))
    assert (made.recall.k, made.recall.n) == (2, 3)
    assert made.recall.rate == pytest.approx(2 / 3)
    assert (made.recall.low, made.recall.high) == pytest.approx(wilson(2, 3))
    assert made.specificity.rate == pytest.approx(3 / 4)
    assert made.accuracy.rate == pytest.approx(5 / 7)
    assert (made.balanced.k, made.balanced.n) == (5, 7)
    assert made.balanced.rate == pytest.approx((2 / 3 + 3 / 4) / 2)


def test_a_case_that_was_run_more_often_weighs_no_more() -> None:
    made = rates(results(["ttttt", "n"]))
    assert (made.recall.k, made.recall.n, made.recall.rate) == (5, 6, 0.5)


def test_rounds_of_the_same_case_are_one_case() -> None:
    rounds = (*results(["t", "n"], ["n"]), *results(["t", "t"], ["t"]))
    assert rates(rounds) == rates(results(["tt", "nt"], ["nt"]))
    assert len(count_runs(rounds)) == 3


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [
        pytest.param([], ["n"], id="no positive"),
        pytest.param(["t"], ["u"], id="negatives undecided"),
    ],
)
def test_no_balanced_rate_of_one_class(positives: list[str], negatives: list[str]) -> None:
    made = rates(results(positives, negatives))
    assert made.balanced.rate is None
    assert made.balanced.low is None
    assert made.accuracy.rate == 1.0


def test_nothing_decided_gives_no_rate() -> None:
    made = rates(results(["u", "uu"], ["u"]))
    for rate in (made.accuracy, made.recall, made.specificity, made.balanced):
        assert (rate.k, rate.n, rate.rate, rate.low, rate.high) == (0, 0, None, None, None)


@given(measured())
@LAW
def test_every_interval_holds_its_rate(cases: tuple[CaseResult, ...]) -> None:
    made = rates(cases)
    for rate in (made.accuracy, made.recall, made.specificity, made.balanced):
        if rate.rate is not None and rate.low is not None and rate.high is not None:
            assert 0 <= rate.low <= rate.rate + 1e-12
            assert rate.rate - 1e-12 <= rate.high <= 1


# --- the best iteration ------------------------------------------------------------------------


def scored(number: int, train: str, holdout: str = "") -> Iteration:
    """An iteration by letters: y passed, x failed, u undecided."""
    letters = {"y": "t", "x": "n", "u": "u"}
    return iteration(
        number,
        (
            *results([letters[c] for c in train]),
            *results([letters[c] for c in holdout], side=CaseSet.HOLDOUT),
        ),
    )


@pytest.mark.parametrize(
    ("rows", "best"),
    [
        pytest.param([("yx", "yx"), ("xx", "yy")], 2, id="holdout before train"),
        pytest.param([("yx", "yx"), ("yy", "yx")], 2, id="then train"),
        pytest.param([("yx", "yx"), ("yx", "yx")], 1, id="then the earliest"),
        pytest.param([("yx", ""), ("xx", ""), ("yy", ""), ("yy", "")], 3, id="without holdout"),
        pytest.param([("u", ""), ("x", "")], 2, id="unknown below everything"),
        pytest.param([("x", ""), ("u", "")], 1, id="unknown is never chosen over a zero"),
        pytest.param([("yy", "yyx"), ("yy", "yuu")], 1, id="accurate only by undecided cases"),
        pytest.param([("yx", "uuu"), ("yy", "uuu")], 2, id="holdout unknown everywhere"),
    ],
)
def test_select_best(rows: list[tuple[str, str]], best: int) -> None:
    iterations = [scored(number, *row) for number, row in enumerate(rows, start=1)]
    assert select_best(iterations).number == best


@given(st.lists(st.tuples(st.text("yxu", max_size=4), st.text("yxu", max_size=4)), min_size=1))
@LAW
def test_best_never_passes_fewer_holdout_cases_than_the_first(rows: list[tuple[str, str]]) -> None:
    iterations = [scored(number, *row) for number, row in enumerate(rows, start=1)]
    first, best = iterations[0], select_best(iterations)
    passed = [score(i.results, CaseSet.HOLDOUT).passed for i in (first, best)]
    assert passed[1] >= passed[0]


@given(st.lists(st.tuples(st.text("yxu", max_size=4), st.text("yxu", max_size=4)), min_size=1))
@LAW
def test_best_does_not_change_when_a_copy_of_it_is_added(rows: list[tuple[str, str]]) -> None:
    iterations = [scored(number, *row) for number, row in enumerate(rows, start=1)]
    best = select_best(iterations)
    assert select_best([*iterations, replace(best, number=len(iterations) + 1)]) == best


def under(model: str, *rows: tuple[str, bool]) -> tuple[CaseResult, ...]:
    """Results of one model, by letters and polarity."""
    made = (
        result(f"case {place}", letters, positive=positive)
        for place, (letters, positive) in enumerate(rows)
    )
    return tuple(replace(one, case=replace(one.case, model=model)) for one in made)


def test_each_model_has_its_rates_and_the_weakest_is_named() -> None:
    strong = under("strong", ("ttt", True), ("nnn", False))
    weak = under("weak", ("ttn", True), ("nnn", False))
    both = (*strong, *weak)
    assert {model: own.balanced.rate for model, own in rates_by_model(both).items()} == {
        "strong": 1.0,
        "weak": pytest.approx(5 / 6),
    }
    worst = weakest(both)
    assert worst is not None
    assert worst[0] == "weak"
    assert worst[1] == pytest.approx(5 / 6)
    assert weakest(()) is None
    assert weakest(under("blind", ("uu", True))) is None


def test_a_case_on_several_models_is_one_draw() -> None:
    rows = [("t", True)] * 13 + [("n", True)] * 2 + [("n", False)] * 15
    alone = under("sonnet", *rows)
    one, both = rates(alone), rates((*alone, *under("haiku", *rows)))
    assert (both.recall.k, both.recall.n) == (26, 30)
    for name in ("accuracy", "recall", "specificity", "balanced"):
        first, second = getattr(one, name), getattr(both, name)
        assert second.rate == pytest.approx(first.rate)
        assert (second.low, second.high) == pytest.approx((first.low, first.high))


def test_near_duplicates_are_one_draw() -> None:
    alike = [replace(one, group="alike") for one in results(["t"] * 8, ["n"] * 8)]
    assert (rates(alike).recall.k, rates(alike).recall.n) == (8, 8)
    assert (rates(alike).recall.low, rates(alike).recall.high) == wilson(1, 1)
    apart = [replace(one, group=one.case.name) for one in alike]
    assert rates(apart) == rates(results(["t"] * 8, ["n"] * 8))


def test_of_texts_alike_the_one_with_the_better_weakest_model_is_chosen() -> None:
    lopsided = (*under("a", ("tttt", True)), *under("b", ("tttnn", True)))
    even = (*under("a", ("ttttn", True)), *under("b", ("tttt", True)))
    texts = [iteration(1, lopsided), iteration(2, even)]
    assert select_best(texts).number == 2
    alone = [iteration(1, under("a", ("tttnn", True))), iteration(2, under("a", ("tttt", True)))]
    assert select_best(alone).number == 1  # of one model the earliest, as before
