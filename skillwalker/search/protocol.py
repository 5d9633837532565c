"""The words between a strategy and the loop: the history it reads and the work it names."""

from dataclasses import dataclass
from typing import Protocol

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import Operator, Phase, StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A proposal that gave nothing usable."""

    parent: int
    """Number of the iteration that was to be improved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything a strategy may know: the cases, and what was done so far in order.

    Money, time, rate limits and concurrency are absent on purpose: what is named next never
    depends on them, so a resumed or slower run searches the same way.
    """

    cases: tuple[SplitCase, ...]
    original: str
    events: tuple[Iteration | Refusal, ...] = ()

    @property
    def iterations(self) -> tuple[Iteration, ...]:
        """The measured candidates, in order."""
        return tuple(event for event in self.events if isinstance(event, Iteration))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Measure a description on cases, each with at most `runs` trials, stopping when decided."""

    description: str
    phase: Phase
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """Ask for a child of an iteration's description; the loop measures it when it has it."""

    parent: int
    """Number of the iteration whose text and train results the improver sees."""
    operator: Operator
    phase: Phase
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Nothing more to do."""

    reason: StopReason


Work = Measure | Propose | Stop


class Strategy(Protocol):
    """Names the next work: a pure function of the history and its own settings."""

    def next_work(self, history: History) -> Work:
        """Say what to do next."""
        ...

    def best(self, history: History) -> Iteration:
        """Choose among the measured iterations; at least one is there."""
        ...
