"""What an eval run says at its end: its cases counted, and what they took and cost (pure)."""

from collections.abc import Sequence
from typing import Final

from skillwalker.datatypes.evals import (
    CaseStatus,
    EvalCase,
    EvalSummary,
    EvalTrial,
    ResultRow,
    Status,
)
from skillwalker.datatypes.scores import UsageTotal, sum_usage
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.evaluation.expectations import status_of

SIMULATED: Final = "simulated"


def summarise(
    by_case: Sequence[tuple[EvalCase, tuple[ResultRow, ...]]],
    trials: Sequence[EvalTrial],
    *,
    run_id: str,
    engine: str,
    judged: UsageTotal | None = None,
    judge: str | None = None,
    stopped: StopReason | None = None,
    cause: str | None = None,
    judge_stopped: StopReason | None = None,
    judge_cause: str | None = None,
) -> EvalSummary:
    """Count cases, and what every attempt took and cost.

    Args:
        by_case: each case with its rows.
        trials: every attempt: what was paid for is counted, whether it says anything or not.
        run_id: the run's name.
        engine: that was asked for; it stands where no trial says which one answered.
        judged: what every question to the judge took, those of earlier evaluations included.
        judge: who graded; None where nothing was graded.
        stopped: why the run ended before its last case.
        cause: the same in a line for people.
        judge_stopped: the limit that left questions to the judge unasked.
        judge_cause: the same in a line for people.
    """
    tests = _statuses(by_case)
    statuses = [test.status for test in tests]
    passed, failures = statuses.count(Status.PASSED), statuses.count(Status.FAILED)
    read = [trial.transcript for trial in trials]
    total = sum_usage(transcript.usage for transcript in read)
    first = trials[0] if trials else None
    is_simulated = first.simulated if first else engine == SIMULATED
    return EvalSummary(
        test_run_id=run_id,
        suites=tuple(dict.fromkeys(case.suite for case, _ in by_case)),
        engine=first.engine if first else engine,
        simulated=is_simulated or judge == SIMULATED,
        trials_simulated=is_simulated,
        endpoint=first.endpoint if first else "",
        permission_mode=", ".join(sorted({trial.permission_mode for trial in trials})),
        cli_version=next((one.cli_version for one in read if one.cli_version), ""),
        models=tuple(sorted({one.model for one in read if one.model})),
        stopped_because=stopped,
        cause=cause,
        total_tests=len(tests),
        passed=passed,
        failures=failures,
        inconclusive=len(tests) - passed - failures,
        trials=len(trials),
        undecided=sum(map(_is_undecided, (row for _, rows in by_case for row in rows))),
        total_duration_ms=round(1000 * sum(one.duration for one in read)),
        total_input_tokens=total.input_tokens,
        total_output_tokens=total.output_tokens,
        judge=judge,
        usage=(("trial", total), ("judge", judged or UsageTotal())),
        tests=tests,
        judge_stopped=judge_stopped,
        judge_cause=judge_cause,
    )


def _is_undecided(row: ResultRow) -> bool:
    """Say whether a row is about trials that say nothing; criteria have rows of their own."""
    return row.status is Status.INFRASTRUCTURE and row.criterion is None


def _statuses(
    by_case: Sequence[tuple[EvalCase, tuple[ResultRow, ...]]],
) -> tuple[CaseStatus, ...]:
    return tuple(
        CaseStatus(suite=case.suite, test_name=case.case.name, status=status_of(rows))
        for case, rows in by_case
    )
