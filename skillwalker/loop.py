"""The improvement loop, for skills and agents alike.

Check the instrument; do what the strategy names until it stops; lay the original and the best
side by side. Engine, completer, strategy, journal and listener are arguments, so that a test, a
benchmark and a user's run are the same code.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.completers.protocol import Completer
from skillwalker.confirming import Confirming
from skillwalker.datatypes import summary as events
from skillwalker.datatypes.improver import Answer
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import CaseResult, GateResult, Iteration
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.errors import (
    BudgetReached,
    CompletionError,
    EngineUnavailableError,
    PreflightError,
    UndecidedError,
)
from skillwalker.limits import Limits
from skillwalker.measuring import Measuring, WantedCase, every_case
from skillwalker.plan import Plan
from skillwalker.preflight import CONTROL_RUNS, Preflight, check_instrument
from skillwalker.proposing import Proposals
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Part,
    Propose,
    Refusal,
    Sample,
    Sampled,
    Stop,
    Strategy,
)
from skillwalker.sent_listing import Probe
from skillwalker.targets.names import description_hash
from skillwalker.tracking import Tracker, track_nothing
from skillwalker.trials.journal import Journal
from skillwalker.unmovable import Unmovable


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Everything a run works with."""

    engine: Engine
    strategy: Strategy
    journal: Journal
    limits: Limits
    listener: Callable[[events.Event], None]
    workdir: Path
    """An existing folder for throw-away copies; the caller removes it."""
    completer: Completer | None = None
    """None for a run that only measures."""
    preflight: Preflight = check_instrument
    probe: Probe | None = None
    """Shows what is really sent of a candidate; None where nothing is sent."""
    track: Tracker = track_nothing
    """Gives what is tracked of a text beside its trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """All that a run measured, for the summary to be made from."""

    history: History
    best: Iteration | None
    gate: GateResult | None
    confirmed: tuple[tuple[CaseResult, ...], tuple[CaseResult, ...]] | None
    """Confirm results of original and best, over the finished rounds."""
    stopped: StopReason
    cause: str | None
    reached: BudgetReached | None = None
    """The limit that stopped it."""
    trials: tuple[Trial, ...]
    reused: tuple[Trial, ...]
    """Taken over from earlier runs."""
    answers: tuple[Answer, ...]
    unmovable: tuple[TriggerCase, ...] = ()
    """Cases that no description can move."""


async def improve(plan: Plan, tools: Tools) -> MeasuredRun:
    """Run the loop to its end.

    A limit, an interrupt, a failing improver and an instrument that does not measure end the
    run with a reason and everything that was measured before; they are not exceptions.
    """
    run = _Run(plan, tools)
    with run.ending():
        await run.check()
        await run.search()
        await run.confirm()
    return run.measured()


class _Run:
    """The state of one run: what was measured so far."""

    def __init__(self, plan: Plan, tools: Tools) -> None:
        self.plan = plan
        self.tools = tools
        self.history = History.begin(plan.cases, plan.target.description)
        self.measuring = Measuring(
            plan,
            engine=tools.engine,
            journal=tools.journal,
            limits=tools.limits,
            listener=tools.listener,
            workdir=tools.workdir,
            probe=tools.probe,
        )
        self.confirming = Confirming(
            plan,
            measuring=self.measuring,
            listener=tools.listener,
            check_text=self._check_text,
        )
        self.unmovable = Unmovable(plan, self.measuring, tools.listener)
        self.proposals = Proposals(
            plan, journal=tools.journal, limits=tools.limits, completer=tools.completer
        )
        self.stopped: StopReason | None = None
        self.cause: str | None = None
        self.reached: BudgetReached | None = None

    # --- the three parts -----------------------------------------------------------------------

    async def check(self) -> None:
        """See that the instrument measures, before the first case is paid for."""
        plan, facts = self.plan, self.tools.engine.facts
        self.tools.listener(
            events.RunStarted(
                target=plan.target,
                suite=plan.suite,
                cases=plan.cases,
                headline=facts.headline,
                simulated=facts.simulated,
                listing=plan.listing,
                listing_mode=plan.listing_mode,
            )
        )
        try:
            await self.measuring.check_shown(plan.target.description)
            await self._check_text(plan.target.description, number=1)
        except UndecidedError as error:
            raise PreflightError(f"the controls could not be run: {error}") from error

    async def search(self) -> None:
        """Do what the strategy names until it stops; a dead improver leaves the best so far."""
        while self.stopped is None:
            match self.tools.strategy.next_work(self.history):
                case Measure() as work:
                    await self._measure(work.description, work)
                case Sample(parts=parts):
                    await self._sample(parts)
                case Propose() as work:
                    try:
                        await self._propose(work)
                    except CompletionError as error:
                        self.stopped, self.cause = StopReason.IMPROVER, str(error)
                case Stop(reason=reason):
                    self.stopped = reason

    async def confirm(self) -> None:
        """Lay the original and the best side by side, and judge from those trials."""
        best = self._best()
        if best is not None:
            await self.confirming.run(
                self.history.iterations[0], best, most=self.tools.strategy.confirm_rounds
            )

    # --- what they are made of -----------------------------------------------------------------

    async def _measure(self, text: str, work: Measure | Propose) -> None:
        """Measure a new description on train and holdout, and put it into the history."""
        number = len(self.history.iterations) + 1
        own = work.cells
        cells = every_case(self.plan.cases, work.runs) if own is None else self._wanted(own)
        # First, so that no trial is paid for whose iteration then lacks them.
        metrics = await self.tools.track(text)
        results = await self.measuring.run(cells, text, number, phase=work.phase)
        iteration = Iteration(
            number=number,
            phase=work.phase,
            candidate=description_hash(text),
            description=text,
            results=results,
            metrics=metrics,
        )
        self.history = self.history.then(iteration)
        self.tools.listener(events.IterationDone(iteration=iteration))

    async def _sample(self, parts: Sequence[Part]) -> None:
        """Measure candidates further, side by side, and lay the results on those of before."""
        sampled = [self.history.iterations[part.number - 1] for part in parts]
        wanted = [
            (i.description, i.number, self._wanted(p.cells))
            for i, p in zip(sampled, parts, strict=True)
        ]
        results = await self.measuring.run_beside(wanted)
        numbered = tuple((i.number, found) for i, found in zip(sampled, results, strict=True))
        self.history = self.history.then(Sampled(parts=numbered))
        further = tuple(self.history.iterations[part.number - 1] for part in parts)
        self.tools.listener(events.SampleDone(iterations=further))

    def _wanted(self, cells: Sequence[CellRuns]) -> tuple[WantedCase, ...]:
        """Say what of the plan's cases is measured: every run apart, so that no vote cuts any."""
        split = self.plan.cases
        return tuple(
            WantedCase(case=split[at].case, set=split[at].set, runs=1, group=split[at].group)
            for at, runs in cells
            for _ in range(runs)
        )

    async def _propose(self, work: Propose) -> None:
        """Ask for a child and measure it; nothing usable is an event too."""
        await self.unmovable.look(self.history, self.history.iterations[work.parent - 1])
        asked = await self.proposals.next(self.history, work, self.unmovable.cases)
        answer = await self._refuse_hidden(asked)
        self.tools.listener(events.Proposed(description=answer.description, reason=answer.reason))
        if answer.description is None:
            self.history = self.history.then(Refusal(parent=work.parent))
        else:
            await self._measure(answer.description, work)

    async def _refuse_hidden(self, answer: Answer) -> Answer:
        """Take back a description that its trials would not send, or not as it was computed."""
        if answer.description is None:
            return answer
        try:
            await self.measuring.check_shown(answer.description)
        except PreflightError as error:
            return replace(answer, description=None, reason=str(error))
        return answer

    async def _check_text(self, text: str, number: int) -> None:
        """Run the preflight on a description."""

        async def measure(controls: Sequence[TriggerCase]) -> tuple[CaseResult, ...]:
            cells = tuple(
                WantedCase(case=case, set=CaseSet.CONTROL, runs=CONTROL_RUNS) for case in controls
            )
            return await self.measuring.run(cells, text, number, purpose=CaseSet.CONTROL)

        plan = self.plan
        # The unrelated control has to be unrelated to this text too.
        target = replace(plan.target, description=text)
        await self.tools.preflight(target, plan.listing, plan.models, measure)

    # --- how it ends ---------------------------------------------------------------------------

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Turn what ends a run early into its reason and one line of cause."""
        try:
            yield
        except BudgetReached as reached:
            self.stopped, self.cause = StopReason(reached.reason), reached.detail
            self.reached = reached
        except UndecidedError as error:
            self.stopped, self.cause = StopReason.UNDECIDED, str(error)
        except (PreflightError, EngineUnavailableError) as error:
            self.stopped, self.cause = StopReason.PREFLIGHT, str(error)

    def measured(self) -> MeasuredRun:
        """Hand over what was measured."""
        judged = self.confirming.gate
        if self.stopped is StopReason.UNRESOLVED and judged is not None and judged.passed:
            # The rounds told apart what the search could not.
            self.stopped = StopReason.CONVERGED
        return MeasuredRun(
            history=self.history,
            best=self._best(),
            gate=judged,
            confirmed=self.confirming.confirmed,
            stopped=self.stopped or StopReason.ITERATIONS,
            cause=self.cause,
            reached=self.reached,
            trials=tuple(self.measuring.trials),
            reused=tuple(self.measuring.reused),
            answers=tuple(self.proposals.answers),
            unmovable=self.unmovable.cases,
        )

    def _best(self) -> Iteration | None:
        """The strategy's choice; None when nothing was measured."""
        return self.tools.strategy.best(self.history) if self.history.iterations else None
