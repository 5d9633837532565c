"""Asks the judge about the trials of a recorded run, and remembers what it said.

What was asked before of the same judge and model, word for word, is not asked again: so scoring
twice says the same and costs nothing, and a changed rubric asks only what it changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.completers.protocol import Completer
from skillwalker.datatypes.evals import EvalCase, EvalTrial, Judging
from skillwalker.datatypes.improver import Exchange
from skillwalker.datatypes.judging import Grade, JudgeCall, Rubric
from skillwalker.errors import ConfigError, SuiteError
from skillwalker.evaluation.gradable import GradingJob, Wanted, grading_jobs, judged_cases
from skillwalker.evaluation.judge_rows import Bench
from skillwalker.evaluation.store import EvalStore, TrialName
from skillwalker.judge.grade import Sitting, grade, hold_sitting
from skillwalker.suites.rubrics import read_rubric
from skillwalker.trials.pool import map_bounded

INTERRUPTED = "the run was interrupted before the judge was asked"


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
    may_ask: Callable[[], bool] = lambda: True
    """Says whether another question may be asked."""
    listener: Callable[[Judging], None] = lambda _: None

    @property
    def bench(self) -> Bench:
        """Who judges, for the rows."""
        return Bench(judge=self.name, model=self.model, runs=self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the judge said about a run."""

    rubrics: Mapping[tuple[str, str], Rubric | str]
    """By suite and file; a text says why it cannot be read."""
    grades: Mapping[tuple[str, str, int], Mapping[int, Grade]]
    """By suite, case and place of the expectation, then by run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """One sitting of the judge over a job."""

    job: GradingJob
    judge_run: int

    @property
    def name(self) -> tuple[str, int]:
        """What tells it from others."""
        return self.job.key, self.judge_run


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
    wanted = judged_cases(cases)
    rubrics = _read_rubrics(wanted, tools.evals_dir)
    jobs = grading_jobs(
        wanted, trials, rubrics, store=store, judge=tools.name, model_of=tools.bench.model_of
    )
    questions = [
        _Question(job=job, judge_run=number)
        for job in jobs
        if job.asking.questions
        for number in range(tools.runs)
    ]
    recorded = _recorded(store)
    known = {(one.key, one.judge_run): one for one in recorded}
    # Trials that are alike word for word are one question.
    new = {one.name: one for one in questions if one.name not in known}
    open_ones = tuple(new.values())
    if open_ones:
        models = tuple(dict.fromkeys(one.job.model for one in open_ones))
        tools.listener(
            Judging(
                judge=tools.name,
                models=models,
                calls=len(open_ones),
                reused=len(questions) - len(open_ones),
            )
        )
    session = _Session(store, tools)
    asked = await map_bounded(session.ask, open_ones, limit=tools.concurrency)
    sittings = {name: one.sitting for name, one in known.items()}
    sittings |= {one.name: sitting for one, sitting in zip(open_ones, asked, strict=True)}
    return Judged(rubrics=rubrics, grades=_grades(jobs, sittings, tools.runs))


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

    async def ask(self, question: _Question) -> Sitting:
        """Hold one sitting; a judge that cannot be asked is told in it."""
        job = question.job
        if not self._tools.may_ask():
            return Sitting(exchanges=(), failure=INTERRUPTED)
        completer = self._completer(job.model)
        if isinstance(completer, str):
            return Sitting(exchanges=(), failure=completer)
        sitting = await hold_sitting(job.asking, job.shown, completer=completer)
        for attempt, exchange in enumerate(sitting.exchanges):
            self._store.record_judge(self._call(question, attempt, exchange))
        return sitting

    def _completer(self, model: str) -> Completer | str:
        """Open the judge of a model once; a text says what it lacks."""
        if model not in self._completers:
            try:
                self._completers[model] = self._tools.open(model)
            except ConfigError as error:
                self._completers[model] = str(error)
        return self._completers[model]

    def _call(self, question: _Question, attempt: int, exchange: Exchange) -> JudgeCall:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remembered:
    """A sitting that was recorded whole."""

    key: str
    judge_run: int
    sitting: Sitting


def _recorded(store: EvalStore) -> list[_Remembered]:
    """Read the sittings of before whose last reply was taken."""
    return [
        _Remembered(
            key=call.key,
            judge_run=call.judge_run,
            sitting=Sitting(
                exchanges=(
                    Exchange(
                        prompt=call.prompt,
                        reply=call.reply,
                        fault=None,
                        model=call.model,
                        usage=call.usage,
                    ),
                )
            ),
        )
        for call in store.read_judge()
        if call.fault is None
    ]


def _read_rubrics(wanted: Sequence[Wanted], evals_dir: Path) -> dict[tuple[str, str], Rubric | str]:
    """Read every rubric as it is now."""
    rubrics: dict[tuple[str, str], Rubric | str] = {}
    for case, _, one in wanted:
        name = one.rubric_file.as_posix()
        if (case.suite, name) in rubrics:
            continue
        try:
            rubrics[case.suite, name] = read_rubric(evals_dir / case.suite / one.rubric_file)
        except SuiteError as error:
            rubrics[case.suite, name] = f"the rubric cannot be graded by: {error}"
    return rubrics


def _grades(
    jobs: Sequence[GradingJob], sittings: Mapping[tuple[str, int], Sitting], runs: int
) -> dict[tuple[str, str, int], dict[int, Grade]]:
    grades: dict[tuple[str, str, int], dict[int, Grade]] = {}
    for job in jobs:
        held = [sittings[job.key, number] for number in range(runs)] if job.asking.questions else []
        name = (job.case.suite, job.case.case.name, job.place)
        grades.setdefault(name, {})[job.trial.run_index] = grade(job.rubric, job.asking, held)
    return grades
