from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.evals import Check, EvalCase, EvalTrial, ResultRow, Status
from skillwalker.datatypes.inputs import (
    CallExpectation,
    Case,
    Expectation,
    JudgeExpectation,
    TextExpectation,
)
from skillwalker.datatypes.trials import CalledAs, Transcript
from skillwalker.datatypes.vocabulary import CaseType, Mode, TargetKind
from skillwalker.evaluation.expectations import (
    NO_JUDGE,
    TURN_LIMIT,
    check,
    evaluate_case,
    status_of,
    undecided_reason,
)
from tests.eval_world import RELEASE, REVIEW, broken, said

NAMES = CalledAs(
    kind=TargetKind.SKILL,
    names=frozenset({"demo:review", "review"}),
    path_suffix="skills/review/SKILL.md",
)
YES = CallExpectation(kind=TargetKind.SKILL, target="demo:review", expected=True)
NO = replace(YES, expected=False)
HAS = TextExpectation(text="injection", contains=True)
LACKS = TextExpectation(text="LGTM", contains=False)
RUBRIC = JudgeExpectation(rubric_file=Path("rubrics/review.md"), model="opus", threshold=0.8)

NESTED = replace(REVIEW, mode=Mode.NESTED)
COMMAND = replace(REVIEW, mode=Mode.COMMAND)
READ = replace(REVIEW, mode=Mode.READ, name="/w/skills/review/SKILL.md")
LATE = replace(REVIEW, step=5)


def trial_of(transcript: Transcript, run_index: int = 0) -> EvalTrial:
    return EvalTrial(
        suite="s",
        case="c",
        run_index=run_index,
        attempt=0,
        model_asked="sonnet",
        max_turns=4,
        engine="fake",
        simulated=True,
        endpoint="",
        permission_mode="dontAsk",
        transcript=transcript,
    )


def case_of(*expect: Expectation, runs: int = 1) -> EvalCase:
    return EvalCase(
        suite="s",
        case=Case(
            name="c",
            type=CaseType.PROMPT,
            prompt="p",
            target=None,
            model="sonnet",
            scaffold=None,
            expect=expect,
        ),
        plugins=(),
        called_as=tuple(NAMES if isinstance(one, CallExpectation) else None for one in expect),
        runs=runs,
        max_turns=4,
        timeout=60.0,
    )


def check_of(expectation: Expectation, transcript: Transcript) -> Check:
    names = NAMES if isinstance(expectation, CallExpectation) else None
    return check(expectation, trial_of(transcript), names)


LIMITED = said("half an injec", ended_by_limit=True)
OUT_OF_TIME = said("", timed_out=True)
OUT_OF_TIME_AT_ONCE = said("", timed_out=True, turns=1)
OTHER_MODEL = said("injection", model="claude-opus-5-5")
UNSENT = said("injection", turns=0, model=None)


@pytest.mark.parametrize(
    ("expectation", "transcript", "status", "why"),
    [
        pytest.param(YES, said("", REVIEW), "passed", "was called at turn 1", id="called"),
        pytest.param(NO, said("", REVIEW), "failed", "was called at turn 1", id="called-unwanted"),
        pytest.param(YES, said("x"), "failed", "was not called within 2 turns", id="not-called"),
        pytest.param(NO, said("x"), "passed", "was not called within 2 turns", id="not-wanted"),
        pytest.param(YES, said("x", RELEASE), "failed", "also called: demo:release", id="rival"),
        pytest.param(YES, said("x", READ), "passed", "was called at turn 1", id="skill-read"),
        pytest.param(YES, said("x", NESTED), "failed", "only inside a subagent", id="nested"),
        pytest.param(YES, said("x", COMMAND), "failed", "slash command", id="named-by-prompt"),
        pytest.param(YES, said("x", LATE), "failed", "was not called", id="beyond-the-limit"),
        pytest.param(YES, broken("crash", REVIEW), "passed", "turn 1", id="called-then-crashed"),
        pytest.param(YES, broken(), "infrastructure", "crash (crash on purpose)", id="crash"),
        pytest.param(NO, broken("auth"), "infrastructure", "auth", id="crash-is-no-no"),
        pytest.param(NO, OUT_OF_TIME, "passed", "not called", id="time-after-two-turns"),
        pytest.param(NO, OUT_OF_TIME_AT_ONCE, "infrastructure", "timeout", id="time-at-once"),
        pytest.param(HAS, said("an injection!"), "passed", "contains it", id="text-there"),
        pytest.param(HAS, said("an Injection"), "failed", "does not contain", id="text-case"),
        pytest.param(HAS, said("  \n"), "failed", "is empty", id="text-of-nothing"),
        pytest.param(LACKS, said("no"), "passed", "does not contain it", id="text-absent"),
        pytest.param(LACKS, said("so LGTM"), "failed", "contains it", id="text-unwanted"),
        pytest.param(LACKS, said(""), "failed", "is empty", id="absent-from-nothing"),
        pytest.param(LACKS, broken(), "infrastructure", "crash", id="text-crash"),
        pytest.param(HAS, LIMITED, "infrastructure", 'raise "maxTurns"', id="text-turn-limit"),
        pytest.param(LACKS, OUT_OF_TIME, "infrastructure", 'raise "timeout"', id="text-time"),
        pytest.param(HAS, OTHER_MODEL, "infrastructure", "wrong_model", id="text-other-model"),
        pytest.param(HAS, UNSENT, "infrastructure", "no_request", id="text-no-request"),
        pytest.param(RUBRIC, said("x"), "unknown", NO_JUDGE, id="judge"),
        pytest.param(RUBRIC, broken(), "infrastructure", "crash", id="judge-crash"),
    ],
)
def test_a_trial_meets_an_expectation_or_not_or_says_nothing(
    expectation: Expectation, transcript: Transcript, status: str, why: str
) -> None:
    found = check_of(expectation, transcript)
    assert found.status == status
    assert why in found.why
    assert (found.reason is not None) == (status == "infrastructure")


@pytest.mark.parametrize(
    ("expect", "transcript", "reason"),
    [
        pytest.param((YES, HAS), said("injection", REVIEW), None, id="all-said"),
        pytest.param((YES, HAS), broken("rate", REVIEW), "rate", id="half-said"),
        pytest.param((RUBRIC,), said("x"), None, id="a-missing-judge-is-no-reason-to-run-again"),
        pytest.param((HAS,), LIMITED, TURN_LIMIT, id="turn-limit"),
    ],
)
def test_a_trial_is_undecided_when_something_expected_is(
    expect: tuple[Expectation, ...], transcript: Transcript, reason: str | None
) -> None:
    assert undecided_reason(case_of(*expect), trial_of(transcript)) == reason


def rows_of(expectation: Expectation, *transcripts: Transcript, runs: int = 0) -> ResultRow:
    trials = [trial_of(one, index) for index, one in enumerate(transcripts)]
    (row,) = evaluate_case(case_of(expectation, runs=runs or len(trials)), trials)
    return row


@pytest.mark.parametrize(
    ("transcripts", "status", "passed", "counts"),
    [
        pytest.param([said("", REVIEW)], "passed", True, (1, 0, 0), id="one"),
        pytest.param([said("")], "failed", False, (0, 1, 0), id="one-not"),
        pytest.param([said("", REVIEW), said(""), said("")], "failed", False, (1, 2, 0), id="most"),
        pytest.param(
            [said("", REVIEW), broken(), broken()], "passed", True, (1, 0, 2), id="one-decided"
        ),
        pytest.param(
            [said("", REVIEW), said(""), broken()], "infrastructure", None, (1, 1, 1), id="tie"
        ),
        pytest.param([broken()], "infrastructure", None, (0, 0, 1), id="none-decided"),
    ],
)
def test_the_majority_of_the_decided_runs_makes_the_row(
    transcripts: list[Transcript], status: str, passed: bool | None, counts: tuple[int, int, int]
) -> None:
    row = rows_of(YES, *transcripts)
    assert (row.status, row.passed) == (status, passed)
    assert (row.runs_passed, row.runs_failed, row.runs_undecided) == counts


def test_the_reasoning_quotes_a_run_that_says_what_the_row_says() -> None:
    row = rows_of(YES, said("", REVIEW), said("", RELEASE), said(""))
    assert row.reasoning == (
        "demo:review was not called within 2 turns; also called: demo:release (2 of 3 runs say so)"
    )


def test_a_case_that_was_not_run_is_not_failed() -> None:
    (row,) = evaluate_case(case_of(YES, runs=3), [], cause="the login is dead")
    assert (row.status, row.passed, row.runs_undecided) == ("infrastructure", None, 3)
    assert row.reasoning == "was not run: the login is dead"


def test_rows_name_what_was_expected() -> None:
    rows = evaluate_case(case_of(YES, NO, HAS, LACKS, RUBRIC), [trial_of(said("x", REVIEW))])
    assert [(row.expect_type, row.expect_value, row.target) for row in rows] == [
        ("skill-call", "true", "demo:review"),
        ("skill-call", "false", "demo:review"),
        ("result-contains", "injection", None),
        ("result-does-not-contain", "LGTM", None),
        ("llm-judge", "rubrics/review.md", None),
    ]
    assert [row.judge_model for row in rows] == [None, None, None, None, "opus"]
    assert rows[-1].rubric_file == "rubrics/review.md"
    assert rows[-1].reasoning == NO_JUDGE


@pytest.mark.parametrize(
    ("found", "status"),
    [
        pytest.param("", "passed", id="nothing-against-it"),
        pytest.param("pp", "passed", id="all-passed"),
        pytest.param("pu", "unknown", id="unknown-is-not-passed"),
        pytest.param("ui", "infrastructure", id="infrastructure-before-unknown"),
        pytest.param("pfui", "failed", id="failed-before-all"),
    ],
)
def test_a_case_is_what_its_worst_row_is(found: str, status: str) -> None:
    words = {word[0]: word for word in Status}
    row = rows_of(YES, said(""))
    assert status_of([replace(row, status=words[one]) for one in found]) == status


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from("yn!"), max_size=7), st.randoms(use_true_random=False))
def test_the_vote_ignores_the_order_of_the_runs(found: list[str], random: st.DataObject) -> None:
    worlds = {"y": said("", REVIEW), "n": said(""), "!": broken()}
    row = rows_of(YES, *(worlds[one] for one in found), runs=9)
    random.shuffle(found)  # type: ignore[attr-defined]  # hypothesis gives a Random
    again = rows_of(YES, *(worlds[one] for one in found), runs=9)
    assert (row.status, row.runs_passed, row.runs_failed, row.runs_undecided) == (
        again.status,
        again.runs_passed,
        again.runs_failed,
        again.runs_undecided,
    )
    assert row.runs_passed + row.runs_failed + row.runs_undecided == 9
