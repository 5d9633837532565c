"""An evaluated run in lines for a terminal or a log (pure)."""

from collections.abc import Iterator

from skillwalker.datatypes.evals import (
    CaseStatus,
    EvalOutcome,
    EvalStarted,
    EvalSummary,
    EvalTrialDone,
    Judging,
    ResultRow,
    Status,
)
from skillwalker.datatypes.rescoring import Rescored
from skillwalker.datatypes.trials import Reading
from skillwalker.report.plain import one_line
from skillwalker.report.wording import NOBODY_PAYS, SIMULATED, is_billed

SIMULATED_JUDGE = "simulated"
SIMULATED_GRADES = (
    "SIMULATED JUDGE: words were compared, no model graded; this says nothing about the work."
)
LABELS = {
    Status.PASSED: "passed",
    Status.FAILED: "FAILED",
    Status.UNKNOWN: "unknown",
    Status.INFRASTRUCTURE: "not measured",
}
WIDEST = max(len(label) for label in LABELS.values())


def started_line(event: EvalStarted) -> str:
    """Say which engine runs what, and loudly when it is no real one."""
    loud = "SIMULATED, " if event.simulated else ""
    return f"{loud}run {event.run_id}: {_trials(event.trials)}; {one_line(event.headline)}"


def trial_line(event: EvalTrialDone, *, number: int, of: int) -> str:
    """Say that a trial is done; a retry has the number of what it repeats."""
    trial = event.trial
    text = f"  [{number}/{of}] {one_line(trial.suite)}: {one_line(trial.case)}"
    if event.undecided is None:
        return text
    return f"{text}: {event.undecided}{' again' if trial.attempt else ', tried again'}"


def judging_line(event: Judging) -> str:
    """Say who is about to grade, and loudly when nobody real is."""
    calls = "1 question" if event.calls == 1 else f"{event.calls} questions"
    reused = f", {event.reused} answered before" if event.reused else ""
    if event.judge == SIMULATED_JUDGE:
        return f"SIMULATED JUDGE: {calls}{reused}; it compares words and asks no Claude"
    models = ", ".join(one_line(model) for model in event.models)
    return f"judge {event.judge}, {models}: {calls}{reused}"


def rescored_lines(found: Rescored) -> Iterator[str]:
    """Tell what today's detector makes of a recorded run."""
    for one in found.changed:
        about = f"{one.suite}: {one.case}" if one.suite else one.case
        yield one_line(
            f"{about} [{one.candidate}, run {one.run_index}, attempt {one.attempt}]: "
            f"{_reading(one.before)} -> {_reading(one.after)}"
        )
    left = [
        f"{number} {why}"
        for number, why in (
            (found.without_transcript, "without a stream"),
            (found.without_target, "without a target"),
        )
        if number
    ]
    counts = f"{len(found.changed)} of {found.read_again} trials read otherwise today"
    yield f"run {found.run_id}: {', '.join([counts, *left])}; nothing was written"


def _reading(reading: Reading) -> str:
    """Tell what a trial says in a few words."""
    reason = f" ({reading.reason})" if reading.reason is not None else ""
    step = f" at turn {reading.step}" if reading.step is not None else ""
    mode = f", {reading.mode}" if reading.mode is not None else ""
    also = f", also {' '.join(reading.also_fired)}" if reading.also_fired else ""
    return f"{reading.outcome}{reason}{step}{mode}{also}"


def outcome_lines(outcome: EvalOutcome, *, folder: str) -> Iterator[str]:
    """Tell case by case how a run ended, with a reason for each that did not pass.

    Args:
        outcome: the evaluated run.
        folder: where it is recorded, as a user would write it.
    """
    summary = outcome.summary
    for test in summary.tests:
        yield f"{LABELS[test.status]:<{WIDEST}}  {one_line(test.suite)}: {one_line(test.test_name)}"
        yield from (f"{'':<{WIDEST}}    {line}" for line in _reasons(test, outcome))
    yield from _closing(summary, folder)


def _trials(number: int) -> str:
    return "1 trial" if number == 1 else f"{number} trials"


def _reasons(test: CaseStatus, outcome: EvalOutcome) -> Iterator[str]:
    if test.status is Status.PASSED:
        return
    for row in outcome.rows:
        same = (row.suite, row.test_name) == (test.suite, test.test_name)
        if same and row.status is not Status.PASSED:
            yield _reason(row)


def _reason(row: ResultRow) -> str:
    if row.criterion is not None:
        where = f" [{row.criterion_file}]" if row.criterion_file is not None else ""
        return "  " + one_line(f"{row.status}{where}: {row.criterion}: {row.reasoning}")
    about = f" of {row.target}" if row.target is not None else ""
    value = row.expect_value if len(row.expect_value) <= 60 else row.expect_value[:59] + "…"
    return one_line(f"{row.expect_type}{about} = {value}: {row.reasoning}")


def _closing(summary: EvalSummary, folder: str) -> Iterator[str]:
    """Count the cases, and say what they took."""
    counts = f"{summary.passed} of {summary.total_tests} passed, {summary.failures} failed"
    if summary.inconclusive:
        counts += f", {summary.inconclusive} inconclusive"
    tokens = f"{summary.total_input_tokens} tokens in, {summary.total_output_tokens} out"
    seconds = summary.total_duration_ms / 1000
    yield f"{counts}; {_trials(summary.trials)}, {seconds:.1f} s, {tokens}, {_cost(summary)}"
    if summary.cause is not None:
        yield f"ended early: {one_line(summary.cause)}"
    if summary.judge_cause is not None:
        yield f"the judge was not asked everything: {one_line(summary.judge_cause)}"
    yield f"recorded in {folder}"
    if summary.judge == SIMULATED_JUDGE:
        yield SIMULATED_GRADES
    if summary.trials_simulated:
        yield SIMULATED


def _cost(summary: EvalSummary) -> str:
    """Say what trials and judge cost, with what is not known."""
    if not is_billed(summary.endpoint, simulated=summary.trials_simulated):
        return NOBODY_PAYS
    usage = dict(summary.usage)["trial"]
    cost = f"${usage.cost_usd:.2f}"
    if usage.cost_unknown_calls:
        cost += f" and {_trials(usage.cost_unknown_calls)} of unknown cost"
    judged = dict(summary.usage)["judge"]
    if judged.calls:
        asked = "1 question" if judged.calls == 1 else f"{judged.calls} questions"
        unknown = f" and {judged.cost_unknown_calls} of unknown cost" * bool(
            judged.cost_unknown_calls
        )
        cost += f"; judge {summary.judge}: {asked}, ${judged.cost_usd:.2f}{unknown}"
    return cost
