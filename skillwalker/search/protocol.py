"""The words between a strategy and the loop: the history it reads and the work it names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.scores import CaseResult, Iteration, join_results
from skillwalker.datatypes.vocabulary import Operator, Phase, StopReason

# --- what was done -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A proposal that gave nothing usable."""

    parent: int
    """Number of the iteration that was to be improved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """Further trials of candidates that had been measured before, all of one step."""

    parts: tuple[tuple[int, tuple[CaseResult, ...]], ...]
    """Number of the iteration and its new results, in the order in which they were named."""


Event = Iteration | Refusal | Sampled


class Tally(NamedTuple):
    """The search trials of one candidate on one case; `runs` counts undecided ones too."""

    correct: int = 0
    decided: int = 0
    runs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything a strategy may know: the cases, and what was done so far in order.

    Money, time, rate limits and concurrency are absent on purpose: what is named next never
    depends on them, so a resumed or slower run searches the same way. `iterations` and `tallies`
    are folded from the events, event by event; make a history with `begin` and `then`.
    """

    cases: tuple[SplitCase, ...]
    original: str
    events: tuple[Event, ...] = ()
    iterations: tuple[Iteration, ...] = ()
    """The measured candidates, in order, each with all its search trials."""
    tallies: tuple[tuple[Tally, ...], ...] = ()
    """Of each candidate, the tally of each case."""

    @classmethod
    def begin(
        cls, cases: Sequence[SplitCase], original: str, events: Sequence[Event] = ()
    ) -> "History":
        """Make the history of the given events."""
        history = cls(cases=tuple(cases), original=original)
        for event in events:
            history = history.then(event)
        return history

    def then(self, event: Event) -> "History":
        """Add an event."""
        match event:
            case Iteration():
                none = (Tally(),) * len(self.cases)
                return replace(
                    self,
                    events=(*self.events, event),
                    iterations=(*self.iterations, event),
                    tallies=(*self.tallies, self._counted(none, event.results)),
                )
            case Sampled():
                return self._with_further(event)
            case _:
                return replace(self, events=(*self.events, event))

    def _with_further(self, event: Sampled) -> "History":
        """Lay further trials on those of before."""
        iterations, tallies = list(self.iterations), list(self.tallies)
        for number, results in event.parts:
            before = iterations[number - 1]
            joined = join_results((*before.results, *results))
            iterations[number - 1] = replace(before, results=self._in_order(joined))
            tallies[number - 1] = self._counted(tallies[number - 1], results)
        return replace(
            self,
            events=(*self.events, event),
            iterations=tuple(iterations),
            tallies=tuple(tallies),
        )

    def _places(self) -> dict[tuple[str, str], int]:
        """Say where each case stands."""
        return {(split.case.name, split.case.model): at for at, split in enumerate(self.cases)}

    def _in_order(self, results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
        """Put results into the order of the cases; those of a case that is gone come last."""
        places = self._places()
        last = len(places)
        return tuple(sorted(results, key=lambda r: places.get((r.case.name, r.case.model), last)))

    def _counted(
        self, before: tuple[Tally, ...], results: Sequence[CaseResult]
    ) -> tuple[Tally, ...]:
        """Add results to the tallies of a candidate."""
        places = self._places()
        after = list(before)
        for result in results:
            at = places.get((result.case.name, result.case.model))
            if at is None:  # A case that was taken out of the suite between two lives of a run.
                continue
            old = after[at]
            after[at] = Tally(
                correct=old.correct + result.correct,
                decided=old.decided + result.triggered + result.not_triggered,
                runs=old.runs + len(result.trials),
            )
        return tuple(after)


# --- what is named next ------------------------------------------------------------------------


class CellRuns(NamedTuple):
    """Runs of one case; all of them are made, since no vote is held over them."""

    at: int
    """Place of the case in `History.cases`."""
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Measure a description that is new; it becomes the next iteration."""

    description: str
    phase: Phase
    runs: int
    """Most trials of a case where `cells` is None; a vote stops when it is decided."""
    cells: tuple[CellRuns, ...] | None = None
    """What is measured; None means every case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Propose:
    """Ask for a child of an iteration's description; the loop measures it when it has it."""

    parent: int
    """Number of the iteration whose text and train results the improver sees."""
    operator: Operator
    phase: Phase
    runs: int
    """As in `Measure`."""
    cells: tuple[CellRuns, ...] | None = None
    """What of the child is measured first; None means every case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Further trials of one candidate."""

    number: int
    """Of its iteration."""
    cells: tuple[CellRuns, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Measure candidates further, all parts in one step."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Nothing more to do."""

    reason: StopReason


Work = Measure | Propose | Sample | Stop


class Strategy(Protocol):
    """Names the next work: a pure function of the history and its own settings."""

    @property
    def confirm_rounds(self) -> int:
        """Most rounds in which original and best are measured side by side at the end."""
        ...

    def next_work(self, history: History) -> Work:
        """Say what to do next."""
        ...

    def best(self, history: History) -> Iteration:
        """Choose among the measured iterations; at least one is there."""
        ...
