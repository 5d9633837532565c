"""Where the loop puts each trial and each answer before it counts, and finds those of before."""

from typing import Protocol

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.trials import Trial, TrialKey
from skillwalker.datatypes.vocabulary import CaseSet


class Journal(Protocol):
    """The memory of one run.

    What `record_*` returns is durable: a run killed right after it finds the same trial or
    answer again, so nothing is paid for twice.
    """

    def recorded_trial(self, key: TrialKey) -> Trial | None:
        """A trial that an earlier life of this run finished."""
        ...

    def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
        """Write a trial and its stream; gives the trial with its transcript's path."""
        ...

    def reuse_trial(self, key: TrialKey, cell_key: str, side: CaseSet) -> Trial | None:
        """Take over a trial of an earlier run that is the same experiment, for a side of the split.

        The run did not pay for it, so it is none of the recorded ones.
        """
        ...

    def record_refused(self, trial: Trial) -> None:
        """Write down a trial that a rate limit refused: it counts for nothing but money."""
        ...

    def recorded_answer(self, number: int) -> Answer | None:
        """The answer to the run's proposal of that number, from 1."""
        ...

    def record_call(self, number: int, call: Exchange) -> None:
        """Write a call of a proposal that has no answer yet: it was paid for."""
        ...

    def record_answer(self, number: int, answer: Answer) -> None:
        """Write an answer before it is used, with those of its calls that are not written yet."""
        ...
