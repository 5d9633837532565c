"""Lays the original and the best side by side at the end, and judges from those trials alone."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from skillwalker.datatypes import summary as events
from skillwalker.datatypes.scores import CaseResult, GateResult, Iteration, NeighbourChange
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.errors import PreflightError
from skillwalker.measuring import Measuring, WantedCase, join_rounds
from skillwalker.plan import Plan
from skillwalker.search import gate
from skillwalker.search.neighbourhood import compare_neighbours

Results = tuple[CaseResult, ...]


class Confirming:
    """The confirm rounds of one run, and the gate.

    Args:
        plan: what is measured.
        measuring: runs the trials.
        listener: is told of each round.
        check_text: runs the controls of an iteration's description.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        measuring: Measuring,
        listener: Callable[[events.Event], None],
        check_text: Callable[[str, int], Awaitable[None]],
    ) -> None:
        self._plan = plan
        self._measuring = measuring
        self._listener = listener
        self._check_text = check_text
        self._rounds: list[tuple[Results, Results]] = []
        self._gate: GateResult | None = None
        self._winner_checked = False
        self._winner_fault: str | None = None

    async def run(self, original: Iteration, best: Iteration, *, most: int) -> None:
        """Measure both in whole rounds until the gate has its answer, then check the winner.

        Further rounds that were asked for later follow, each lot judged as another look.

        Args:
            original: the first iteration.
            best: the strategy's choice.
            most: rounds that may be run.

        Raises:
            BudgetReached: as in `Measuring.run`.
            UndecidedError: as in `Measuring.run`.
            EngineUnavailableError: as in `Measuring.run`.
        """
        asked = self._plan.config.gate
        if best is original or asked is None:
            return
        looks = self._plan.looks
        if gate.worth_confirming(original, best):
            judged = await self._judge_round(original, best, asked, looks)
            while gate.another_round(judged, most=most):
                judged = await self._judge_round(original, best, asked, looks)
            await self._check_winner(best)
        else:
            self._gate = gate.not_confirmed(gate.threshold(asked, looks))
        for further in self._plan.more:
            for _ in range(further.rounds):
                await self._judge_round(original, best, asked, further.looks)
            await self._check_winner(best)

    async def _judge_round(
        self, original: Iteration, best: Iteration, asked: float, looks: int
    ) -> GateResult:
        """Measure both once more, and judge from all rounds so far as the `looks`-th look."""
        self._rounds.append((await self._round(original), await self._round(best)))
        before, after = self._joined()
        judged = gate.judge(
            before,
            after,
            threshold=gate.threshold(asked, looks),
            next_threshold=gate.threshold(asked, looks + 1),
            max_loss=self._plan.config.max_loss,
            neighbours=self._neighbours(),
            rounds=len(self._rounds),
        )
        self._gate = judged
        self._listener(events.RoundDone(rounds=judged.rounds, gate=judged))
        return judged

    @property
    def gate(self) -> GateResult | None:
        """The judgement; a winner that was not checked is not one."""
        if self._winner_fault is not None:
            return self._refused(self._winner_fault)
        if self._winner_checked:
            return self._gate
        return self._refused("the run ended before the winner's controls were run")

    @property
    def confirmed(self) -> tuple[Results, Results] | None:
        """Results of original and best over the finished rounds; None where there was none."""
        return self._joined() if self._rounds else None

    def _joined(self) -> tuple[Results, Results]:
        """Lay the finished rounds of each text on one another, case by case of the target."""
        before, after = self._all_joined()
        own = len(self._plan.cases)
        return before[:own], after[:own]

    def _neighbours(self) -> tuple[NeighbourChange, ...]:
        """Compare what the neighbours keep under each text."""
        before, after = self._all_joined()
        own = len(self._plan.cases)
        return compare_neighbours(self._plan.neighbours, before[own:], after[own:])

    def _all_joined(self) -> tuple[Results, Results]:
        """Lay the finished rounds on one another: the target's cases, then its neighbours'."""
        originals, bests = zip(*self._rounds, strict=True)
        return join_rounds(originals), join_rounds(bests)

    async def _round(self, iteration: Iteration) -> Results:
        """Measure a candidate once more on every case, with fresh draws."""
        own = [
            WantedCase(case=split.case, set=CaseSet.CONFIRM, runs=1, group=split.group)
            for split in self._plan.cases
        ]
        neighbours = [
            WantedCase(case=one.case, set=CaseSet.NEIGHBOUR, runs=1, group=one.group)
            for one in self._plan.neighbours
        ]
        cells = (*own, *neighbours)
        return await self._measuring.run(
            cells, iteration.description, iteration.number, purpose=CaseSet.CONFIRM
        )

    async def _check_winner(self, best: Iteration) -> None:
        """A winner on which the controls fail is no improvement, whatever its rates."""
        if self._winner_checked or self._gate is None or not self._gate.passed:
            return
        try:
            await self._check_text(best.description, best.number)
        except PreflightError as error:
            self._winner_fault = f"the winner fails its controls: {error}"
            self._listener(events.Warned(message=f"the winner was refused: {error}"))
        self._winner_checked = True

    def _refused(self, reason: str) -> GateResult | None:
        """Take back a pass of the gate."""
        if self._gate is None or not self._gate.passed:
            return self._gate
        return replace(self._gate, passed=False, reason=reason, advice="")
