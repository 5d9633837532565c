from dataclasses import replace
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.distributions import normal_cdf, t_quantile
from skillwalker.intervals import (
    PairedCase,
    compare,
    mean_of_two,
    over_cases,
    said_probability,
    wilson,
)

LAW = settings(max_examples=150, deadline=None)


@st.composite
def pairs(draw: st.DrawFn, *, most_runs: int = 4) -> PairedCase:
    n0, n1 = draw(st.integers(0, most_runs)), draw(st.integers(0, most_runs))
    return PairedCase(
        positive=draw(st.booleans()),
        k0=draw(st.integers(0, n0)),
        n0=n0,
        k1=draw(st.integers(0, n1)),
        n1=n1,
    )


def pair(positive: bool, before: tuple[int, int], after: tuple[int, int]) -> PairedCase:
    return PairedCase(positive=positive, k0=before[0], n0=before[1], k1=after[0], n1=after[1])


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        pytest.param(0, 10, 0.0, 0.212942, id="none of ten"),
        pytest.param(10, 10, 0.787058, 1.0, id="ten of ten"),
        pytest.param(0, 0, 0.0, 1.0, id="nothing measured"),
    ],
)
def test_wilson(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=1e-5)


def test_wilson_is_that_of_newcombe() -> None:
    """81 of 263 is the worked example of Newcombe, Statistics in Medicine 17 (1998)."""
    assert wilson(81, 263, 0.95) == pytest.approx((0.2553, 0.3662), abs=1e-4)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=30))
@LAW
def test_interval_over_cases_holds_the_rate(counts: list[tuple[int, int]]) -> None:
    shares = [min(k, n) / n for k, n in counts]
    low, high = over_cases(shares, sum(n for _, n in counts))
    assert 0 <= low <= fmean(shares) + 1e-12
    assert fmean(shares) - 1e-12 <= high <= 1
    assert high - low > 0.01


def test_more_runs_of_the_same_few_cases_stay_a_small_sample() -> None:
    agreeing = [1.0] * 4 + [0.0] * 4
    assert over_cases(agreeing, 8) == wilson(4, 8)
    assert over_cases(agreeing, 40) == wilson(4, 8)


def test_few_cases_whose_runs_vary_are_corrected_by_t() -> None:
    varied = [1 / 2] * 8
    worth = 32 * (1.6448536 / t_quantile(7)) ** 2
    assert over_cases(varied, 32) == pytest.approx(wilson(worth / 2, worth), abs=1e-6)


@given(
    st.lists(st.integers(0, 4).map(lambda k: k / 4), min_size=1, max_size=20),
    st.integers(1, 60),
    st.integers(1, 60),
)
@LAW
def test_more_runs_with_the_same_shares_never_widen(
    shares: list[float], runs: int, more: int
) -> None:
    fewer = over_cases(shares, runs + len(shares) - 1)
    further = over_cases(shares, runs + len(shares) - 1 + more)
    assert fewer[0] <= further[0] + 1e-12
    assert further[1] <= fewer[1] + 1e-12


def test_four_runs_of_four_cases_that_fail_say_no_less_than_one() -> None:
    assert over_cases([0.0] * 4, 16) == over_cases([0.0] * 4, 4)
    assert over_cases([0.0] * 4, 4)[1] == pytest.approx(0.4035, abs=1e-4)


def test_a_group_that_agrees_is_worth_one_case() -> None:
    cases = [1.0] * 13 + [0.0] * 2
    twice = [share for share in cases for _ in range(2)]
    names = [f"{at}" for at in range(15) for _ in range(2)]
    assert over_cases(twice, 30, groups=names) == pytest.approx(wilson(13, 15))
    assert over_cases([1.0] * 24, 24, groups=["one"] * 24) == wilson(1, 1)
    assert over_cases([1.0] * 8, 8, groups=["a"] * 4 + [None] * 4) == wilson(16 / 5, 16 / 5)


def test_groups_of_one_case_each_change_nothing() -> None:
    shares = [1.0, 0.0, 1.0, 0.5, 1.0]
    for groups in (None, [None] * 5, ["a", "b", "c", "d", "e"]):
        assert over_cases(shares, 9, groups=groups) == over_cases(shares, 9)


def test_a_group_whose_cases_differ_is_worth_more_than_one() -> None:
    mixed = [1.0, 0.0] * 10
    names = [f"{at // 2}" for at in range(20)]
    grouped = over_cases(mixed, 20, groups=names)
    assert wilson(5, 10)[0] < grouped[0] < over_cases(mixed, 20)[0]


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_nine_of_ten_intervals_hold_the_truth_with_near_duplicates(copies: int) -> None:
    draw = Random(12)  # noqa: S311 (a simulation, no secret)
    held = 0
    for _ in range(400):
        chances = [draw.betavariate(1.4, 0.6) for _ in range(12)]
        alike = [(f"{at}", p) for at, p in enumerate(chances) for _ in range(copies)]
        shares = [float(draw.random() < p) for _, p in alike]
        low, high = over_cases(shares, len(shares), groups=[name for name, _ in alike])
        held += low <= 0.7 <= high
    assert 0.87 <= held / 400 <= 0.99


def test_runs_that_vary_as_if_independent_do_narrow_it() -> None:
    varied = [1 / 3, 2 / 3, 1 / 3, 2 / 3, 1.0, 0.0, 2 / 3, 1 / 3, 2 / 3, 1 / 3] * 2
    one_run = over_cases([1.0, 0.0] * 10, 20)
    three_runs = over_cases(varied, 60)
    assert three_runs[1] - three_runs[0] < one_run[1] - one_run[0]


@pytest.mark.parametrize("runs", [1, 3])
def test_nine_of_ten_intervals_hold_the_truth(runs: int) -> None:
    draw = Random(11)  # noqa: S311 (a simulation, no secret)
    truth, held = 0.7, 0
    for _ in range(400):
        chances = [draw.betavariate(1.4, 0.6) for _ in range(12)]
        shares = [fmean(draw.random() < p for _ in range(runs)) for p in chances]
        low, high = over_cases(shares, 12 * runs)
        held += low <= truth <= high
    assert 0.87 <= held / 400 <= 0.99


def test_mean_of_two_adds_the_distances_like_standard_errors() -> None:
    rate, low, high = mean_of_two((0.8, 0.5, 0.9), (0.4, 0.0, 0.7))
    assert rate == pytest.approx(0.6)
    assert low == pytest.approx(0.6 - 0.25)
    assert high == pytest.approx(0.6 + 0.1 * 10**0.5 / 2)


# --- two descriptions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "p"),
    [
        pytest.param(
            [
                pair(True, (0, 3), (3, 3)),
                pair(True, (1, 3), (2, 3)),
                pair(True, (3, 3), (3, 3)),
                pair(False, (3, 3), (2, 3)),
                pair(False, (2, 3), (3, 3)),
                pair(False, (3, 3), (3, 3)),
            ],
            0.9387976584,
            id="three runs",
        ),
        pytest.param(
            [
                *(pair(True, (k0, 1), (k1, 1)) for k0, k1 in ((0, 1), (0, 0), (1, 1), (0, 1))),
                *(pair(False, (k0, 1), (1, 1)) for k0 in (1, 1, 0)),
            ],
            0.9996558796,
            id="one run",
        ),
        pytest.param(
            [
                pair(True, (1, 2), (3, 3)),
                pair(True, (2, 3), (1, 1)),
                pair(False, (1, 3), (3, 3)),
                pair(False, (3, 3), (1, 2)),
                pair(False, (2, 2), (2, 3)),
            ],
            0.8408601944,
            id="unequal runs",
        ),
    ],
)
def test_p_better_is_that_of_the_simulation(rows: list[PairedCase], p: float) -> None:
    """The figures are those of the numpy function that the gate was tuned with."""
    assert compare(rows).p_better == pytest.approx(p, abs=1e-9)


def test_change_is_by_class_whatever_the_mix() -> None:
    change = compare(
        [pair(True, (0, 1), (1, 1)), pair(True, (1, 1), (1, 1))] + [pair(False, (1, 1), (1, 1))] * 8
    )
    assert change.recall_change == 0.5
    assert change.specificity_change == 0.0
    assert change.change == 0.25


@pytest.mark.parametrize(
    ("rows", "recall", "specificity"),
    [
        pytest.param([], None, None, id="nothing"),
        pytest.param([pair(True, (0, 1), (1, 1))], 1.0, None, id="no negative"),
        pytest.param(
            [pair(True, (0, 1), (1, 1)), pair(False, (0, 0), (1, 1))], 1.0, None, id="undecided"
        ),
        pytest.param([pair(False, (1, 1), (0, 1))], None, -1.0, id="no positive"),
    ],
)
def test_a_class_without_a_paired_case_gives_no_p(
    rows: list[PairedCase], recall: float | None, specificity: float | None
) -> None:
    change = compare(rows)
    assert (change.p_better, change.change, change.interval) == (None, None, None)
    assert (change.recall_change, change.specificity_change) == (recall, specificity)


@given(st.lists(pairs(), max_size=25))
@LAW
def test_swapping_the_two_gives_the_rest_of_the_chance(rows: list[PairedCase]) -> None:
    there = compare(rows)
    back = compare(
        [PairedCase(positive=p.positive, k0=p.k1, n0=p.n1, k1=p.k0, n1=p.n0) for p in rows]
    )
    if there.p_better is None or there.change is None or there.interval is None:
        assert back.p_better is None
        return
    assert back.p_better == pytest.approx(1 - there.p_better, abs=1e-9)
    assert back.change == pytest.approx(-there.change)
    assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]))


@given(st.lists(pairs(), max_size=25))
@LAW
def test_interval_holds_the_change_and_never_collapses(rows: list[PairedCase]) -> None:
    change = compare(rows)
    if change.change is not None and change.interval is not None:
        low, high = change.interval
        assert -1 <= low <= change.change <= high <= 1
        assert high > low


@given(st.lists(pairs(), max_size=25), st.integers(0, 24), st.integers(0, 4))
@LAW
def test_a_case_that_one_side_did_not_decide_counts_for_nothing(
    rows: list[PairedCase], place: int, decided: int
) -> None:
    lost = PairedCase(positive=place % 2 == 0, k0=0, n0=0, k1=decided, n1=decided)
    assert compare([*rows[:place], lost, *rows[place:]]) == compare(rows)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=25),
    st.integers(1, 12),
    st.booleans(),
)
@LAW
def test_a_case_won_raises_p_and_a_case_lost_lowers_it(
    changes: list[tuple[int, int]], unmoved: int, positive: bool
) -> None:
    """Within one class; a win in the other may add more doubt than gain."""
    rest = [pair(not positive, (1, 1), (1, 1))] * unmoved

    def chance(before: int, after: int) -> float:
        moved = [*changes, (1, 1), (before, after)]
        p = compare([*rest, *(pair(positive, (k0, 1), (k1, 1)) for k0, k1 in moved)]).p_better
        assert p is not None
        return p

    lost, same, won = chance(1, 0), chance(1, 1), chance(0, 1)
    assert lost <= same <= won
    if 1e-9 < same < 1 - 1e-9:  # where a float can tell
        assert lost < same < won


@pytest.mark.parametrize(
    ("changes", "interval"),
    [
        pytest.param([], None, id="no case"),
        pytest.param([1], None, id="a lone case shows no spread"),
        pytest.param([0, 1], (-1.0, 1.0), id="two: cut where rates end"),
        pytest.param([0, 0, 1, 1], (0.5 - 0.69945, 1.0), id="four"),
        pytest.param([0] * 30, (-0.04387, 0.04387), id="thirty that agree"),
    ],
)
def test_a_class_has_the_interval_of_its_own_cases(
    changes: list[int], interval: tuple[float, float] | None
) -> None:
    """Four: sqrt((1/3 + 0.02) / 4) = 0.29721, times 2.353363 with 3 degrees of freedom."""
    rows = [pair(True, (0, 1), (won, 1)) for won in changes]
    there = compare([*rows, pair(False, (1, 1), (1, 1))])
    swapped = compare([replace(row, positive=False) for row in rows])
    if interval is None:
        assert there.recall_interval is None
        assert swapped.specificity_interval is None
    else:
        assert there.recall_interval == pytest.approx(interval, abs=1e-4)
        assert swapped.specificity_interval == there.recall_interval
        assert swapped.interval is None
    assert there.specificity_interval is None


@given(st.lists(pairs(), max_size=25))
@LAW
def test_the_interval_of_a_class_holds_its_change(rows: list[PairedCase]) -> None:
    found = compare(rows)
    for change, interval in (
        (found.recall_change, found.recall_interval),
        (found.specificity_change, found.specificity_interval),
    ):
        if interval is not None:
            assert change is not None
            assert -1 <= interval[0] <= change <= interval[1] <= 1


def test_the_same_change_on_more_cases_is_surer() -> None:
    rows = [pair(True, (1, 3), (3, 3)), pair(True, (2, 3), (2, 3)), pair(False, (3, 3), (3, 3))]
    few, many = compare(rows * 2), compare(rows * 6)
    assert few.p_better is not None
    assert many.p_better is not None
    assert 0.5 < few.p_better < many.p_better
    assert few.interval is not None
    assert many.interval is not None
    assert few.interval[1] - few.interval[0] > many.interval[1] - many.interval[0]


def test_a_class_of_one_case_is_taken_as_a_coin() -> None:
    lone = compare([pair(True, (0, 3), (3, 3)), *[pair(False, (3, 3), (3, 3))] * 10])
    assert lone.p_better is not None
    assert lone.p_better == pytest.approx(normal_cdf(0.5 / (0.27 / 4 + 0.02 / 40) ** 0.5))


@LAW
@given(st.floats(0, 1), st.integers(2, 4))
def test_a_probability_never_looks_certain(value: float, decimals: int) -> None:
    said = said_probability(value, decimals=decimals)
    assert 0 < float(said.lstrip("<> ")) < 1
    assert said.startswith(">") is (round(value, decimals) == 1)


def test_degrees_of_freedom_between_two_whole_ones_are_rounded_down() -> None:
    """Welch's are 3.045: sqrt((0.35333 / 4 + 0.02 / 30) / 4) = 0.149164, times t of 3."""
    rows = [pair(True, (0, 1), (won, 1)) for won in (0, 0, 1, 1)]
    found = compare([*rows, *[pair(False, (1, 1), (1, 1))] * 30])
    assert found.change == pytest.approx(0.25)
    half = 0.149164 * 2.353363
    assert found.interval == pytest.approx((0.25 - half, 0.25 + half), abs=1e-5)
