"""The time of day and a way to wait, handed in so that a test needs no real time."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The wall clock: deadlines and the ends of rate limits are moments of the day."""

    now: Callable[[], float] = time.time
    """Seconds since 1970."""
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
