"""Rows of a rubric: one for each criterion, and one that sums them up (pure).

A criterion that is not known leaves the score. It makes the sum unknown only where it could still
change it: when the threshold is met even if every open criterion fails, or missed even if every
one passes, the sum is decided.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from skillwalker.completers.protocol import resolve_model
from skillwalker.datatypes.evals import Check, EvalCase, EvalTrial, ResultRow, Status
from skillwalker.datatypes.inputs import JudgeExpectation
from skillwalker.datatypes.judging import Grade, Rubric
from skillwalker.evaluation.expectations import NO_JUDGE, missing_answer, vote

AGGREGATE: Final = "llm-judge-aggregate"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSetup:
    """Who judges."""

    judge: str | None
    """api, cli or simulated; None where nobody does."""
    model: str | None
    """That every rubric is graded by, whatever it says."""
    runs: int = 1

    def model_of(self, expectation: JudgeExpectation) -> str:
        """Give the full id of the model that is asked."""
        return resolve_model(self.model or expectation.model)


def judge_rows(
    case: EvalCase,
    expectation: JudgeExpectation,
    trials: Sequence[EvalTrial],
    *,
    rubric: Rubric | str,
    grades: Mapping[int, Grade],
    bench: JudgeSetup,
    cause: str | None = None,
) -> tuple[ResultRow, ...]:
    """Make the rows of one rubric.

    Args:
        case: that expects it.
        expectation: names the rubric.
        trials: the last attempt of each run.
        rubric: as it is now, or why it cannot be read.
        grades: of the trials that were graded, by their run.
        bench: who judged.
        cause: why the run ended early.
    """
    answered = (grade.model for grade in grades.values() if grade.model is not None)
    model = next(answered, bench.model_of(expectation))

    def row(checks: Sequence[Check]) -> ResultRow:
        return replace(
            vote(case, expectation, checks, cause),
            judge=bench.judge,
            judge_model=model,
            judge_runs=bench.runs,
            judge_threshold=expectation.threshold,
        )

    if isinstance(rubric, str):
        unread = Check(status=Status.INFRASTRUCTURE, why=rubric, reason="rubric")
        return (replace(row([unread]), expect_type=AGGREGATE),)
    rows = tuple(
        replace(
            row([_check(one, place, grades) for one in trials]),
            criterion=criterion.text,
            criterion_file=criterion.file,
            agreement=_mean([_agreement(grade, place) for grade in grades.values()]),
        )
        for place, criterion in enumerate(rubric.criteria)
    )
    is_broken = any(grade.broken is not None for grade in grades.values())
    return (*rows, _sum_up(rows, expectation.threshold, is_broken=is_broken))


def _check(trial: EvalTrial, place: int, grades: Mapping[int, Grade]) -> Check:
    """Say what a trial means for a criterion."""
    missing = missing_answer(trial)
    if missing is not None:
        return missing
    grade = grades.get(trial.run_index)
    if grade is None:
        return Check(status=Status.UNKNOWN, why=NO_JUDGE)
    graded = grade.criteria[place]
    return Check(status=graded.status, why=graded.reasoning)


def _agreement(grade: Grade, place: int) -> float | None:
    return grade.agreement[place] if grade.agreement else None


def _mean(shares: Sequence[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def _sum_up(rows: Sequence[ResultRow], threshold: float, *, is_broken: bool) -> ResultRow:
    """Make the row that decides about the case."""
    counts = Counter(row.status for row in rows)
    passed, failed = counts[Status.PASSED], counts[Status.FAILED]
    score = passed / (passed + failed) if passed + failed else None
    status = _decide(passed, len(rows) - passed - failed, len(rows), threshold)
    if status is Status.UNKNOWN and (is_broken or counts[Status.INFRASTRUCTURE]):
        status = Status.INFRASTRUCTURE
    return replace(
        rows[0],
        expect_type=AGGREGATE,
        status=status,
        reasoning=_reasoning(rows, counts, score, threshold, status),
        criterion=None,
        criterion_file=None,
        runs_passed=0,
        runs_failed=0,
        runs_undecided=0,
        agreement=_mean([row.agreement for row in rows]),
        judge_score=score,
    )


def _decide(passed: int, unknown: int, total: int, threshold: float) -> Status:
    """Decide by the threshold, whatever the unknown criteria would be."""
    if passed / total >= threshold:
        return Status.PASSED
    if (passed + unknown) / total < threshold:
        return Status.FAILED
    return Status.UNKNOWN


def _reasoning(
    rows: Sequence[ResultRow],
    counts: Counter[Status],
    score: float | None,
    threshold: float,
    status: Status,
) -> str:
    passed, failed = counts[Status.PASSED], counts[Status.FAILED]
    unknown = len(rows) - passed - failed
    said = f"{passed} of {passed + failed} decided criteria passed"
    if score is not None:
        said += f" ({score:.2f}, threshold {threshold:.2f})"
    if unknown:
        said += f", {unknown} not known"
    open_row = next((r for r in rows if r.status not in (Status.PASSED, Status.FAILED)), None)
    if status in (Status.UNKNOWN, Status.INFRASTRUCTURE) and open_row is not None:
        said += f": {open_row.reasoning}"
    return said
