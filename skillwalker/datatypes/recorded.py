"""A recorded run of the loop as its folder holds it, for those who only look at it."""

from dataclasses import dataclass
from enum import StrEnum

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCase:
    """A case as the run froze it before its first trial."""

    name: str
    model: str
    """As asked."""
    set: CaseSet
    should_trigger: bool
    prompt: str
    tags: tuple[str, ...] = ()
    group: str | None = None
    """Shared with its near-duplicates; None where an older version wrote the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTally:
    """In how many runs of one case the target was called."""

    case: str
    model: str
    """As asked."""
    set: CaseSet
    should_trigger: bool
    triggered: int
    not_triggered: int
    undecided: int
    group: str | None = None
    """As the run froze it for the case."""

    @property
    def decided(self) -> int:
        """Runs that say something."""
        return self.triggered + self.not_triggered

    @property
    def correct(self) -> int:
        """Decided runs that did what the case asks for."""
        return self.triggered if self.should_trigger else self.not_triggered

    @property
    def passed(self) -> bool | None:
        """Majority of the decided runs; None on a tie or when none is decided."""
        if self.triggered == self.not_triggered:
            return None
        return (self.triggered > self.not_triggered) == self.should_trigger


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedIteration:
    """A description and how the cases did under it in the search."""

    number: int
    """From 1, the original."""
    phase: Phase
    candidate: str
    description: str
    cases: tuple[CaseTally, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """Everything that a report of a run is made of."""

    summary: Summary
    cases: tuple[RecordedCase, ...]
    iterations: tuple[RecordedIteration, ...]
    """By number."""
    trials: tuple[Trial, ...]
    """Every one on disk, in the order in which it was finished."""
    answers: tuple[Answer, ...]
    """The improver's, by number of the proposal."""
    reused: tuple[Trial, ...] = ()
    """Trials that earlier runs paid for; they count like this run's own, but for money."""
    discarded: tuple[Trial, ...] = ()
    """Trials that were paid for and count for nothing, as those of cases that were changed."""
    exchanges: tuple[Exchange, ...] = ()
    """Every call of the improver, also those of an answer that was cut off."""
    rivals: tuple[str, ...] = ()
    """What was installed beside the target."""
    max_turns: int | None = None
    """Model turns that a trial could have, unless its case says otherwise."""

    @property
    def counted(self) -> tuple[Trial, ...]:
        """Every trial that a rate can be made of."""
        return (*self.reused, *self.trials)

    @property
    def original(self) -> RecordedIteration | None:
        """The text that the run began with; None when it was not measured."""
        return next((one for one in self.iterations if one.number == 1), None)

    @property
    def best(self) -> RecordedIteration | None:
        """The text that the search chose; None when nothing was measured."""
        number = self.summary.best_iteration
        return next((one for one in self.iterations if one.number == number), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGlance:
    """A run as a list of all runs shows it, whatever became of it."""

    run_id: str
    summary: Summary | None
    """None for a run that is none of the loop, did not end, or cannot be read."""
    note: str
    """Why there is no summary; empty where there is one."""
    report: str | None
    """Its HTML report, relative to the folder of all runs, if it was written."""


class Speaker(StrEnum):
    """Who says something in a transcript."""

    CLAUDE = "claude"
    TOOL = "tool"
    """Claude calls a tool."""
    ANSWER = "answer"
    """The tool's answer, or a word of the CLI's own."""
    END = "end"
    """How Claude Code says that it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing that was said in a trial."""

    speaker: Speaker
    turn: int
    """The model turn, from 1; 0 before the first."""
    text: str
    tool: str = ""
    """The tool that is called."""
    is_nested: bool = False
    """By a subagent, or to it."""
    is_error: bool = False


Dialogue = tuple[Said, ...]
