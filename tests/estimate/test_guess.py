"""What a call is reckoned with before one was seen."""

import pytest

from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.errors import ConfigError
from skillwalker.estimate.guess import TOKENS, cold_cost, make_prior, require_prices, warm_cost
from skillwalker.settings import PriceSettings

MINE = PriceSettings(model="mine", input=1.0, output=2.0, cache_write=4.0, cache_read=0.5)
PROMPT, OUTPUT = TOKENS[Purpose.TRIAL].prompt, TOKENS[Purpose.TRIAL].output


def test_a_first_trial_writes_its_prompt_to_the_cache_and_reads_it_at_later_turns() -> None:
    prior = make_prior([MINE], turns=3)
    dollars = (PROMPT * 4.0 + 2 * PROMPT * 0.5 + 3 * OUTPUT * 2.0) / 1e6
    assert prior(Purpose.TRIAL, "mine") == pytest.approx(dollars)


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
