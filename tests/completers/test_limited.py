"""The improver and the judge under the limits of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio
import pytest

from skillwalker.completers.limited import LimitedCompleter
from skillwalker.completers.protocol import (
    QuestionCutError,
    RateLimitedError,
    UnansweredError,
    UnusableReplyError,
    no_reply,
    paid_without_reply,
)
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.errors import BudgetReached, CompletionError
from skillwalker.limits import Limits
from tests.days import Day

ANSWER = Completion(text="{}", model="m", usage=Usage(output_tokens=9, cost_usd=0.3))
TURN = Usage(input_tokens=5, output_tokens=2, cost_usd=0.2, cost_estimated=True)
"""Of the turns before a refusal."""
FREE = Usage(cost_usd=0.0)


def refused_behind(usage: Usage, **when: float) -> RateLimitedError:
    return RateLimitedError("429", completion=no_reply("m", usage), **when)


@dataclass(slots=True)
class Script:
    """Answers, or raises what stands in the script first."""

    errors: list[Exception] = field(default_factory=list)
    asked: int = 0
    hangs: bool = False

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer."""
        assert (prompt, dict(schema)) == ("why", {"type": "object"})
        self.asked += 1
        if self.hangs:
            await anyio.sleep_forever()
        if self.errors:
            raise self.errors.pop(0)
        return ANSWER


def ask(inner: Script, limits: Limits, *, grace: float = 180.0) -> Completion:
    limited = LimitedCompleter(
        inner=inner, limits=limits, purpose=Purpose.IMPROVER, model="m", grace=grace
    )

    async def main() -> Completion:
        return await limited.complete("why", schema={"type": "object"})

    return anyio.run(main)


def test_an_answer_is_paid_and_is_no_trial() -> None:
    limits = Limits(max_trials=1, max_cost_usd=0.5)
    assert ask(Script(), limits) is ANSWER
    assert (limits.cost_usd, limits.trials) == (0.3, 0)


def test_no_call_is_begun_that_may_pass_the_budget() -> None:
    limits, inner = Limits(max_cost_usd=0.5), Script()
    ask(inner, limits)
    with pytest.raises(BudgetReached) as caught:
        ask(inner, limits)
    assert (caught.value.reason, caught.value.flag) == (StopReason.BUDGET, "--max-cost-usd")
    assert inner.asked == 1


def test_a_rate_limit_pauses_everything_and_the_question_is_asked_again() -> None:
    day, told = Day(), [0.0]
    limits = Limits(clock=day.clock, on_pause=told.append)
    inner = Script([RateLimitedError("429", retry_after=40), RateLimitedError("429")])
    start = day.time
    assert ask(inner, limits) is ANSWER
    assert inner.asked == 3
    assert day.time - start == pytest.approx(40 + 1 + 30)
    assert len(told) == 3
    assert limits.cost_usd == 0.3


def test_a_rate_limit_that_outlasts_the_pause_stops_the_run() -> None:
    day = Day()
    limits = Limits(clock=day.clock, max_pause=60)
    with pytest.raises(BudgetReached) as caught:
        ask(Script([RateLimitedError("429", resets_at=day.time + 3600)]), limits)
    assert (caught.value.reason, caught.value.flag) == (StopReason.RATE_LIMIT, "--max-pause")


def test_what_refused_askings_used_is_paid_and_told_with_the_answer() -> None:
    limits = Limits(clock=Day().clock)
    inner = Script([refused_behind(TURN), RateLimitedError("429"), refused_behind(TURN)])
    completion = ask(inner, limits)
    assert completion.text == "{}"
    used = completion.usage
    assert used == Usage(
        input_tokens=10, output_tokens=13, cost_usd=used.cost_usd, cost_estimated=True
    )
    assert used.cost_usd == pytest.approx(0.7)
    assert limits.cost_usd == pytest.approx(0.7)


def test_what_a_refused_asking_used_is_unknown_where_that_is_not_known() -> None:
    limits = Limits(clock=Day().clock, prior=lambda *_: 0.1)
    completion = ask(Script([refused_behind(Usage(cost_usd=None))]), limits)
    assert completion.usage.cost_usd is None
    assert limits.cost_usd == pytest.approx(0.1 + 0.3)


@pytest.mark.parametrize(
    ("error", "cost"),
    [
        pytest.param(UnusableReplyError("cut", ANSWER), 0.5, id="a reply that cannot be read"),
        pytest.param(UnansweredError("over", no_reply("m", TURN)), 0.4, id="none at all"),
    ],
)
def test_what_refused_askings_used_is_told_with_the_failure(
    error: UnansweredError, cost: float
) -> None:
    with pytest.raises(type(error)) as caught:
        ask(Script([refused_behind(TURN), error]), Limits(clock=Day().clock))
    assert caught.value.completion.usage.cost_usd == pytest.approx(cost)


def test_what_a_refused_asking_used_is_told_by_the_limit_that_ends_it() -> None:
    day = Day()
    limits = Limits(clock=day.clock, max_pause=60)
    with pytest.raises(QuestionCutError) as caught:
        ask(Script([refused_behind(TURN, resets_at=day.time + 3600)]), limits)
    assert caught.value.reason is StopReason.RATE_LIMIT
    assert paid_without_reply(caught.value) == no_reply("m", TURN)


def test_a_question_that_was_never_asked_has_used_nothing() -> None:
    with pytest.raises(BudgetReached) as caught:
        ask(Script(), Limits(max_cost_usd=0.0, prior=lambda *_: 0.1))
    assert paid_without_reply(caught.value) is None


@pytest.mark.parametrize(
    ("error", "cost"),
    [
        pytest.param(UnusableReplyError("cut", ANSWER), 0.3, id="paid for"),
        pytest.param(CompletionError("no connection"), 0.1, id="reckoned"),
        pytest.param(UnansweredError("over", no_reply("m", TURN)), 0.2, id="earlier turns"),
        pytest.param(UnansweredError("over", no_reply("m", Usage())), 0.1, id="not known"),
        pytest.param(UnansweredError("404", no_reply("m", FREE)), 0.0, id="free"),
    ],
)
def test_what_goes_wrong_is_raised_and_counted(error: Exception, cost: float) -> None:
    limits = Limits(prior=lambda *_: 0.1)
    with pytest.raises(type(error)):
        ask(Script([error]), limits)
    assert limits.cost_usd == pytest.approx(cost)


def test_an_answer_that_does_not_come_by_the_deadline_is_given_up() -> None:
    day = Day(time=100.0)
    limits = Limits(deadline=100.01, clock=day.clock, prior=lambda *_: 0.1)
    inner = Script(hangs=True)
    with pytest.raises(BudgetReached) as cut:
        ask(inner, limits, grace=0.0)
    assert paid_without_reply(cut.value) == no_reply("m", Usage(cost_usd=None))
    assert limits.cost_usd == pytest.approx(0.1)
    day.time = 101.0
    with pytest.raises(BudgetReached) as caught:
        ask(inner, limits)
    assert (caught.value.reason, inner.asked) == (StopReason.DEADLINE, 1)


def test_a_cancelled_question_is_reckoned_with() -> None:
    limits = Limits(prior=lambda *_: 0.1)

    async def main() -> None:
        limited = LimitedCompleter(
            inner=Script(hangs=True), limits=limits, purpose=Purpose.JUDGE, model="m", grace=1.0
        )
        with anyio.move_on_after(0.01):
            await limited.complete("why", schema={"type": "object"})

    anyio.run(main)
    assert limits.cost_usd == pytest.approx(0.1)
