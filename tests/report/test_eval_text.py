from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.evals import EvalOutcome, EvalStarted, EvalTrialDone, Judging
from skillwalker.datatypes.rescoring import Changed, Rescored
from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.trials import Reading
from skillwalker.datatypes.vocabulary import Mode, Outcome
from skillwalker.report.eval_text import (
    judging_line,
    outcome_lines,
    rescored_lines,
    started_line,
    trial_line,
)
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
        "not measured  mixed: graded",
        "                  unknown: finds the injection: the judge could not be asked: there is no"
        " judge in this test",
        "                llm-judge-aggregate = rubrics/review.md: 0 of 0 decided criteria passed,"
        " 1 not known: the judge could not be asked: there is no judge in this test",
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
    real = replace(outcome, summary=replace(outcome.summary, trials_simulated=False))
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


def test_who_grades_is_said_before_it_is_asked() -> None:
    event = Judging(judge="api", models=("claude-opus-5-5",), calls=2, reused=0)
    assert judging_line(event) == "judge api, claude-opus-5-5: 2 questions"
    again = replace(event, calls=1, reused=3)
    assert judging_line(again) == "judge api, claude-opus-5-5: 1 question, 3 answered before"
    assert judging_line(replace(event, judge="simulated")).startswith("SIMULATED JUDGE: 2 ")


def test_a_simulated_judge_of_real_trials_is_said(outcome: EvalOutcome) -> None:
    summary = replace(outcome.summary, judge="simulated", trials_simulated=False)
    lines = list(outcome_lines(replace(outcome, summary=summary), folder="output/r1"))
    assert [line.partition(":")[0] for line in lines if "SIMULATED" in line] == ["SIMULATED JUDGE"]


def test_what_the_judge_took_is_said(outcome: EvalOutcome) -> None:
    total = UsageTotal(calls=2, cost_usd=0.5, cost_unknown_calls=1)
    usage = (outcome.summary.usage[0], ("judge", total))
    whole = replace(outcome, summary=replace(outcome.summary, usage=usage))
    assert "; judge api: 2 questions, $0.50 and 1 of unknown cost" in "\n".join(
        outcome_lines(whole, folder="output/r1")
    )


def test_what_reads_otherwise_today_is_told() -> None:
    before = Reading(outcome=Outcome.UNDECIDED, reason="rate", step=None, mode=None, also_fired=())
    after = Reading(
        outcome=Outcome.TRIGGERED, reason=None, step=2, mode=Mode.TOOL, also_fired=("demo:x",)
    )
    changed = Changed(
        suite="s",
        case="a\x1b",
        candidate="0123",
        model_asked="m",
        run_index=1,
        attempt=0,
        before=before,
        after=after,
    )
    found = Rescored(
        run_id="r1",
        trials=9,
        read_again=6,
        without_transcript=2,
        without_target=1,
        changed=(changed,),
    )
    assert list(rescored_lines(found)) == [
        "s: a\ufffd [0123, run 1, attempt 0]: undecided (rate) -> "
        "triggered at turn 2, tool, also demo:x",
        "run r1: 1 of 6 trials read otherwise today, 2 without a stream, 1 without a target; "
        "nothing was written",
    ]
