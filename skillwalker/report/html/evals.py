"""The page of one eval run: how many cases pass, and why the others do not."""

from skillwalker.datatypes.evals import WORST_FIRST, EvalOutcome, EvalSummary, ResultRow, Status
from skillwalker.report import wording
from skillwalker.report.html.environment import moment, render

MARKS = {
    Status.PASSED: "✓ passed",
    Status.FAILED: "✗ failed",
    Status.UNKNOWN: "? unknown",
    Status.INFRASTRUCTURE: "? infrastructure",
}
SHADES = {
    Status.PASSED: "heat-4",
    Status.FAILED: "heat-0",
    Status.UNKNOWN: "undecided",
    Status.INFRASTRUCTURE: "undecided",
}


def render_eval(outcome: EvalOutcome) -> str:
    """Write the page of an eval run.

    Returns:
        One HTML document that loads nothing.
    """
    summary = outcome.summary
    rows: list[ResultRow] = sorted(outcome.rows, key=lambda row: WORST_FIRST.index(row.status))
    return render(
        "eval.html",
        summary=summary,
        verdict=eval_verdict(summary),
        simulated=wording.SIMULATED if summary.simulated else None,
        began=moment(summary.test_run_id),
        stopped=None if summary.stopped_because is None else wording.STOPS[summary.stopped_because],
        rows=rows,
        marks=MARKS,
        shades=SHADES,
    )


def eval_verdict(summary: EvalSummary) -> str:
    """Say in one sentence how an eval run ended."""
    suites = ", ".join(summary.suites)
    return (
        f"{suites}: {summary.passed} of {summary.total_tests} cases passed,"
        f" {summary.failures} failed, {summary.inconclusive} inconclusive."
    )
