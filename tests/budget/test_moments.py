"""Moments and spans as users write them."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.budget.moments import parse_deadline, parse_span, say_span
from skillwalker.errors import ConfigError

EVENING = datetime(2026, 11, 30, 20, 15, 30, tzinfo=UTC).timestamp()
"""22:15:30 in a winter of `EAST`."""
EAST = "EET-2EEST,M3.5.0/3,M10.5.0/4"
"""Two hours east of Greenwich; on 2026-03-29 there is no 03:30, on 2026-10-25 there are two."""


@pytest.fixture(scope="module", autouse=True)
def _clock() -> Iterator[None]:
    """Let this machine's clock be one that is changed in spring and autumn."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", EAST)
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30m", 1800),
        ("90m", 5400),
        ("2h30m", 9000),
        ("45s", 45),
        ("1d", 86_400),
        (" 2H ", 7200),
        ("0m", 0),
    ],
)
def test_a_span_is_read(text: str, seconds: float) -> None:
    assert parse_span(text, flag="--max-pause") == seconds


@pytest.mark.parametrize("text", ["", "90", "m", "30m2h", "-5m", "1.5h", "5 m", "٣m", "half"])
def test_what_is_no_span_names_flag_value_and_the_right_form(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^--max-pause: .* is no span; write it like 30m"):
        parse_span(text, flag="--max-pause")


@pytest.mark.parametrize("text", ["9999999999h", "9" * 400 + "d", "367d"])
def test_a_span_of_years_is_a_slip(text: str) -> None:
    with pytest.raises(ConfigError, match="longer than a year"):
        parse_span(text, flag="--max-pause")


@pytest.mark.parametrize(
    ("text", "then"),
    [
        pytest.param("23:00", datetime(2026, 11, 30, 21, 0, tzinfo=UTC), id="today"),
        pytest.param("07:30", datetime(2026, 12, 1, 5, 30, tzinfo=UTC), id="tomorrow"),
        pytest.param("7:30", datetime(2026, 12, 1, 5, 30, tzinfo=UTC), id="one digit"),
        pytest.param("22:15", datetime(2026, 12, 1, 20, 15, tzinfo=UTC), id="seconds ago"),
        pytest.param("00:00", datetime(2026, 11, 30, 22, 0, tzinfo=UTC), id="midnight"),
        pytest.param("90m", datetime(2026, 11, 30, 21, 45, 30, tzinfo=UTC), id="a span"),
    ],
)
def test_a_deadline_is_the_next_such_moment(text: str, then: datetime) -> None:
    assert parse_deadline(text, now=EVENING) == then.timestamp()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("24:00", "there is no '24:00' on a clock"),
        ("12:60", "there is no '12:60' on a clock"),
        ("noon", "is no time; write it like 07:30"),
        ("12", "is no time"),
        ("", "is no time"),
        ("400d", "longer than a year"),
    ],
)
def test_what_is_no_deadline_says_so(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse_deadline(text, now=EVENING)


@pytest.mark.parametrize(
    ("now", "text", "then"),
    [
        pytest.param("2026-03-28T22:00+02:00", "07:30", "2026-03-29T07:30+03:00", id="spring"),
        pytest.param("2026-10-24T22:00+03:00", "07:30", "2026-10-25T07:30+02:00", id="autumn"),
        pytest.param("2026-10-25T03:10+03:00", "03:30", "2026-10-25T03:30+03:00", id="first"),
        pytest.param("2026-10-25T03:40+03:00", "03:30", "2026-10-25T03:30+02:00", id="second"),
        pytest.param("2026-10-25T03:40+02:00", "03:30", "2026-10-26T03:30+02:00", id="no third"),
        pytest.param("2026-03-28T22:00+02:00", "03:30", "2026-03-29T04:30+03:00", id="skipped"),
        pytest.param("2026-03-29T04:10+03:00", "03:30", "2026-03-30T03:30+03:00", id="next day"),
    ],
)
def test_a_deadline_holds_across_a_change_of_the_clock(now: str, text: str, then: str) -> None:
    moment = datetime.fromisoformat(now).timestamp()
    assert parse_deadline(text, now=moment) == datetime.fromisoformat(then).timestamp()


@given(
    moment=st.integers(1_600_000_000, 2_000_000_000),
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
)
@settings(max_examples=60, deadline=None)
def test_the_next_moment_comes_within_a_day(moment: int, hour: int, minute: int) -> None:
    then = parse_deadline(f"{hour:02d}:{minute:02d}", now=moment)
    assert 0 < then - moment <= 86_400 + 3600
    shown = datetime.fromtimestamp(then, tz=UTC).astimezone()
    is_skipped = (hour, shown.hour, shown.month) == (3, 4, 3)
    assert is_skipped or shown.strftime("%H:%M") == f"{hour:02d}:{minute:02d}"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (-3, "0s"),
        (59.4, "59s"),
        (60, "1m"),
        (1800, "30m"),
        (3600, "1h"),
        (9030, "2h30m"),
    ],
)
def test_a_span_is_written_as_it_is_read(seconds: float, text: str) -> None:
    assert say_span(seconds) == text
