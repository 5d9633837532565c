from collections.abc import Sequence
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.search.belief import Belief, Column, believe, most_telling, posterior_mean, weigh
from skillwalker.search.protocol import CellRuns, Tally

LAW = settings(max_examples=60, deadline=None)


def columns(classes: str) -> list[Column]:
    """A case a letter: p positive, n negative; cases with the same digit are near-duplicates."""
    pairs = zip(classes[::2], classes[1::2], strict=True)
    return [Column(positive=letter == "p", group=digit) for letter, digit in pairs]


@st.composite
def tallies(draw: st.DrawFn, cases: int, candidates: int) -> list[list[Tally]]:
    def tally() -> Tally:
        runs = draw(st.integers(0, 5))
        decided = draw(st.integers(0, runs))
        return Tally(correct=draw(st.integers(0, decided)), decided=decided, runs=runs)

    return [[tally() for _ in range(cases)] for _ in range(candidates)]


# --- weights -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "weights"),
    [
        pytest.param("p1n2", (1 / 2, 1 / 2), id="one of each"),
        pytest.param("p1p2p3n4", (1 / 6, 1 / 6, 1 / 6, 1 / 2), id="a class weighs half"),
        pytest.param(
            "p1p1p2n3", (1 / 8, 1 / 8, 1 / 4, 1 / 2), id="near-duplicates share one weight"
        ),
        pytest.param("p1n1", (1 / 2, 1 / 2), id="groups are of one class"),
        pytest.param("p1p2", (1 / 2, 1 / 2), id="one class has all"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_weigh(classes: str, weights: tuple[float, ...]) -> None:
    assert weigh(columns(classes)) == pytest.approx(weights)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), min_size=1, max_size=12))
@LAW
def test_weights_add_up_to_one(cases: list[tuple[bool, str]]) -> None:
    assert sum(weigh([Column(*case) for case in cases])) == pytest.approx(1)


# --- posterior ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tally", "pooled", "mean"),
    [
        pytest.param(Tally(), 0.6, 0.6, id="nothing seen is the prior"),
        pytest.param(Tally(1, 1, 1), 0.5, 0.7, id="one right"),
        pytest.param(Tally(0, 1, 1), 0.5, 0.3, id="one wrong"),
        pytest.param(Tally(0, 0, 4), 0.75, 0.75, id="undecided runs say nothing"),
    ],
)
def test_posterior_mean(tally: Tally, pooled: float, mean: float) -> None:
    assert posterior_mean(tally, pooled) == pytest.approx(mean)


def test_a_belief_by_hand() -> None:
    """Two cases, two candidates: 1 of 1 and 0 of 1 against 2 of 2 and nothing."""
    belief = believe(columns("p1n2"), [[Tally(1, 1, 1), Tally(0, 1, 1)], [Tally(2, 2, 2), Tally()]])
    first, second = (3 + 1.5) / (3 + 2), (0 + 1.5) / (1 + 2)
    assert belief.pooled == pytest.approx((first, second))
    means = (
        ((1 + 1.5 * first) / 2.5, 1.5 * second / 2.5),
        ((2 + 1.5 * first) / 3.5, second),
    )
    assert [list(row) for row in belief.means] == [pytest.approx(list(row)) for row in means]
    score = belief.scores[0]
    assert score.mean == pytest.approx((means[0][0] + means[0][1]) / 2)
    assert (score.recall, score.specificity) == pytest.approx(means[0])
    spread = [mean * (1 - mean) / 3.5 for mean in means[0]]
    assert score.variance == pytest.approx(sum(spread) / 4)


def test_a_class_without_a_case_has_no_mean() -> None:
    belief = believe(columns("p1"), [[Tally(1, 1, 1)]])
    assert belief.scores[0].specificity is None
    assert belief.values(0.0) == (belief.scores[0].mean,)


@given(st.data())
@LAW
def test_the_order_of_the_cases_is_nothing(data: st.DataObject) -> None:
    cases = columns("p1p1p2p3n1n2n2n3")
    rows = data.draw(tallies(len(cases), 3))
    order = data.draw(st.permutations(range(len(cases))))
    moved = believe([cases[at] for at in order], [[row[at] for at in order] for row in rows])
    assert moved.scores == believe(cases, rows).scores


@given(st.data())
@LAW
def test_a_run_that_goes_well_never_lowers_a_score(data: st.DataObject) -> None:
    cases = columns("p1p2n3n4")
    rows = data.draw(tallies(len(cases), 2))
    at = data.draw(st.integers(0, len(cases) - 1))
    before = believe(cases, rows).scores[0].mean
    old = rows[0][at]
    rows[0][at] = Tally(old.correct + 1, old.decided + 1, old.runs + 1)
    assert believe(cases, rows).scores[0].mean >= before


def test_p_better_grows_with_the_runs_that_show_it() -> None:
    def seen(runs: int) -> Belief:
        good, bad = Tally(runs, runs, runs), Tally(0, runs, runs)
        return believe(columns("p1n2"), [[bad, bad], [good, good]])

    assert seen(0).p_better(1) == 0.5
    assert 0.5 < seen(1).p_better(1) < seen(4).p_better(1) < 1
    assert seen(4).p_better(0, than=1) == pytest.approx(1 - seen(4).p_better(1))


def test_what_a_class_loses_beyond_the_allowed_counts_half() -> None:
    rows = [[Tally(9, 9, 9), Tally(1, 9, 9)], [Tally(3, 9, 9), Tally(9, 9, 9)]]
    belief = believe(columns("p1n2"), rows)
    first, second = belief.scores
    assert first.recall is not None
    assert second.recall is not None
    lost = first.recall - second.recall
    assert lost > 0.3
    assert belief.values(1.0) == (first.mean, second.mean)
    assert belief.values(0.05) == pytest.approx((first.mean, second.mean - (lost - 0.05) / 2))


# --- where a run says the most -----------------------------------------------------------------


def by_name(at: int) -> int:
    """Ties go to the earlier case."""
    return at


def drops(belief: Belief, candidate: int | None, chosen: Sequence[int]) -> list[float]:
    """How much one more run of each case lowers the variance, after those chosen."""
    count = len(belief.weights)
    row = [Tally()] * count if candidate is None else list(belief.tallies[candidate])
    means = belief.pooled if candidate is None else belief.means[candidate]
    found = []
    for at in range(count):
        worth = row[at].runs + chosen.count(at) + 1.5
        spread = belief.weights[at] ** 2 * means[at] * (1 - means[at])
        found.append(spread / (worth + 1) - spread / (worth + 2))
    return found


@given(st.data())
@LAW
def test_each_run_is_the_one_that_lowers_the_variance_the_most(data: st.DataObject) -> None:
    cases = columns("p1p1p2p3n1n2n2n3")
    belief = believe(cases, data.draw(tallies(len(cases), 2)))
    candidate = data.draw(st.sampled_from([None, 0, 1]))
    runs = data.draw(st.integers(0, 9))
    named = most_telling(belief, candidate, runs, by_name)
    chosen: list[int] = []
    for _ in range(runs):
        gains = drops(belief, candidate, chosen)
        chosen.append(max(range(len(gains)), key=lambda at: (round(gains[at], 15), -at)))
    assert sum(cell.runs for cell in named) == runs
    # Of equal ones it may take another than we do, so what is compared is the variance in all.
    assert lowered(belief, candidate, spread_out(named)) == pytest.approx(
        lowered(belief, candidate, chosen)
    )


def lowered(belief: Belief, candidate: int | None, chosen: Sequence[int]) -> float:
    """By how much so many runs lower the variance in all."""
    return sum(drops(belief, candidate, list(chosen[:done]))[at] for done, at in enumerate(chosen))


def spread_out(named: Sequence[CellRuns]) -> list[int]:
    """A place for each run."""
    return [cell.at for cell in named for _ in range(cell.runs)]


def test_a_case_that_is_never_decided_does_not_get_all_runs() -> None:
    rows = [[Tally(0, 0, 6), Tally(1, 2, 2)]]
    assert most_telling(believe(columns("p1n2"), rows), 0, 1, by_name) == (CellRuns(1, 1),)


def test_ties_go_by_rank() -> None:
    belief = believe(columns("p1p2n3n4"), [[Tally()] * 4])
    assert most_telling(belief, 0, 2, lambda at: -at) == (CellRuns(2, 1), CellRuns(3, 1))


def test_nothing_to_run_names_nothing() -> None:
    assert most_telling(believe([], [[]]), 0, 3, by_name) == ()
    assert sqrt(believe([], [[]]).scores[0].variance) == 0


# --- the leader --------------------------------------------------------------------------------


def of_models(*models: str) -> list[Column]:
    """A positive and a negative of each model, each in a group of its own."""
    return [
        Column(positive=positive, group=f"{positive}{at}", model=model)
        for at, model in enumerate(models)
        for positive in (True, False)
    ]


def of_two(*correct: int) -> list[Tally]:
    return [Tally(correct=right, decided=2, runs=2) for right in correct]


ONE_SIDED, EVEN, BETTER = of_two(2, 2, 0, 0), of_two(1, 1, 1, 1), of_two(2, 2, 1, 0)
TWO = of_models("haiku", "opus")
ALONE = of_models("opus", "opus")


@pytest.mark.parametrize(
    ("cases", "rows", "leader"),
    [
        pytest.param(TWO, [ONE_SIDED, EVEN], 1, id="the weakest model decides between equals"),
        pytest.param(TWO, [EVEN, ONE_SIDED], 0, id="in either order"),
        pytest.param(TWO, [EVEN, BETTER], 1, id="but the mean comes first"),
        pytest.param(TWO, [EVEN, EVEN], 0, id="the earliest of wholly equals"),
        pytest.param(ALONE, [ONE_SIDED, EVEN], 0, id="one model is no tie-break"),
    ],
)
def test_the_leader(cases: list[Column], rows: list[list[Tally]], leader: int) -> None:
    assert believe(cases, rows).leader(1.0) == leader


def test_a_difference_that_is_none_but_rounding_is_no_lead() -> None:
    cases = of_models("haiku", "opus", "sonnet")
    one_sided, even = of_two(0, 0, 2, 2, 2, 2), of_two(2, 2, 1, 1, 1, 1)
    belief = believe(cases, [one_sided, even])
    ahead, behind = belief.values(1.0)
    assert 0 < ahead - behind < 1e-12
    assert belief.leader(1.0) == 1


@pytest.mark.parametrize(
    ("cases", "leader"), [pytest.param(ALONE, 0, id="one"), pytest.param(TWO, 1, id="several")]
)
def test_a_better_mean_that_a_loss_weighs_up_leads_where_models_differ(
    cases: list[Column], leader: int
) -> None:
    """What recall gains, specificity loses by half: worth the same, at a better mean."""
    belief = believe(cases, [of_two(0, 1, 0, 2), of_two(1, 1, 1, 1)])
    assert belief.scores[1].mean > belief.scores[0].mean
    assert belief.values(0.0)[0] == pytest.approx(belief.values(0.0)[1])
    assert belief.leader(0.0) == leader


def test_the_leader_of_the_children() -> None:
    belief = believe(TWO, [BETTER, ONE_SIDED, EVEN])
    assert (belief.leader(1.0), belief.leader(1.0, first=1)) == (0, 2)


def test_a_weakest_model_has_the_weights_of_a_suite_of_its_own() -> None:
    """Both classes weigh half, and a model that has one class only is measured by that."""
    cases = [*of_models("opus"), Column(True, "x", "haiku"), Column(True, "x", "haiku")]
    belief = believe(cases, [of_two(2, 0, 2, 0)])
    means = belief.means[0]
    assert belief.weakest(0) == pytest.approx(min(sum(means[:2]) / 2, sum(means[2:]) / 2))


@given(tallies(6, 4), st.permutations(range(6)), st.sampled_from([0.0, 0.05, 1.0]))
@LAW
def test_the_leader_is_worth_no_less_than_any_whatever_the_order(
    rows: list[list[Tally]], order: list[int], max_loss: float
) -> None:
    cases = of_models("haiku", "opus", "sonnet")
    belief = believe(cases, rows)
    leader = belief.leader(max_loss)
    assert belief.values(max_loss)[leader] >= max(belief.values(max_loss)) - 1e-9
    moved = believe([cases[at] for at in order], [[row[at] for at in order] for row in rows])
    assert moved.leader(max_loss) == leader
