"""The vote of one case while its runs come in: it asks for no run that cannot matter."""

from collections import Counter
from collections.abc import Iterator

from skillwalker.datatypes.scores import CaseResult, Cell
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome


class Vote:
    """An open vote; which runs it asks for follows from the outcomes of its own runs alone.

    Args:
        cell: the case, with the most runs it may have.
    """

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self._settled: dict[int, Trial] = {}
        self._handed_out = (cell.runs + 1) // 2

    def first_runs(self) -> Iterator[int]:
        """Name the runs that may start together: with fewer, no vote is decided."""
        return iter(range(self.cell.first_index, self.cell.first_index + self._handed_out))

    def settle(self, trial: Trial) -> None:
        """Take a run's last attempt."""
        self._settled[trial.run_index] = trial

    def next_run(self) -> int | None:
        """Hand out one more run; None while others are on their way, or when the vote is over."""
        waiting = len(self._settled) < self._handed_out
        if waiting or self._handed_out >= self.cell.runs or self._is_decided():
            return None
        self._handed_out += 1
        return self.cell.first_index + self._handed_out - 1

    def reopen(self, run_index: int) -> None:
        """Forget a run that is to be tried once more."""
        del self._settled[run_index]

    def _is_decided(self) -> bool:
        """Whether the runs that are left can neither turn the majority nor make a tie."""
        outcomes = Counter(trial.outcome for trial in self._settled.values())
        lead = abs(outcomes[Outcome.TRIGGERED] - outcomes[Outcome.NOT_TRIGGERED])
        return lead > self.cell.runs - self._handed_out

    @property
    def settled(self) -> int:
        """Number of runs whose last attempt is in."""
        return len(self._settled)

    def result(self) -> CaseResult:
        """Give the case with its trials in order of run_index."""
        trials = tuple(self._settled[index] for index in sorted(self._settled))
        cell = self.cell
        return CaseResult(case=cell.case, set=cell.set, trials=trials, group=cell.group)
