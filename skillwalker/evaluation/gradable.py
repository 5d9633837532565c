"""What there is to grade in a recorded run: trials with an answer, by the rubrics of their case."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skillwalker.datatypes.evals import EvalCase, EvalTrial
from skillwalker.datatypes.inputs import JudgeExpectation
from skillwalker.datatypes.judging import Evidence, Rubric
from skillwalker.datatypes.trials import OutputFile
from skillwalker.evaluation.expectations import missing_answer
from skillwalker.evaluation.store import EvalStore, TrialName
from skillwalker.judge.material import material
from skillwalker.judge.prompt import write_prompt
from skillwalker.judge.questions import Asking, ask_about
from skillwalker.judge.transcript_text import readable, readable_calls

Wanted = tuple[EvalCase, int, JudgeExpectation]
"""A case, and the place of an expectation of it that needs a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingJob:
    """A trial to be graded by a rubric."""

    case: EvalCase
    place: int
    expectation: JudgeExpectation
    trial: EvalTrial
    rubric: Rubric
    asking: Asking
    shown: Mapping[str, object]
    model: str
    key: str
    """Hash of what is asked of whom."""


def judged_cases(
    cases: Iterable[EvalCase],
) -> tuple[Wanted, ...]:
    """List what a run's cases expect of a judge."""
    return tuple(
        (case, place, one)
        for case in cases
        for place, one in enumerate(case.case.expect)
        if isinstance(one, JudgeExpectation)
    )


def grading_jobs(
    wanted: Sequence[Wanted],
    trials: Mapping[TrialName, EvalTrial],
    rubrics: Mapping[tuple[str, str], Rubric | str],
    *,
    store: EvalStore,
    judge: str,
    model_of: Callable[[JudgeExpectation], str],
) -> list[GradingJob]:
    """Put together what is asked about each trial that has an answer.

    Args:
        wanted: what the run's cases expect of a judge.
        trials: the last attempt of each run.
        rubrics: by suite and file; one that cannot be read asks nothing.
        store: of the run.
        judge: api, cli or simulated.
        model_of: gives the full id of the model that is asked.

    Raises:
        StoreError: the record cannot be read.
    """
    found = [
        (case, place, one, trial, rubric)
        for case, place, one in wanted
        if isinstance(rubric := rubrics[case.suite, one.rubric_file.as_posix()], Rubric)
        for index in range(case.runs)
        if (trial := trials.get((case.suite, case.case.name, index))) is not None
        and missing_answer(trial) is None
    ]
    events = store.read_events({(t.suite, t.case, t.run_index): t.attempt for *_, t, _ in found})
    scaffolds = store.read_scaffolds()
    jobs: list[GradingJob] = []
    for case, place, one, trial, rubric in found:
        said = events.get((trial.suite, trial.case, trial.run_index), ())
        at_start = scaffolds.get((case.suite, _scaffold(case)), ())
        evidence = _evidence(case, trial, said, at_start)
        shown = material(evidence)
        asking = ask_about(rubric, evidence, shown=json.dumps(shown, ensure_ascii=False))
        model = model_of(one)
        prompt = write_prompt(shown, asking.questions)
        jobs.append(
            GradingJob(
                case=case,
                place=place,
                expectation=one,
                trial=trial,
                rubric=rubric,
                asking=asking,
                shown=shown,
                model=model,
                key=_key(judge, model, prompt),
            )
        )
    return jobs


def _evidence(
    case: EvalCase,
    trial: EvalTrial,
    events: Sequence[Mapping[str, object]],
    scaffold: tuple[OutputFile, ...],
) -> Evidence:
    """Gather what there is of a trial."""
    transcript = trial.transcript
    output = transcript.output
    return Evidence(
        task=case.case.prompt,
        transcript=readable(events) or readable_calls(transcript.calls),
        answer=transcript.answer,
        scaffold=scaffold,
        output=None if output is None else output.files,
        output_fault=None if output is None else output.fault,
    )


def _scaffold(case: EvalCase) -> str:
    return "" if case.case.scaffold is None else case.case.scaffold.as_posix()


def _key(judge: str, model: str, prompt: str) -> str:
    """Name a question: who is asked what."""
    text = json.dumps([judge, model, prompt])
    return hashlib.sha256(text.encode("ascii")).hexdigest()
