"""Moments and spans as users write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.budget.moments import parse_deadline, parse_span, say_span
from skillwalker.errors import ConfigError

EVENING = datetime(2026, 11, 30, 22, 15, 30, tzinfo=timezone(timedelta(hours=2)))


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


@given(
    moment=st.integers(1_600_000_000, 2_000_000_000),
    hour=st.integers(0, 23),
    minute=st.integers(0, 59),
)
@settings(max_examples=60, deadline=None)
def test_the_next_moment_comes_within_a_day(moment: int, hour: int, minute: int) -> None:
    now = datetime.fromtimestamp(moment, tz=UTC)
    then = parse_deadline(f"{hour:02d}:{minute:02d}", now=now)
    assert 0 < then - now.timestamp() <= 86_400
    assert datetime.fromtimestamp(then, tz=UTC).strftime("%H:%M") == f"{hour:02d}:{minute:02d}"


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
