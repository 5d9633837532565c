from math import sqrt

import pytest

from skillwalker.checking.power import cases_needed, detectable_change


@pytest.mark.parametrize(
    ("cases", "runs", "points"),
    [(30, 1, 24), (30, 3, 17), (30, 10, 14), (40, 1, 21), (40, 3, 15), (40, 10, 12), (12, 3, 27)],
)
def test_what_a_suite_shows_is_as_the_simulation_found_it(
    cases: int, runs: int, points: int
) -> None:
    change = detectable_change(cases // 2, cases // 2, runs)
    assert change is not None
    assert round(change * 100) == points


@pytest.mark.parametrize(("runs", "cases"), [(1, 175), (3, 89), (20, 52)])
def test_how_many_cases_show_ten_points(runs: int, cases: int) -> None:
    assert cases_needed(0.1, runs) == cases


def test_each_side_weighs_half_whatever_its_size() -> None:
    even, skewed = detectable_change(5, 5, 3), detectable_change(2, 8, 3)
    assert even is not None
    assert skewed is not None
    assert skewed / even == pytest.approx(sqrt((1 / 2 + 1 / 8) / (2 / 5)))


@pytest.mark.parametrize(("positive", "negative"), [(0, 5), (5, 0), (0, 0)])
def test_one_side_alone_shows_nothing(positive: int, negative: int) -> None:
    assert detectable_change(positive, negative, 3) is None


def test_so_many_cases_show_just_that_change() -> None:
    for points in (5, 10, 20, 40):
        cases = cases_needed(points / 100, 3)
        shown = detectable_change(cases // 2, cases - cases // 2, 3)
        assert shown is not None
        assert shown <= points / 100 + 0.005
