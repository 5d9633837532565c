"""A day whose time passes only when somebody waits."""

from collections.abc import Callable
from dataclasses import dataclass, field

from anyio.lowlevel import checkpoint

from skillwalker.budget.clock import Clock


@dataclass(slots=True)
class Day:
    """The time of a test."""

    time: float = 1_000_000.0
    slept: list[float] = field(default_factory=list)
    on_sleep: Callable[[], None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        """Let time pass, and others run."""
        await checkpoint()
        self.slept.append(seconds)
        self.time += seconds
        self.on_sleep()

    @property
    def clock(self) -> Clock:
        """The clock of this day."""
        return Clock(now=lambda: self.time, sleep=self.sleep)
