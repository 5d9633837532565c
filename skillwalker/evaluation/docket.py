"""What there is to ask the judge about a recorded run, and what it was asked before.

What was asked before of the same judge and model, word for word, is not asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.evals import EvalCase, EvalTrial, Judging
from skillwalker.datatypes.improver import Exchange
from skillwalker.datatypes.judging import Rubric
from skillwalker.errors import SuiteError
from skillwalker.evaluation.gradable import GradingJob, Wanted, grading_jobs, judged_cases
from skillwalker.evaluation.judge_rows import JudgeSetup
from skillwalker.evaluation.store import EvalStore, TrialName
from skillwalker.judge.grade import Sitting
from skillwalker.suites.rubrics import read_rubric


@dataclass(frozen=True, slots=True, kw_only=True)
class DocketItem:
    """One sitting of the judge over a job."""

    job: GradingJob
    judge_run: int

    @property
    def name(self) -> tuple[str, int]:
        """What tells it from others."""
        return self.job.key, self.judge_run


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """What there is to ask about a run, and what is known of it."""

    rubrics: Mapping[tuple[str, str], Rubric | str]
    jobs: Sequence[GradingJob]
    questions: int
    known: dict[tuple[str, int], Sitting]
    open_ones: tuple[DocketItem, ...]
    """Trials that are alike word for word are one question."""

    def told(self, judge: str) -> Judging:
        """Say what is about to be asked."""
        return Judging(
            judge=judge,
            models=tuple(dict.fromkeys(one.job.model for one in self.open_ones)),
            calls=len(self.open_ones),
            reused=self.questions - len(self.open_ones),
        )


def make_docket(
    cases: Sequence[EvalCase],
    trials: Mapping[TrialName, EvalTrial],
    *,
    store: EvalStore,
    bench: JudgeSetup,
    evals_dir: Path,
) -> Docket:
    """Put together what is asked about a run, and read what was answered before.

    Args:
        cases: of the run.
        trials: the last attempt of each run.
        store: of the run.
        bench: who judges.
        evals_dir: where the rubrics lie.

    Raises:
        StoreError: the record cannot be read.
    """
    wanted = judged_cases(cases)
    rubrics = _read_rubrics(wanted, evals_dir)
    jobs = grading_jobs(
        wanted,
        trials,
        rubrics,
        store=store,
        judge=bench.judge or "",
        model_of=bench.model_of,
    )
    questions = [
        DocketItem(job=job, judge_run=number)
        for job in jobs
        if job.asking.questions
        for number in range(bench.runs)
    ]
    known = {(one.key, one.judge_run): one.sitting for one in _recorded(store)}
    new = {one.name: one for one in questions if one.name not in known}
    return Docket(
        rubrics=rubrics,
        jobs=jobs,
        questions=len(questions),
        known=known,
        open_ones=tuple(new.values()),
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
