"""What is tracked of each text beside its trials: once a text, and on the disk before it counts.

The figures stand beside the rates and are never part of them: no strategy and no gate of the search
reads them. Only `--apply` may be refused for them (`metrics.gate`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from skillwalker.datatypes.metrics import TrackedMetric
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.limits import Limits
from skillwalker.metrics.built_in import track_text
from skillwalker.metrics.registry import Meaning, meanings
from skillwalker.metrics.track import track
from skillwalker.plan import Plan, place
from skillwalker.targets.names import description_hash

Tracked = tuple[TrackedMetric, ...]
Tracker = Callable[[str], Awaitable[Tracked]]
"""Gives what is tracked of a description."""
ENDING = frozenset({StopReason.INTERRUPTED, StopReason.DEADLINE})
"""What keeps a command from starting: it costs time, and no trial."""


class Book(Protocol):
    """Where the metrics of a text are written before they count."""

    def recorded(self, candidate: str, meaning: Meaning) -> Tracked | None:
        """What an earlier life of the run measured of the same text by the same commands."""
        ...

    def record(self, candidate: str, meaning: Meaning, metrics: Tracked) -> None:
        """Write what was measured; it is durable then."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """What the commands of metrics are run with."""

    project: Path
    temporary: Path
    """Where throw-away copies are made."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment of a command."""
    leave_out: tuple[Path, ...] = ()
    """Folders that are not copied with the plugin."""


async def track_nothing(_text: str) -> Tracked:
    """Track nothing of a description: for a run whose figures nobody looks at."""
    return ()


class Tracking:
    """Tracks the metrics of a run's texts.

    Args:
        plan: the target, and the metrics that its suite names.
        commands: what they are run with.
        book: keeps what was measured.
        limits: of the run; an interrupt and a deadline start no command.
    """

    def __init__(self, plan: Plan, commands: Commands, *, book: Book, limits: Limits) -> None:
        self._plan = plan
        self._commands = commands
        self._book = book
        self._limits = limits
        self._meaning = meanings(plan.metrics, plan.declared)

    async def of(self, text: str) -> Tracked:
        """Give the metrics of a description: those of the suite, then those always tracked.

        Raises:
            BudgetReached: the run is to end, and a command would have to be run.
            TargetError: the description cannot be written into the file.
            EngineUnavailableError: no copy can be made for the commands to look at.
            StoreError: what was measured cannot be read or written.
        """
        return (*await self._of_suite(text), *track_text(text, place(self._plan, text)))

    async def _of_suite(self, text: str) -> Tracked:
        """Give the metrics that the suite names."""
        plan, commands = self._plan, self._commands
        if not plan.metrics:
            return ()
        candidate = description_hash(text)
        known = self._book.recorded(candidate, self._meaning)
        if known is not None:
            return known
        if self._limits.reached() in ENDING:
            raise self._limits.error()
        metrics = await track(
            plan.metrics,
            plan.declared,
            project=commands.project,
            target=plan.target,
            description=text,
            env=commands.env,
            temporary=commands.temporary,
            leave_out=commands.leave_out,
        )
        self._book.record(candidate, self._meaning, metrics)
        return metrics
