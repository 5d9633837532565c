"""A world of fixed chances in which a strategy can be driven to its end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from skillwalker.datatypes.inputs import SplitCase, TriggerCase
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.search.protocol import (
    CellRuns,
    Event,
    History,
    Measure,
    Propose,
    Refusal,
    Sample,
    Sampled,
    Stop,
    Strategy,
    Work,
)
from tests.measured import trial

Chance = Callable[[int, TriggerCase], float]
"""The chance that candidate `number` is right on a case."""


def split_cases(
    count: int, *, holdout: Sequence[int] = (), groups: Sequence[str] | None = None
) -> tuple[SplitCase, ...]:
    """Cases that alternate between the classes."""
    return tuple(
        SplitCase(
            case=TriggerCase(
                name=f"case {at:02d}", prompt=f"prompt {at}", should_trigger=at % 2 == 0, model="m"
            ),
            set=CaseSet.HOLDOUT if at in holdout else CaseSet.TRAIN,
            group=groups[at] if groups else f"group {at}",
        )
        for at in range(count)
    )


@dataclass(slots=True)
class World:
    """Draws trials; each hangs on the candidate, the case's name and how often it was run."""

    chance: Chance
    seed: int = 0
    undecided: float = 0.0
    refused: frozenset[int] = frozenset()
    """Proposals, from 1, that give nothing."""
    runs: dict[tuple[int, str], int] = field(default_factory=dict)
    proposals: int = 0

    def result(self, number: int, split: SplitCase, runs: int) -> CaseResult:
        """Run a case."""
        outcomes = [self._draw(number, split.case) for _ in range(runs)]
        return CaseResult(
            case=split.case,
            set=split.set,
            trials=tuple(trial(split.case.name, outcome) for outcome in outcomes),
            group=split.group,
        )

    def _draw(self, number: int, case: TriggerCase) -> Outcome:
        """Draw one outcome."""
        key = number, case.name
        self.runs[key] = self.runs.get(key, 0) + 1
        random = Random(f"{self.seed} {key} {self.runs[key]}")  # noqa: S311 (a test's world)
        if random.random() < self.undecided:
            return Outcome.UNDECIDED
        right = random.random() < self.chance(number, case)
        return Outcome.TRIGGERED if right == case.should_trigger else Outcome.NOT_TRIGGERED

    def do(self, history: History, work: Measure | Propose | Sample) -> Event:
        """Do what a strategy named."""
        cases = history.cases
        if isinstance(work, Sample):
            return Sampled(
                parts=tuple(
                    (part.number, tuple(self.result(part.number, cases[at], runs)
                                        for at, runs in part.cells))
                    for part in work.parts
                )
            )  # fmt: skip
        if isinstance(work, Propose):
            self.proposals += 1
            if self.proposals in self.refused:
                return Refusal(parent=work.parent)
        number = len(history.iterations) + 1
        every = tuple(CellRuns(at, work.runs) for at in range(len(cases)))
        cells = every if work.cells is None else work.cells
        return Iteration(
            number=number,
            phase=work.phase,
            candidate=f"{number:016x}",
            description=f"text {number}",
            results=tuple(self.result(number, cases[at], runs) for at, runs in cells),
        )


def drive(
    strategy: Strategy, cases: Sequence[SplitCase], world: World
) -> tuple[History, list[Work]]:
    """Do what a strategy names until it stops."""
    history = History.begin(cases, "the original")
    named: list[Work] = []
    while True:
        work = strategy.next_work(history)
        named.append(work)
        if isinstance(work, Stop):
            return history, named
        history = history.then(world.do(history, work))


def used(history: History) -> int:
    """Trials of the search."""
    return sum(len(r.trials) for i in history.iterations for r in i.results)
