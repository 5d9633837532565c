"""The phased search: rewrite first, then combine, then edit, each time from the last text.

Each iteration measures a text and then asks for the next in the way of its own phase, so the
first text of a phase was still made in the way of the phase before.

Up to five iterations explore in the first half, rounded up, and converge in the rest. From six
on, explore, transition and converge get a third each; what is left over goes to the first ones.

Source: the improvement loop of Test Double's skillwalker. Unlike there, nothing of the holdout
cases can reach the improver, since a strategy names only a parent.
"""

from dataclasses import dataclass
from typing import assert_never

from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Phase, StopReason
from skillwalker.search.protocol import History, Measure, Propose, Refusal, Stop, Work
from skillwalker.steps.step_5_score import score, select_best

TWO_PHASES_UP_TO = 5
ENOUGH_ALIKE = 3
"""Iterations with the same verdict on every case after which another edit is not worth it."""


def phase_of(number: int, max_iterations: int) -> Phase:
    """Say in which phase an iteration is; `number` counts from 1, the original."""
    if max_iterations <= TWO_PHASES_UP_TO:
        return Phase.EXPLORE if number <= (max_iterations + 1) // 2 else Phase.CONVERGE
    third, rest = divmod(max_iterations, 3)
    explore = third + (rest > 0)
    transition = third + (rest > 1)
    if number <= explore:
        return Phase.EXPLORE
    return Phase.TRANSITION if number <= explore + transition else Phase.CONVERGE


def operator_of(phase: Phase) -> Operator:
    """Say how a child is made at the end of an iteration of a phase."""
    match phase:
        case Phase.EXPLORE:
            return Operator.REWRITE
        case Phase.TRANSITION:
            return Operator.COMBINE
        case Phase.CONVERGE:
            return Operator.EDIT
        case _:
            assert_never(phase)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """The strategy `phases`; see `search.protocol.Strategy`."""

    max_iterations: int
    """The original and refused proposals included."""
    runs: int
    """Most runs of a case in one evaluation."""
    confirm_rounds: int = 3

    def next_work(self, history: History) -> Work:
        """Measure the original, then name children of the last text until a reason to stop."""
        used = len(history.events)
        phase = phase_of(used + 1, self.max_iterations)
        if not history.iterations:
            return Measure(description=history.original, phase=phase, runs=self.runs)
        reason = self._reason_to_stop(history)
        if reason is not None:
            return Stop(reason=reason)
        return Propose(
            parent=history.iterations[-1].number,
            operator=operator_of(phase_of(used, self.max_iterations)),
            phase=phase,
            runs=self.runs,
        )

    def best(self, history: History) -> Iteration:
        """Choose by holdout accuracy if there is one, then train, then the earliest."""
        return select_best(history.iterations)

    def _reason_to_stop(self, history: History) -> StopReason | None:
        """Give the first reason that holds.

        Only `converge` may stop early: explore and transition try other texts on purpose. There,
        one perfect iteration is enough, since no later one could be chosen over it.
        """
        converging = any(iteration.phase is Phase.CONVERGE for iteration in history.iterations)
        if converging and any(_is_perfect(iteration) for iteration in history.iterations):
            return StopReason.PERFECT
        if _ends_in_two_refusals(history):
            return StopReason.IMPROVER
        if len(history.events) >= self.max_iterations:
            return StopReason.ITERATIONS
        if converging and _are_alike(history.iterations):
            return StopReason.CONVERGED
        return None


def _is_perfect(iteration: Iteration) -> bool:
    """Whether every train and holdout case passed, with none undecided."""
    scores = [score(iteration.results, side) for side in (CaseSet.TRAIN, CaseSet.HOLDOUT)]
    return sum(s.total for s in scores) > 0 and all(s.passed == s.total for s in scores)


def _ends_in_two_refusals(history: History) -> bool:
    """Whether the improver gave nothing usable twice in a row."""
    last = history.events[-2:]
    return len(last) == 2 and all(isinstance(event, Refusal) for event in last)


def _are_alike(iterations: tuple[Iteration, ...]) -> bool:
    """Whether every candidate so far got the same verdict on every case."""
    verdicts = {
        tuple((result.case.name, result.case.model, result.passed) for result in i.results)
        for i in iterations
    }
    return len(iterations) >= ENOUGH_ALIKE and len(verdicts) == 1
