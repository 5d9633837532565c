"""What a call is reckoned with before one was seen."""

import pytest

from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.errors import ConfigError
from skillwalker.estimate.guess import (
    MOST_PROMPT,
    TOKENS,
    cold_cost,
    cost_of_request,
    make_prior,
    require_prices,
    warm_cost,
)
from skillwalker.settings import PriceSettings

MINE = PriceSettings(model="mine", input=1.0, output=2.0, cache_write=4.0, cache_read=0.5)
OUTPUT = TOKENS[Purpose.TRIAL].output


def test_a_first_trial_is_thought_to_find_nothing_in_the_cache_at_any_turn() -> None:
    prior = make_prior([MINE], turns=3)
    dollars = 3 * (MOST_PROMPT[Purpose.TRIAL] * 4.0 + OUTPUT * 2.0) / 1e6
    assert prior(Purpose.TRIAL, "mine") == pytest.approx(dollars)


def test_what_a_request_may_cost_follows_from_its_size() -> None:
    dollars = 2 * (1001 * 4.0 + OUTPUT * 2.0) / 1e6
    assert cost_of_request("mine", 4001, [MINE]) == pytest.approx(dollars)
    assert cost_of_request("mine", 4001, [MINE], turns=1) == pytest.approx(dollars / 2)
    assert cost_of_request("nobody", 4001, [MINE]) is None


@pytest.mark.parametrize("purpose", Purpose)
def test_the_worst_is_no_less_than_the_likely(purpose: Purpose) -> None:
    assert MOST_PROMPT[purpose] >= TOKENS[purpose].prompt


def test_a_warm_trial_costs_less_than_a_cold_one() -> None:
    warm, cold = warm_cost("sonnet-x", {}), cold_cost(Purpose.TRIAL, "claude-sonnet-5-5", {})
    assert warm is None
    real = warm_cost("claude-sonnet-5-5", {}, turns=1)
    assert real is not None
    assert cold is not None
    assert real < cold / 5


@pytest.mark.parametrize("purpose", Purpose)
def test_a_simulated_role_is_free_and_an_unknown_model_is_not(purpose: Purpose) -> None:
    assert make_prior([], free=[purpose])(purpose, "nobody") == 0.0
    assert make_prior([])(purpose, "nobody") is None


def test_dollars_need_prices() -> None:
    require_prices(["claude-opus-5-5", "mine"], [MINE])
    with pytest.raises(ConfigError, match=r"no price of x, y is known.*\[prices\.\"x\"\]"):
        require_prices(["x", "claude-opus-5-5", "y", "x"], [MINE])
