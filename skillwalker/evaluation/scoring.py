"""The evaluation of a recorded run, from its own folder and the rubrics as they are now.

A run is evaluated at its end and whenever it is asked for again: so scoring twice says the same,
and a run that was killed can still be scored for what it had.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from skillwalker.datatypes.evals import EvalCase, EvalOutcome, EvalTrial, ResultRow
from skillwalker.datatypes.scores import sum_usage
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import StoreError
from skillwalker.evaluation.docket import make_docket
from skillwalker.evaluation.expectations import evaluate_case
from skillwalker.evaluation.gradable import judged_cases
from skillwalker.evaluation.judge_rows import JudgeSetup, judge_rows
from skillwalker.evaluation.judging import Judged, JudgeTools, ask_judge
from skillwalker.evaluation.run import EvalEnd
from skillwalker.evaluation.store import EvalStore, TrialName, list_eval_runs
from skillwalker.evaluation.summary import SIMULATED, summarise
from skillwalker.recording.store import find_run

ChooseJudge = Callable[[str], JudgeTools]
"""Gives who judges the run of an engine."""


async def score_runs(
    output_dir: Path,
    run_id: str | None = None,
    *,
    judge: ChooseJudge,
    again: bool = False,
    secrets: Sequence[str] = (),
) -> tuple[EvalOutcome, ...]:
    """Evaluate recorded runs without running a trial.

    Args:
        output_dir: where runs lie.
        run_id: the one to evaluate, again if it has been; None evaluates all that have not.
        judge: gives who judges.
        again: with no run_id, whether to evaluate the others as well.
        secrets: strings that must not stand in any file.

    Raises:
        RunNotFoundError: there is no such run.
        StoreError: a run is no eval run or cannot be read; the others are evaluated before.
    """
    if run_id is not None:
        return (await _score(find_run(output_dir, run_id), judge, secrets),)
    outcomes: list[EvalOutcome] = []
    faults: list[StoreError] = []
    for folder in list_eval_runs(output_dir, evaluated=again):
        try:
            outcomes.append(await _score(folder, judge, secrets))
        except StoreError as error:
            faults.append(StoreError(f"run {folder.name}: {error}"))
    if faults:
        raise StoreError("\n".join(str(fault) for fault in faults))
    return tuple(outcomes)


def open_questions(
    output_dir: Path, run_id: str | None = None, *, judge: ChooseJudge, again: bool = False
) -> tuple[Counter[str], int]:
    """Count by model what `score_runs` would ask a judge for money now, and the runs it reads.

    Arguments and errors are those of `score_runs`; nobody is asked and nothing is written.
    """
    if run_id is not None:
        folders: Sequence[Path] = (find_run(output_dir, run_id),)
    else:
        folders = list_eval_runs(output_dir, evaluated=again)
    asked: Counter[str] = Counter()
    for folder in folders:
        store = EvalStore(folder)
        tools = judge(store.read_engine())
        cases, trials = store.read_cases(), _last_attempts(store.read_trials())
        if judged_cases(cases) and tools.name != SIMULATED:
            docket = make_docket(
                cases, trials, store=store, bench=tools.bench, evals_dir=tools.evals_dir
            )
            asked.update(one.job.model for one in docket.open_ones)
    return asked, len(folders)


def _last_attempts(trials: Sequence[EvalTrial]) -> dict[TrialName, EvalTrial]:
    """Give the last attempt of each run."""
    return {(one.suite, one.case, one.run_index): one for one in trials}


async def _score(folder: Path, judge: ChooseJudge, secrets: Sequence[str]) -> EvalOutcome:
    """Evaluate a recorded run; why it ended early, it has recorded itself."""
    store = EvalStore(folder, secrets=secrets)
    before = store.read_summary()
    reason, cause = before.get("stopped_because"), before.get("cause")
    ended = EvalEnd(
        reason=next((known for known in StopReason if known == reason), None),
        cause=cause if isinstance(cause, str) else None,
    )
    try:
        return await evaluate(store, ended, judge)
    finally:
        store.close()


async def evaluate(store: EvalStore, ended: EvalEnd, judge: ChooseJudge) -> EvalOutcome:
    """Make rows and summary from what is on the disk, and write them beside it.

    Args:
        store: of the run.
        ended: why it ended early, if it did.
        judge: gives who judges.

    Raises:
        StoreError: the record cannot be read or written.
    """
    cases, trials = store.read_cases(), store.read_trials()
    last = _last_attempts(trials)
    tools = judge(store.read_engine()) if judged_cases(cases) else None
    judged = Judged(rubrics={}, grades={})
    if tools is not None:
        judged = await ask_judge(cases, last, store=store, tools=tools)
    bench = tools.bench if tools is not None else JudgeSetup(judge=None, model=None)
    by_case = [(case, _rows(case, last, judged, bench, ended.cause)) for case in cases]
    outcome = EvalOutcome(
        folder=store.folder,
        summary=summarise(
            by_case,
            trials,
            run_id=store.run_id,
            engine=store.read_engine(),
            judged=sum_usage(call.usage for call in store.read_judge()),
            judge=bench.judge,
            stopped=ended.reason,
            cause=ended.cause,
            judge_stopped=judged.stopped,
            judge_cause=judged.cause,
        ),
        rows=tuple(row for _, rows in by_case for row in rows),
    )
    store.write_outcome(outcome)
    return outcome


def _rows(
    case: EvalCase,
    last: Mapping[TrialName, EvalTrial],
    judged: Judged,
    bench: JudgeSetup,
    cause: str | None,
) -> tuple[ResultRow, ...]:
    """Make the rows of a case."""
    trials = [
        one
        for index in range(case.runs)
        if (one := last.get((case.suite, case.case.name, index))) is not None
    ]
    graded = {
        place: judge_rows(
            case,
            one,
            trials,
            rubric=judged.rubrics[case.suite, one.rubric_file.as_posix()],
            grades=judged.grades.get((case.suite, case.case.name, place), {}),
            bench=bench,
            cause=cause,
        )
        for _, place, one in judged_cases([case])
    }
    return evaluate_case(case, trials, cause=cause, judged=graded)
