"""What calls cost, and what is reckoned with before they say."""

import pytest

from skillwalker.budget.money import Account, Costs, Kind
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose

TRIAL = Kind(Purpose.TRIAL, "claude-sonnet-5-5")
JUDGE = Kind(Purpose.JUDGE, "claude-opus-5-5")


def costs(prior: float | None = 0.04) -> Costs:
    return Costs(lambda _purpose, _model: prior)


def test_a_prior_counts_as_one_call() -> None:
    known = costs(0.04)
    assert known.mean(TRIAL) == 0.04
    for _ in range(3):
        known.observe(TRIAL, 0.02)
    assert known.mean(TRIAL) == pytest.approx(0.025)


def test_a_call_is_reckoned_with_the_dearest_so_far() -> None:
    known = costs(None)
    assert known.cautious(TRIAL) is None
    for cost in (0.01, 0.03, 0.02):
        known.observe(TRIAL, cost)
    assert known.mean(TRIAL) == pytest.approx(0.02)
    assert known.cautious(TRIAL) == 0.03


def test_a_call_is_never_reckoned_with_less_than_was_assumed() -> None:
    known = costs(0.4)
    for _ in range(30):
        known.observe(TRIAL, 0.02)
    assert known.cautious(TRIAL) == 0.4
    known.observe(TRIAL, 0.5)
    assert known.cautious(TRIAL) == 0.5


def test_the_size_of_a_request_is_better_than_any_assumption() -> None:
    known = costs(0.4)
    known.expect(TRIAL, 0.1)
    assert known.cautious(TRIAL) == known.mean(TRIAL) == 0.1
    known.expect(TRIAL, 0.2)
    known.expect(TRIAL, 0.15)
    assert known.cautious(TRIAL) == 0.2
    assert known.cautious(JUDGE) == 0.4


def test_kinds_of_calls_are_told_apart() -> None:
    known = costs(None)
    known.observe(TRIAL, 0.01)
    assert known.mean(JUDGE) is None


def test_what_is_in_flight_counts_before_it_says_what_it_costs() -> None:
    account = Account(costs(0.4))
    assert account.allows(TRIAL, 1.0)
    account.begin(TRIAL)
    account.begin(TRIAL)
    assert not account.allows(TRIAL, 1.0)
    account.end(TRIAL, Usage(cost_usd=0.1))
    assert account.spent == pytest.approx(0.1)
    assert account.allows(TRIAL, 1.0)


def test_an_unknown_cost_is_reckoned_and_counted() -> None:
    account = Account(costs(0.4))
    account.begin(TRIAL)
    account.end(TRIAL, Usage(cost_usd=None))
    assert (account.spent, account.reckoned_calls) == (0.4, 1)


def test_without_any_price_nothing_is_allowed() -> None:
    assert not Account(costs(None)).allows(TRIAL, 100.0)
    assert Account(costs(0.0)).allows(TRIAL, 0.0)
