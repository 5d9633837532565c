"""Evaluated eval runs made up for tests of what reads them."""

from pathlib import Path

from skillwalker.datatypes.evals import CaseStatus, EvalOutcome, EvalSummary, ResultRow, Status
from skillwalker.datatypes.scores import UsageTotal


def outcome(*statuses: Status, text: str = "case", simulated: bool = False) -> EvalOutcome:
    """An eval run with a case and an expectation for each status."""
    names = [f"{text} {number}" for number in range(len(statuses))]
    rows = tuple(
        ResultRow(
            suite=text,
            test_name=name,
            expect_type="result-contains",
            expect_value=text,
            status=status,
            reasoning=f"because {text}",
            runs_passed=1,
        )
        for name, status in zip(names, statuses, strict=True)
    )
    summary = EvalSummary(
        test_run_id="20261130T120000",
        suites=(text,),
        engine=text,
        simulated=simulated,
        trials_simulated=simulated,
        endpoint=text,
        permission_mode=text,
        cli_version=text,
        models=(text,),
        stopped_because=None,
        cause=None,
        total_tests=len(statuses),
        passed=statuses.count(Status.PASSED),
        failures=statuses.count(Status.FAILED),
        inconclusive=statuses.count(Status.UNKNOWN) + statuses.count(Status.INFRASTRUCTURE),
        trials=len(statuses),
        undecided=0,
        total_duration_ms=1,
        total_input_tokens=1,
        total_output_tokens=1,
        judge=None,
        usage=(("trial", UsageTotal(calls=2, cost_usd=0.5, cost_unknown_calls=1)),),
        tests=tuple(
            CaseStatus(suite=text, test_name=name, status=status)
            for name, status in zip(names, statuses, strict=True)
        ),
    )
    return EvalOutcome(folder=Path(), summary=summary, rows=rows)
