"""Two given texts side by side: was what was written last night better after all?"""

from dataclasses import dataclass

from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import Phase, StopReason
from skillwalker.search.protocol import History, Measure, Stop, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Measures the text in the file and a challenger; the confirm rounds decide between them.

    No text is chosen by a score, so there is no winner's curse to pay for.
    """

    challenger: str
    runs: int
    confirm_rounds: int

    def next_work(self, history: History) -> Work:
        """Measure the file's text, then the challenger, and stop."""
        if len(history.iterations) == 2:
            return Stop(reason=StopReason.ITERATIONS)
        text = self.challenger if history.iterations else history.original
        return Measure(description=text, phase=Phase.CONVERGE, runs=self.runs)

    def best(self, history: History) -> Iteration:
        """Give the challenger once it is measured: the gate says whether it wins."""
        return history.iterations[-1]
