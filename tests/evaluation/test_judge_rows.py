"""A rubric's rows: the vote over runs, the score, and when an unknown criterion matters."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.evals import ResultRow, Status
from skillwalker.datatypes.judging import Criterion, Grade, Graded, Rubric
from skillwalker.evaluation.expectations import status_of
from skillwalker.evaluation.judge_rows import AGGREGATE, JudgeSetup, judge_rows
from tests.eval_world import broken, said
from tests.evaluation.test_expectations import RUBRIC, case_of, trial_of

BENCH = JudgeSetup(judge="api", model=None)
WORDS = {
    "p": Status.PASSED,
    "f": Status.FAILED,
    "u": Status.UNKNOWN,
    "i": Status.INFRASTRUCTURE,
}


def grade_of(word: str, *, broken_by: str | None = None) -> Grade:
    criteria = tuple(
        Graded(criterion=Criterion(text=f"c{at}"), status=WORDS[letter], reasoning=f"why {letter}")
        for at, letter in enumerate(word)
    )
    return Grade(
        criteria=criteria, agreement=tuple(1.0 for _ in word), model="full-id", broken=broken_by
    )


def rows_of(
    *words: str, threshold: float = 0.8, broken_by: str | None = None
) -> tuple[ResultRow, ...]:
    """Rows of runs whose criteria came out as the letters say."""
    expectation = replace(RUBRIC, threshold=threshold)
    rubric = Rubric(criteria=tuple(Criterion(text=f"c{at}") for at in range(len(words[0]))))
    return judge_rows(
        case_of(expectation, runs=len(words)),
        expectation,
        [trial_of(said("x"), index) for index in range(len(words))],
        rubric=rubric,
        grades={n: grade_of(word, broken_by=broken_by) for n, word in enumerate(words)},
        bench=BENCH,
    )


@pytest.mark.parametrize(
    ("word", "threshold", "status", "score"),
    [
        pytest.param("pppp", 1.0, "passed", 1.0, id="all"),
        pytest.param("pppf", 1.0, "failed", 0.75, id="one-failed"),
        pytest.param("ppppf", 0.8, "passed", 0.8, id="exactly-enough"),
        pytest.param("pppff", 0.8, "failed", 0.6, id="not-enough"),
        pytest.param("pppu", 1.0, "unknown", 1.0, id="unknown-could-change-it"),
        pytest.param("ppppu", 0.8, "passed", 1.0, id="enough-without-the-unknown"),
        pytest.param("pffu", 0.8, "failed", 1 / 3, id="not-enough-even-with-the-unknown"),
        pytest.param("uu", 0.5, "unknown", None, id="nothing-known"),
        pytest.param("ff", 0.0, "passed", 0.0, id="threshold-of-nothing"),
        pytest.param("pi", 1.0, "infrastructure", 1.0, id="infrastructure"),
        pytest.param("fi", 1.0, "failed", 0.0, id="failed-whatever-the-rest"),
    ],
)
def test_the_sum_is_decided_by_the_threshold(
    word: str, threshold: float, status: str, score: float | None
) -> None:
    *criteria, total = rows_of(word, threshold=threshold)
    assert total.expect_type == AGGREGATE
    assert (str(total.status), total.judge_score) == (status, score)
    assert total.judge_threshold == threshold
    assert [row.status for row in criteria] == [WORDS[letter] for letter in word]
    assert [row.criterion for row in criteria] == [f"c{at}" for at in range(len(word))]
    assert status_of([*criteria, total]) is total.status


@settings(max_examples=80, deadline=None)
@given(st.text("pfu", min_size=1, max_size=7), st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.8, 1.0]))
def test_what_is_decided_stays_whatever_the_unknown_turn_out_to_be(
    word: str, threshold: float
) -> None:
    decided = rows_of(word, threshold=threshold)[-1].status
    ends = {rows_of(word.replace("u", letter), threshold=threshold)[-1].status for letter in "pf"}
    assert decided in ends if len(ends) == 1 else decided is Status.UNKNOWN


def test_runs_are_voted_on_criterion_by_criterion() -> None:
    *rows, total = rows_of("pp", "pf", "ff", threshold=1.0)
    assert [str(row.status) for row in rows] == ["passed", "failed"]
    assert (rows[0].runs_passed, rows[0].runs_failed, rows[0].runs_undecided) == (2, 1, 0)
    assert (str(total.status), total.judge_score) == ("failed", 0.5)


def test_a_judge_that_is_dead_is_infrastructure_in_the_sum() -> None:
    row, total = rows_of("u", broken_by="the judge is gone")
    assert (str(row.status), str(total.status)) == ("unknown", "infrastructure")


def test_every_row_names_judge_model_and_rubric() -> None:
    for row in rows_of("pf"):
        assert (row.judge, row.judge_model, row.judge_runs) == ("api", "full-id", 1)
        assert (row.rubric_file, row.expect_value) == ("rubrics/review.md", "rubrics/review.md")
        assert row.agreement == 1.0


@pytest.mark.parametrize(
    ("trials", "reasoning"),
    [
        pytest.param([trial_of(broken("auth"))], "the trial says nothing: auth", id="broken"),
        pytest.param([], "was not run", id="not-run"),
    ],
)
def test_a_trial_without_an_answer_grades_nothing(trials: Sequence[object], reasoning: str) -> None:
    rows = judge_rows(
        case_of(RUBRIC),
        RUBRIC,
        trials,  # type: ignore[arg-type]  # trials of the table
        rubric=Rubric(criteria=(Criterion(text="a"),)),
        grades={},
        bench=BENCH,
    )
    assert {str(row.status) for row in rows} == {"infrastructure"}
    assert all(reasoning in row.reasoning for row in rows)
    assert rows[0].judge_model == "claude-opus-5-5"


def test_a_rubric_that_cannot_be_read_is_one_row() -> None:
    (row,) = judge_rows(
        case_of(RUBRIC),
        RUBRIC,
        [trial_of(said("x"))],
        rubric="it is gone",
        grades={},
        bench=BENCH,
    )
    assert (row.expect_type, str(row.status), row.reasoning) == (
        AGGREGATE,
        "infrastructure",
        "it is gone",
    )
