"""Asks the judge about the trials of a recorded run, and remembers what it said.

What was asked before of the same judge and model, word for word, is not asked again: so scoring
twice says the same and costs nothing, and a changed rubric asks only what it changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from skillwalker.completers.limited import LimitedCompleter
from skillwalker.completers.protocol import Completer
from skillwalker.datatypes.evals import EvalCase, EvalTrial, Judging
from skillwalker.datatypes.improver import Exchange
from skillwalker.datatypes.judging import Grade, JudgeCall, Rubric
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.errors import ConfigError
from skillwalker.evaluation.docket import DocketItem, make_docket
from skillwalker.evaluation.gradable import GradingJob
from skillwalker.evaluation.judge_rows import JudgeSetup
from skillwalker.evaluation.store import EvalStore, TrialName
from skillwalker.evaluation.summary import SIMULATED
from skillwalker.judge.grade import Sitting, grade, hold_sitting
from skillwalker.limits import Limits
from skillwalker.trials.pool import map_bounded

INTERRUPTED = "the run was interrupted before the judge was asked"
GRACE = 180.0
"""Seconds behind a deadline that an answer may still take: as many as a trial of a call may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTools:
    """Who judges, and how."""

    name: str
    """api, cli or simulated."""
    open: Callable[[str], Completer]
    """Opens the judge with a model; a ConfigError says what it lacks."""
    evals_dir: Path
    """Where the rubrics lie."""
    model: str | None = None
    """Of every rubric, whatever it says."""
    runs: int = 1
    concurrency: int = 4
    limits: Limits = field(default_factory=Limits)
    """Say whether another question may be asked, and are told what it took."""
    listener: Callable[[Judging], None] = lambda _: None

    @property
    def bench(self) -> JudgeSetup:
        """Who judges, for the rows."""
        return JudgeSetup(judge=self.name, model=self.model, runs=self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judge said about a run."""

    rubrics: Mapping[tuple[str, str], Rubric | str]
    """By suite and file; a text says why it cannot be read."""
    grades: Mapping[tuple[str, str, int], Mapping[int, Grade]]
    """By suite, case and place of the expectation, then by run."""
    stopped: StopReason | None = None
    """The limit that left questions unasked."""
    cause: str | None = None
    """The same in a line for people."""


async def ask_judge(
    cases: Sequence[EvalCase],
    trials: Mapping[TrialName, EvalTrial],
    *,
    store: EvalStore,
    tools: JudgeTools,
) -> Judged:
    """Grade every trial that a rubric is there for.

    Args:
        cases: of the run.
        trials: the last attempt of each run.
        store: of the run; keeps every question with its answer.
        tools: who judges.

    Raises:
        StoreError: the record cannot be read or written.
    """
    docket = make_docket(cases, trials, store=store, bench=tools.bench, evals_dir=tools.evals_dir)
    if docket.open_ones:
        tools.listener(docket.told(tools.name))
    session = _Session(store, tools)
    asked = list(await map_bounded(session.ask, docket.open_ones, limit=tools.concurrency))
    await _ask_again(session, docket.open_ones, asked)
    sittings = docket.known | {
        one.name: sitting for one, sitting in zip(docket.open_ones, asked, strict=True)
    }
    cut = next((sitting for sitting in asked if sitting.stopped is not None), None)
    return Judged(
        rubrics=docket.rubrics,
        grades=_grades(docket.jobs, sittings, tools.runs),
        stopped=None if cut is None else cut.stopped,
        cause=None if cut is None else cut.failure,
    )


async def _ask_again(
    session: "_Session", questions: Sequence[DocketItem], sittings: list[Sitting]
) -> None:
    """Ask what the budget refused while others were in flight: they may have cost less."""
    for at, question in enumerate(questions):
        if sittings[at].stopped is StopReason.BUDGET and session.may_ask(question):
            sittings[at] = await session.ask(question)


class _Session:
    """Asks questions and records each answer as it comes.

    Args:
        store: of the run.
        tools: who judges.
    """

    def __init__(self, store: EvalStore, tools: JudgeTools) -> None:
        self._store = store
        self._tools = tools
        self._completers: dict[str, Completer | str] = {}

    async def ask(self, question: DocketItem) -> Sitting:
        """Hold one sitting; a judge that cannot be asked is told in it."""
        job = question.job
        if self._tools.limits.interrupted:
            stopped = StopReason.INTERRUPTED
            return Sitting(exchanges=(), failure=INTERRUPTED, stopped=stopped)
        completer = self._completer(job.model)
        if isinstance(completer, str):
            return Sitting(exchanges=(), failure=completer)
        attempts = count()

        def keep(exchange: Exchange) -> None:
            self._store.record_judge(self._call(question, next(attempts), exchange))

        return await hold_sitting(job.asking, job.shown, completer=completer, keep=keep)

    def may_ask(self, question: DocketItem) -> bool:
        """Say whether the limits allow a question."""
        return self._tools.limits.reached(Purpose.JUDGE, self._kind(question.job.model)) is None

    def _kind(self, model: str) -> str:
        """Give the model whose calls cost as much as those to a rubric's."""
        return SIMULATED if self._tools.name == SIMULATED else model

    def _completer(self, model: str) -> Completer | str:
        """Open the judge of a model once; a text says what it lacks."""
        if model not in self._completers:
            try:
                self._completers[model] = LimitedCompleter(
                    inner=self._tools.open(model),
                    limits=self._tools.limits,
                    purpose=Purpose.JUDGE,
                    model=self._kind(model),
                    grace=GRACE,
                )
            except ConfigError as error:
                self._completers[model] = str(error)
        return self._completers[model]

    def _call(self, question: DocketItem, attempt: int, exchange: Exchange) -> JudgeCall:
        job = question.job
        return JudgeCall(
            key=job.key,
            suite=job.case.suite,
            test_name=job.case.case.name,
            rubric_file=job.expectation.rubric_file.as_posix(),
            run_index=job.trial.run_index,
            judge_run=question.judge_run,
            attempt=attempt,
            judge=self._tools.name,
            model_asked=job.model,
            model=exchange.model,
            prompt=exchange.prompt,
            reply=exchange.reply,
            fault=exchange.fault,
            usage=exchange.usage,
        )


def _grades(
    jobs: Sequence[GradingJob], sittings: Mapping[tuple[str, int], Sitting], runs: int
) -> dict[tuple[str, str, int], dict[int, Grade]]:
    grades: dict[tuple[str, str, int], dict[int, Grade]] = {}
    for job in jobs:
        held = [sittings[job.key, number] for number in range(runs)] if job.asking.questions else []
        name = (job.case.suite, job.case.case.name, job.place)
        grades.setdefault(name, {})[job.trial.run_index] = grade(job.rubric, job.asking, held)
    return grades
