from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.evals import EvalOutcome, EvalStarted, EvalTrialDone
from skillwalker.report.eval_text import outcome_lines, started_line, trial_line
from tests.eval_world import (
    ALL_MET,
    TableEngine,
    broken,
    case,
    make_eval_project,
    order_of,
    run_order,
    said,
)
from tests.evaluation.test_expectations import trial_of
from tests.projects import call_case

CASES = (
    call_case("skill"),
    case("work", {"result-contains": "injection"}, {"result-does-not-contain": "LGTM"}),
    case("graded", {"llm-judge": {"rubricFile": "review.md"}}),
    call_case("dead"),
)
ANSWERS = {
    **ALL_MET,
    "prompt of work": [said("fine LGTM", usage=replace(said("").usage, cost_usd=None))],
    "prompt of graded": [said("x")],
    "prompt of dead": [broken("auth")],
}


@pytest.fixture
def outcome(tmp_path: Path) -> EvalOutcome:
    places = make_eval_project(tmp_path, *CASES)
    return run_order(places, TableEngine(ANSWERS), order_of(concurrency=1))


def test_every_case_has_a_line_and_what_did_not_pass_its_reasons(outcome: EvalOutcome) -> None:
    assert list(outcome_lines(outcome, folder="output/r1")) == [
        "passed        mixed: skill",
        "FAILED        mixed: work",
        "                result-contains = injection: the answer does not contain it",
        "                result-does-not-contain = LGTM: the answer contains it",
        "unknown       mixed: graded",
        "                llm-judge = rubrics/review.md: no judge was asked: this version does not"
        " grade by rubric yet",
        "not measured  mixed: dead",
        "                skill-call of demo:review = true: the trial says nothing: auth"
        " (auth on purpose)",
        "1 of 4 passed, 1 failed, 2 inconclusive; 5 trials, 7.5 s, 50 tokens in, 15 out, $1.00"
        " and 1 trial of unknown cost",
        "recorded in output/r1",
        "SIMULATED: no model was asked; this shows how Skillwalker works, not how Claude behaves.",
    ]


def test_an_early_end_is_said(outcome: EvalOutcome) -> None:
    cut = replace(outcome, summary=replace(outcome.summary, cause="the\nlogin is dead"))
    assert "ended early: the login is dead" in list(outcome_lines(cut, folder="output/r1"))


def test_a_real_run_is_not_called_simulated(outcome: EvalOutcome) -> None:
    real = replace(outcome, summary=replace(outcome.summary, simulated=False))
    assert not any("SIMULATED" in line for line in outcome_lines(real, folder="output/r1"))


def test_a_long_value_is_cut(outcome: EvalOutcome) -> None:
    row = replace(outcome.rows[1], expect_value="y" * 80)
    long = replace(outcome, rows=(outcome.rows[0], row))
    assert f"result-contains = {'y' * 59}…: the answer" in "\n".join(
        outcome_lines(long, folder="output/r1")
    )


def test_control_codes_reach_no_terminal(outcome: EvalOutcome) -> None:
    tests = tuple(replace(test, test_name="a\x1b[31m\nb") for test in outcome.summary.tests)
    rows = tuple(replace(row, reasoning="\x07 \x1b]0;x") for row in outcome.rows)
    bad = replace(outcome, rows=rows, summary=replace(outcome.summary, tests=tests))
    for line in outcome_lines(bad, folder="output/r1"):
        assert "\x1b" not in line
        assert "\x07" not in line
        assert "\n" not in line


def test_progress_is_a_line_a_trial() -> None:
    started = EvalStarted(run_id="r1", headline="engine\tx", simulated=False, trials=3)
    assert started_line(started) == "run r1: 3 trials; engine x"
    loud = replace(started, simulated=True, trials=1)
    assert started_line(loud) == "SIMULATED, run r1: 1 trial; engine x"
    done = EvalTrialDone(trial=trial_of(said("")), undecided=None)
    assert trial_line(done, number=2, of=3) == "  [2/3] s: c"
    missed = replace(done, undecided="rate")
    assert trial_line(missed, number=2, of=3) == "  [2/3] s: c: rate, tried again"
    again = replace(missed, trial=replace(missed.trial, attempt=1))
    assert trial_line(again, number=2, of=3) == "  [2/3] s: c: rate again"
