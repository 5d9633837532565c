"""How long rate limits pause, and when they do so no more."""

import pytest

from skillwalker.budget.pauses import FIRST_PAUSE, LONGEST_PAUSE, MARGIN, Pauses


def test_a_pause_lasts_until_the_limit_ends() -> None:
    pauses = Pauses(1800)
    assert pauses.begin(now=100, resets_at=400, before=None)
    assert pauses.until == 400 + MARGIN


def test_those_in_flight_together_make_one_pause() -> None:
    pauses = Pauses(1800)
    assert pauses.begin(now=100, resets_at=None, before=None)
    assert not pauses.begin(now=101, resets_at=None, before=None)
    assert not pauses.begin(now=101, resets_at=110, before=None)
    assert pauses.until == 100 + FIRST_PAUSE


def test_where_nobody_says_when_each_pause_is_twice_the_one_before() -> None:
    pauses, now, lengths = Pauses(10_000), 0.0, []
    for _ in range(6):
        assert pauses.begin(now=now, resets_at=None, before=None)
        lengths.append(pauses.until - now)
        now = pauses.until
    assert lengths == [30, 60, 120, 240, LONGEST_PAUSE, LONGEST_PAUSE]
    pauses.ease()
    pauses.begin(now=now, resets_at=now - 5, before=None)
    assert pauses.until - now == FIRST_PAUSE


@pytest.mark.parametrize(
    ("resets_at", "before", "outlasts"),
    [
        pytest.param(599, None, False, id="within"),
        pytest.param(600, None, True, id="longer in all"),
        pytest.param(300, 301, True, id="past the deadline"),
        pytest.param(300, 302, False, id="before the deadline"),
    ],
)
def test_a_limit_that_lasts_too_long_ends_it_at_once(
    resets_at: float, before: float | None, outlasts: bool
) -> None:
    pauses = Pauses(600)
    assert pauses.begin(now=0, resets_at=resets_at, before=before) is not outlasts
    assert (pauses.outlasting is not None) is outlasts


def test_only_the_time_that_is_really_paused_counts() -> None:
    pauses = Pauses(300)
    assert pauses.begin(now=0, resets_at=99, before=None)
    assert pauses.begin(now=50, resets_at=199, before=None)  # 100 more, not 150
    assert pauses.begin(now=1000, resets_at=1099, before=None)
    assert not pauses.begin(now=2000, resets_at=2005, before=None)
    assert pauses.outlasting is not None
