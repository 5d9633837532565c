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


def parse_deadline(text: str, *, now: datetime, flag: str = "--deadline") -> float:
    """Read a deadline and give it in seconds since 1970.

    Args:
        text: `HH:MM`, the next one on the clock of `now`; or a span from now on.
        now: this moment; without a time zone it is local time.
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
        return now.timestamp() + parse_span(text, flag=flag)
    hour, minute = int(clock[1]), int(clock[2])
    if hour > 23 or minute > 59:
        raise ConfigError(f"{flag}: there is no {text!r} on a clock; write it from 00:00 to 23:59")
    moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    if moment <= now:
        moment += timedelta(days=1)
    return moment.timestamp()


def say_span(seconds: float) -> str:
    """Write a span in the two largest units that it has, as `parse_span` reads it."""
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
