"""Measure once, then again where the answer is another than it was: has a skill really dropped?

One draw of a case flips by luck. So a case whose verdict differs from the earlier run's is run
again a fixed number of times, whichever way it flipped, and only then are the two compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import Phase, StopReason
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Part,
    Sample,
    Sampled,
    Stop,
    Work,
)

EXTRA_RUNS = 4
"""Further runs of a flipped case.

Source: a simulation with 12 to 30 cases and one earlier run of each; with four, a skill that is
unchanged is called dropped by 10 points in 0.4 to 4 % of measurements, one that lost 30 points is
found in 88 to 98 %.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recheck:
    """The strategy of `measure --against`; see `search.protocol.Strategy`."""

    earlier: Mapping[tuple[str, str], bool | None]
    """Verdict of each case and model in the earlier run; None where it was undecided."""
    runs: int
    """Most runs of a case before it is known to have flipped."""
    confirm_rounds: int = 0

    def next_work(self, history: History) -> Work:
        """Measure the original, then its flipped cases once more, and stop."""
        if not history.iterations:
            return Measure(description=history.original, phase=Phase.EXPLORE, runs=self.runs)
        if not any(isinstance(event, Sampled) for event in history.events):
            flipped = flips(self.earlier, history.iterations[0])
            cells = tuple(
                CellRuns(at, EXTRA_RUNS)
                for at, split in enumerate(history.cases)
                if (split.case.name, split.case.model) in flipped
            )
            if cells:
                return Sample(parts=(Part(number=1, cells=cells),))
        return Stop(reason=StopReason.ITERATIONS)

    def best(self, history: History) -> Iteration:
        """Give the original: nothing else is measured."""
        return history.iterations[0]


def flips(
    earlier: Mapping[tuple[str, str], bool | None], now: Iteration
) -> frozenset[tuple[str, str]]:
    """Name the cases, each with its model, whose verdict is another than it was.

    A case that has no verdict on one of the two sides has not flipped.
    """
    return frozenset(
        (result.case.name, result.case.model)
        for result in now.results
        if result.passed is not None
        and earlier.get((result.case.name, result.case.model)) is (not result.passed)
    )
