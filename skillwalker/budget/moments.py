"""Reads moments and spans as `--deadline` and `--max-pause` take them (pure)."""

import re
from datetime import UTC, datetime, timedelta

from skillwalker.errors import ConfigError

_TIME = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)
_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)
_LONGEST = timedelta(days=366)


def parse_span(text: str, *, flag: str) -> float:
    """Read a span like `90m`, `2h30m` or `45s` and give its seconds.

    Args:
        text: as written.
        flag: named when it is wrong.

    Raises:
        ConfigError: it is no span, or longer than a year.
    """
    found = _span(text)
    if found is None:
        raise ConfigError(f"{flag}: {text!r} is no span; write it like 30m, 90m or 2h30m")
    if found > _LONGEST:
        raise ConfigError(f"{flag}: {text!r} is longer than a year; write a shorter span")
    return found.total_seconds()


def parse_deadline(text: str, *, now: float, flag: str = "--deadline") -> float:
    """Read a deadline and give it in seconds since 1970.

    Args:
        text: `HH:MM`, the next one on this machine's clock, even if that is changed in between;
            or a span from now on.
        now: this moment, in seconds since 1970.
        flag: named when it is wrong.

    Raises:
        ConfigError: it is neither.
    """
    clock = _TIME.fullmatch(text.strip())
    if clock is None:
        if _span(text) is None:
            raise ConfigError(
                f"{flag}: {text!r} is no time; write it like 07:30 (the next one), 90m or 2h30m"
            )
        return now + parse_span(text, flag=flag)
    hour, minute = int(clock[1]), int(clock[2])
    if hour > 23 or minute > 59:
        raise ConfigError(f"{flag}: there is no {text!r} on a clock; write it from 00:00 to 23:59")
    return _next_on_clock(hour, minute, now)


def _next_on_clock(hour: int, minute: int, now: float) -> float:
    """Find the next moment at which the clock shows a time.

    A time that a change of the clock skips is taken as if there were none.
    """
    # Without a time zone: with one, all days would have the hours of this one.
    here = datetime.fromtimestamp(now)  # noqa: DTZ006 (for that reason)
    today = here.replace(hour=hour, minute=minute, second=0, microsecond=0, fold=0)
    found = []
    for wall in (today, today + timedelta(days=1)):
        for fold in (0, 1):  # the hour that an autumn night has twice
            moment = wall.replace(fold=fold).timestamp()
            is_shown = datetime.fromtimestamp(moment) == wall  # noqa: DTZ006 (as above)
            is_skipped = not is_shown and fold == 0 and wall > here
            if moment > now and (is_shown or is_skipped):
                found.append(moment)
    return min(found)


def say_span(seconds: float) -> str:
    """Write a span in hours and minutes, one below a minute in seconds; `parse_span` reads it."""
    left = max(0, round(seconds))
    if left < 60:
        return f"{left}s"
    minutes = round(left / 60)
    hours, rest = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{rest}m" if rest or not hours else "")


def clock_time(moment: float) -> str:
    """Write a moment as people read it, in local time."""
    return datetime.fromtimestamp(moment, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")


def _span(text: str) -> timedelta | None:
    """Read a span; None when it is none, or nothing."""
    parts = _SPAN.fullmatch(text.strip().lower())
    if parts is None or not any(parts.groups()):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    try:
        return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        return timedelta.max
