"""The judge under limits: money, a deadline, rate limits; what was not asked is asked later."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from anyio.lowlevel import checkpoint

from skillwalker.completers.protocol import RateLimitedError
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.datatypes.evals import EvalOutcome
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.errors import ConfigError
from skillwalker.estimate.evals import eval_prior
from skillwalker.evaluation.plan import EvalOrder
from skillwalker.evaluation.scoring import open_questions
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.simulation.grading import scripted_grades
from tests.days import Day
from tests.eval_world import (
    TableEngine,
    case,
    judged_by,
    make_eval_project,
    order_of,
    run_order,
    said,
    score,
    statuses,
)

RUBRIC = {"llm-judge": {"rubricFile": "review.md"}}
NAMES = ("a", "b", "c")
PRICE = 0.5


@dataclass(slots=True)
class PaidJudge:
    """Passes everything for half a dollar a question; refuses some of them by a rate limit."""

    refused: int = 0
    waits: bool = False
    """Let others ask before it answers."""
    prompts: list[str] = field(default_factory=list)

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer, or say that a limit was reached."""
        assert schema
        self.prompts.append(prompt)
        if self.waits:
            await checkpoint()
        if len(self.prompts) <= self.refused:
            raise RateLimitedError("wait", retry_after=60.0)
        usage = Usage(input_tokens=100, output_tokens=10, cost_usd=PRICE)
        text = scripted_grades(prompt, {"finds the injection": "passed"})
        return Completion(text=text, model="m-1", usage=usage)


def project(root: Path) -> Places:
    return make_eval_project(root, *(case(name, RUBRIC) for name in NAMES))


def run(
    places: Places, judge: PaidJudge, limits: Limits, order: EvalOrder | None = None
) -> EvalOutcome:
    answers = {f"prompt of {name}": [said(f"an injection in {name}")] for name in NAMES}
    return run_order(
        places,
        TableEngine(answers),
        order or order_of(concurrency=1),
        limits=limits,
        judge=judged_by(places, judge, limits=limits),
    )


def test_a_question_that_might_pass_the_budget_is_not_asked(tmp_path: Path) -> None:
    places, judge = project(tmp_path), PaidJudge()
    # Three trials for 0.75, then one question: with a second one 1.75 might be spent.
    limits = Limits(max_cost_usd=1.7)
    outcome = run(places, judge, limits)
    assert len(judge.prompts) == 1
    assert limits.cost_usd == pytest.approx(3 * 0.25 + PRICE)
    assert statuses(outcome) == {"a": "passed", "b": "infrastructure", "c": "infrastructure"}
    assert "stopped by budget" in outcome.rows[-1].reasoning
    assert {row.status for row in outcome.rows if row.criterion} == {"passed", "unknown"}
    summary = outcome.summary
    assert (summary.inconclusive, summary.failures) == (2, 0)
    assert (summary.stopped_because, summary.judge_stopped) == (None, StopReason.BUDGET)
    assert "$1.25 of $1.70" in (summary.judge_cause or "")


def test_a_question_is_reckoned_as_one_to_a_judge(tmp_path: Path) -> None:
    places, judge = project(tmp_path), PaidJudge()
    limits = Limits(
        max_cost_usd=5.0, prior=lambda purpose, _: 10.0 if purpose is Purpose.JUDGE else 0.0
    )
    assert run(places, judge, limits).summary.judge_stopped is StopReason.BUDGET
    assert judge.prompts == []


def test_what_was_refused_is_asked_when_those_in_flight_cost_less_than_was_reckoned(
    tmp_path: Path,
) -> None:
    places, judge = project(tmp_path), PaidJudge(waits=True)
    limits = Limits(
        max_cost_usd=5.0, prior=lambda purpose, _: 2.0 if purpose is Purpose.JUDGE else 0.0
    )
    outcome = run(places, judge, limits)
    assert set(statuses(outcome).values()) == {"passed"}
    assert (outcome.summary.judge_stopped, len(judge.prompts)) == (None, len(NAMES))
    assert limits.cost_usd == pytest.approx(len(NAMES) * (0.25 + PRICE))


def test_what_a_limit_left_is_asked_by_a_later_evaluation_alone(tmp_path: Path) -> None:
    places, judge = project(tmp_path), PaidJudge()
    cut = run(places, judge, Limits(max_cost_usd=1.7))
    asked = judged_by(places, judge)
    questions, runs = open_questions(places.output_dir, cut.folder.name, judge=asked)
    assert (sum(questions.values()), runs) == (2, 1)
    (whole,) = score(places, cut.folder.name, judge=asked)
    assert set(statuses(whole).values()) == {"passed"}
    assert (whole.summary.judge_stopped, whole.summary.judge_cause) == (None, None)
    assert len(judge.prompts) == len(set(judge.prompts)) == len(NAMES)
    assert not open_questions(places.output_dir, cut.folder.name, judge=asked)[0]


def test_a_rate_limit_pauses_and_loses_no_question(tmp_path: Path) -> None:
    day = Day()
    places, judge = project(tmp_path), PaidJudge(refused=2)
    limits = Limits(clock=day.clock)
    outcome = run(places, judge, limits)
    assert set(statuses(outcome).values()) == {"passed"}
    assert len(judge.prompts) == len(NAMES) + 2
    assert limits.cost_usd == pytest.approx(3 * (0.25 + PRICE))


def test_a_rate_limit_that_outlasts_the_pause_leaves_the_rest_unknown(tmp_path: Path) -> None:
    places, judge = project(tmp_path), PaidJudge(refused=9)
    outcome = run(places, judge, Limits(clock=Day().clock, max_pause=30.0))
    assert len(judge.prompts) == 1
    assert outcome.summary.judge_stopped is StopReason.RATE_LIMIT
    assert outcome.summary.inconclusive == len(NAMES)


def test_nothing_is_asked_behind_the_deadline(tmp_path: Path) -> None:
    places, judge, day = project(tmp_path), PaidJudge(), Day()
    limits = Limits(clock=day.clock, deadline=day.time + 10)
    first = run(places, judge, limits)
    asked = len(judge.prompts)
    assert asked == len(NAMES)
    late = Limits(clock=day.clock, deadline=day.time)
    (again,) = score(
        places, first.folder.name, judge=judged_by(places, judge, limits=late, model="sonnet")
    )
    assert len(judge.prompts) == asked
    assert again.summary.judge_stopped is StopReason.DEADLINE


def test_a_simulated_judge_is_never_refused_for_money(tmp_path: Path) -> None:
    places = project(tmp_path)
    limits = Limits(max_cost_usd=0.0, prior=eval_prior((), engine="simulated"))
    free = {f"prompt of {name}": [said("injection", usage=Usage(cost_usd=0.0))] for name in NAMES}
    judge = judged_by(places, SimulatedCompleter(), name="simulated", limits=limits)
    outcome = run_order(places, TableEngine(free), order_of(), limits=limits, judge=judge)
    assert outcome.summary.judge_stopped is None
    assert dict(outcome.summary.usage)["judge"].calls > 0


def test_a_budget_in_dollars_needs_the_judges_price(tmp_path: Path) -> None:
    places, judge = project(tmp_path), PaidJudge()
    with pytest.raises(ConfigError, match="no price of unheard-of is known"):
        run(places, judge, Limits(), order_of(max_cost_usd=1.0, judge_model="unheard-of"))
    assert not places.output_dir.exists()
