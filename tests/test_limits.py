"""What may be spent, over one run or many, by whatever order calls begin and end in."""

from random import Random

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.budget.money import up_to_cents
from skillwalker.budget.pauses import FIRST_PAUSE
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.estimate.guess import make_prior
from skillwalker.limits import Limits
from tests.days import Day

FREE = Usage(cost_usd=0.0)


def test_no_limit_admits_everything() -> None:
    limits = Limits()
    assert [limits.admit() for _ in range(1000)] == [None] * 1000
    assert not limits.has_cap


def test_the_trial_after_the_last_is_refused() -> None:
    limits = Limits(max_trials=2)
    assert [limits.admit() for _ in range(3)] == [None, None, StopReason.BUDGET]
    error = limits.error()
    assert (error.reason, error.flag, error.detail) == ("budget", "--max-trials", "2 of 2 trials")


def test_zero_trials_spends_nothing() -> None:
    assert Limits(max_trials=0).admit() is StopReason.BUDGET


def test_trials_of_an_earlier_life_count() -> None:
    limits = Limits(max_trials=37)
    limits.count_earlier(37)
    assert limits.admit() is StopReason.BUDGET


def test_nothing_starts_at_the_deadline() -> None:
    day = Day(time=0.0)
    limits = Limits(deadline=10.0, clock=day.clock)
    assert limits.admit() is None
    assert limits.seconds_left == 10.0
    day.time = 10.0
    assert limits.admit() is StopReason.DEADLINE
    assert limits.admit(Purpose.IMPROVER) is StopReason.DEADLINE
    assert limits.error().flag == "--deadline"
    assert limits.seconds_left == 0.0


def test_an_interrupt_lets_nothing_more_start() -> None:
    limits = Limits()
    assert limits.admit() is None
    limits.interrupt()
    assert limits.admit() is StopReason.INTERRUPTED
    assert limits.interrupted


def test_asking_whether_a_limit_is_reached_spends_nothing() -> None:
    limits = Limits(max_trials=1)
    assert [limits.reached() for _ in range(5)] == [None] * 5
    assert limits.admit() is None


# --- money -------------------------------------------------------------------------------------


def test_money_is_counted_over_trials_improver_and_judge() -> None:
    limits = Limits(max_cost_usd=1.0)
    for purpose in Purpose:
        assert limits.admit(purpose, "m") is None
        limits.settle(Usage(cost_usd=0.3, output_tokens=5), purpose, "m")
    assert limits.cost_usd == pytest.approx(0.9)
    assert limits.admit(Purpose.TRIAL, "m") is StopReason.BUDGET
    error = limits.error()
    assert error.flag == "--max-cost-usd"
    assert error.detail == "$0.90 of $1.00, and a trial (m) may take $0.30"
    assert error.refused_usd == pytest.approx(0.3)
    assert limits.trials == 1


def test_a_call_without_a_known_price_is_not_begun_under_a_budget() -> None:
    assert Limits(max_cost_usd=9.0, prior=lambda *_: None).admit() is StopReason.BUDGET
    assert Limits(prior=lambda *_: None).admit() is None


def test_what_is_in_flight_is_told_where_money_forbids_another_call() -> None:
    limits = Limits(max_cost_usd=1.0, prior=lambda *_: 0.4)
    assert [limits.admit(Purpose.JUDGE, "m") for _ in range(2)] == [None, None]
    assert limits.admit(Purpose.IMPROVER, "n") is StopReason.BUDGET
    assert limits.error().detail == (
        "$0.00 of $1.00, and a question to the improver (n) may take $0.40 beside the $0.80 of"
        " those in flight"
    )


@given(
    costs=st.lists(st.floats(0.001, 0.5), min_size=1, max_size=20),
    most=st.floats(0, 3),
    prior=st.floats(0.001, 0.2),
)
@settings(max_examples=60, deadline=None)
def test_a_limit_raised_by_what_was_refused_lets_that_call_start(
    costs: list[float], most: float, prior: float
) -> None:
    def life(most: float, costs: list[float]) -> Limits:
        limits = Limits(max_cost_usd=most, prior=lambda *_: prior)
        for cost in costs:
            limits.pay_earlier(Usage(cost_usd=cost, output_tokens=1), Purpose.TRIAL, "m")
        return limits

    first = life(most, costs)
    if first.admit(Purpose.TRIAL, "m") is None:
        return
    refused = first.error().refused_usd
    assert refused is not None
    enough = up_to_cents(first.cost_usd + refused)
    assert life(enough, costs).admit(Purpose.TRIAL, "m") is None


def test_money_that_the_first_call_was_refused_for_forbids_all() -> None:
    whole = Limits(max_cost_usd=0.05, prior=lambda *_: 0.1)
    assert whole.reached() is None
    assert whole.share().admit(Purpose.IMPROVER, "m") is StopReason.BUDGET
    assert whole.reached() is None
    assert whole.share().admit(Purpose.TRIAL, "m") is StopReason.BUDGET
    assert whole.reached() is StopReason.BUDGET


def test_money_forbids_a_call_to_whatever_model_only_when_it_is_gone() -> None:
    limits = Limits(max_cost_usd=1.0, prior=make_prior(()))
    assert limits.reached() is None
    for model in ("claude-sonnet-5-5", "claude-haiku-5-5"):
        assert limits.admit(Purpose.TRIAL, model) is None
        limits.settle(Usage(cost_usd=0.3, output_tokens=5), Purpose.TRIAL, model)
    assert limits.reached() is None
    limits.pay_earlier(Usage(cost_usd=0.41), Purpose.IMPROVER, "claude-opus-5-5")
    assert limits.reached() is StopReason.BUDGET
    assert limits.error().flag == "--max-cost-usd"


def test_a_request_that_was_seen_says_what_a_first_trial_may_cost() -> None:
    whole = Limits(prior=lambda *_: 0.01)
    limits = whole.share(max_cost_usd=1.0)
    limits.expect(0.4, Purpose.TRIAL, "m")
    assert [limits.admit(Purpose.TRIAL, "m") for _ in range(3)] == [None, None, StopReason.BUDGET]
    assert limits.admit(Purpose.TRIAL, "other") is None


def test_money_that_only_the_cheapest_model_asked_before_is_worth_forbids_not_all() -> None:
    limits = Limits(max_cost_usd=1.0, prior=lambda *_: None)
    for model, cost in (("dear", 0.5), ("cheap", 0.1)):
        limits.pay_earlier(Usage(cost_usd=cost), Purpose.TRIAL, model)
    limits.pay_earlier(Usage(cost_usd=0.01), Purpose.JUDGE, "for nothing")
    assert limits.reached(Purpose.TRIAL, "dear") is StopReason.BUDGET
    assert limits.reached() is None
    limits.carry(trials=0, cost_usd=0.35)
    assert limits.reached() is StopReason.BUDGET


def test_unknown_costs_are_reckoned_and_said() -> None:
    limits = Limits(max_cost_usd=1.0, prior=lambda *_: 0.4)
    for _ in range(2):
        limits.admit()
        limits.settle(None)
    assert limits.admit() is StopReason.BUDGET
    assert "(2 calls of unknown cost are reckoned in)" in (limits.error().detail or "")
    assert limits.reckoned_calls == 2


def test_the_money_of_an_earlier_life_counts() -> None:
    limits = Limits(max_cost_usd=1.0)
    limits.pay_earlier(Usage(cost_usd=1.2), Purpose.IMPROVER, "m")
    assert limits.admit(Purpose.TRIAL, "m") is StopReason.BUDGET


@given(
    costs=st.lists(st.one_of(st.floats(0, 0.5), st.none()), min_size=1, max_size=60),
    most=st.floats(0, 5),
    slots=st.integers(1, 8),
    prior=st.floats(0, 0.2),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=80, deadline=None)
def test_a_budget_is_passed_by_no_more_than_what_is_in_flight(
    costs: list[float | None], most: float, slots: int, prior: float, order: Random
) -> None:
    limits = Limits(max_cost_usd=most, prior=lambda *_: prior)
    flying: list[float | None] = []
    known = 0.0
    waiting = list(costs)
    while waiting or flying:
        starts = waiting and len(flying) < slots and order.random() < 0.6
        if starts and limits.admit() is None:
            flying.append(waiting.pop())
        elif flying:
            cost = flying.pop(order.randrange(len(flying)))
            known += cost or 0.0
            limits.settle(Usage(cost_usd=cost, output_tokens=1))
        elif limits.reached(Purpose.TRIAL, "") is not None:
            break
    assert known <= most + slots * max((cost or 0.0 for cost in costs), default=0.0) + 1e-6


@given(
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=60),
    expected=st.floats(0.01, 0.5),
    most=st.floats(0, 5),
    slots=st.integers(1, 8),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_a_budget_holds_where_no_call_is_dearer_than_its_request_said(
    shares: list[float], expected: float, most: float, slots: int, order: Random
) -> None:
    limits = Limits(max_cost_usd=most, prior=lambda *_: 0.001)
    limits.expect(expected, Purpose.TRIAL, "m")
    flying: list[float] = []
    spent = 0.0
    waiting = [share * expected for share in shares]
    while waiting or flying:
        starts = waiting and len(flying) < slots and (not flying or order.random() < 0.6)
        if starts and limits.admit(Purpose.TRIAL, "m") is None:
            flying.append(waiting.pop())
        elif flying:
            cost = flying.pop(order.randrange(len(flying)))
            spent += cost
            limits.settle(Usage(cost_usd=cost, output_tokens=1), Purpose.TRIAL, "m")
        else:
            break
    assert spent <= most + 1e-6
    assert not waiting or most - spent < expected + 1e-6


@given(most=st.integers(0, 20), ends=st.lists(st.sampled_from("sgx"), max_size=60))
@settings(max_examples=60, deadline=None)
def test_trials_that_are_not_given_back_are_never_more_than_allowed(most: int, ends: str) -> None:
    limits = Limits(max_trials=most)
    kept = 0
    for end in ends:
        if limits.admit() is not None:
            break
        if end == "g":
            limits.give_back(FREE)
        else:
            limits.settle(FREE if end == "s" else None)
            kept += 1
    assert kept == limits.trials <= most


# --- several runs ------------------------------------------------------------------------------


def test_runs_share_one_budget() -> None:
    whole = Limits(max_trials=5, max_cost_usd=1.0)
    first, second = whole.share(max_trials=3), whole.share()
    assert [first.admit() for _ in range(4)] == [None, None, None, StopReason.BUDGET]
    first.settle(Usage(cost_usd=0.2))
    assert (first.trials, second.trials, whole.trials) == (3, 0, 3)
    assert [second.admit() for _ in range(3)] == [None, None, StopReason.BUDGET]
    assert second.error().detail == "5 of 5 trials"
    assert whole.cost_usd == pytest.approx(0.2)
    assert second.has_cap


def test_an_interrupt_of_all_ends_each_and_not_the_other_way_round() -> None:
    whole = Limits()
    first, second = whole.share(), whole.share()
    first.interrupt()
    assert (first.interrupted, second.interrupted, whole.interrupted) == (True, False, False)
    whole.interrupt()
    assert second.admit() is StopReason.INTERRUPTED


def test_a_pause_of_one_run_holds_for_all_and_is_told_to_it() -> None:
    day = Day()
    told: list[float] = []
    whole = Limits(clock=day.clock)
    first, second = whole.share(on_pause=told.append), whole.share()
    first.rate_limited(day.time + 99)
    anyio.run(second.ready)
    assert sum(day.slept) == pytest.approx(100)
    assert told == [day.time]


# --- rate limits -------------------------------------------------------------------------------


def test_a_pause_ends_when_the_limit_does() -> None:
    day = Day()
    limits = Limits(clock=day.clock)
    anyio.run(limits.ready)
    assert day.slept == []
    start = day.time
    limits.rate_limited(None, retry_after=200)
    anyio.run(limits.ready)
    assert day.time - start == pytest.approx(201)
    assert limits.admit() is None


def test_an_interrupt_ends_a_pause() -> None:
    day = Day()
    limits = Limits(clock=day.clock)
    day.on_sleep = limits.interrupt
    limits.rate_limited(day.time + 1000)
    anyio.run(limits.ready)
    assert len(day.slept) == 1


def test_a_limit_that_outlasts_the_pause_ends_the_run_at_once() -> None:
    day = Day()
    limits = Limits(max_pause=600, clock=day.clock)
    limits.rate_limited(day.time + 3600)
    anyio.run(limits.ready)
    assert day.slept == []
    assert limits.admit() is StopReason.RATE_LIMIT
    error = limits.error()
    assert error.flag == "--max-pause"
    assert "--max-pause allows 10m in all" in (error.detail or "")


def test_a_trial_that_a_rate_limit_refused_is_not_spent_but_paid() -> None:
    limits = Limits(max_trials=1, max_cost_usd=1.0)
    assert limits.admit() is None
    limits.give_back(Usage(cost_usd=0.25))
    assert (limits.trials, limits.cost_usd) == (0, 0.25)
    assert limits.admit() is None
    limits.give_back(None, Purpose.TRIAL)
    assert limits.admit(Purpose.IMPROVER) is None
    limits.give_back(FREE, Purpose.IMPROVER)
    assert limits.trials == 0


@pytest.mark.parametrize(
    ("before", "most", "said"),
    [
        (100, 0, "100 trials were run before, and --max-trials is 0"),
        (1, 0, "1 trial was run before, and --max-trials is 0"),
        (5, 5, "5 of 5 trials"),
    ],
    ids=["many", "one", "just reached"],
)
def test_a_limit_below_what_was_spent_before_is_told_as_such(
    before: int, most: int, said: str
) -> None:
    limits = Limits(max_trials=most)
    limits.count_earlier(before)
    assert limits.admit() is StopReason.BUDGET
    assert limits.error().detail == said


@pytest.mark.parametrize(
    ("usage", "second"),
    [
        (Usage(output_tokens=5, cost_usd=0.1), FIRST_PAUSE),
        (Usage(output_tokens=0, cost_usd=0.0), 2 * FIRST_PAUSE),
        (None, 2 * FIRST_PAUSE),
    ],
    ids=["an answer", "nothing was answered", "nobody knows"],
)
def test_only_an_answer_shows_that_a_rate_limit_is_over(usage: Usage | None, second: float) -> None:
    day = Day(time=0.0)
    told: list[float] = []
    limits = Limits(max_pause=10_000, clock=day.clock, on_pause=told.append)
    limits.rate_limited(None)
    day.time = told[-1]
    limits.admit()
    limits.settle(usage)
    limits.rate_limited(None)
    assert told[-1] == day.time + second
