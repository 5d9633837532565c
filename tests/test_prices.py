"""What tokens cost."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillwalker.completers.protocol import MODEL_ALIASES
from skillwalker.prices import PRICES_OF, Price, cost_usd

tokens = st.integers(min_value=0, max_value=2_000_000)


@pytest.mark.parametrize(
    ("model", "counts", "dollars"),
    [
        pytest.param("claude-opus-5-5", (1_000_000, 0, 0, 0), 4.0, id="input"),
        pytest.param("claude-opus-5-5", (0, 1_000_000, 0, 0), 20.0, id="output"),
        pytest.param("claude-opus-5-5", (0, 0, 1_000_000, 0), 5.0, id="cache write"),
        pytest.param("claude-opus-5-5", (0, 0, 0, 1_000_000), 0.2, id="cache read"),
        pytest.param("claude-sonnet-5-5", (1000, 2000, 3000, 4000), 0.0299, id="all four"),
        pytest.param("claude-sonnet-5", (0, 0, 0, 1_000_000), 0.2, id="an older family"),
        pytest.param("claude-haiku-4-5-20251001", (1_000_000, 0, 0, 0), 1.0, id="dated snapshot"),
        pytest.param("claude-opus-4-6[1m]", (1_000_000, 0, 0, 0), 5.0, id="long context"),
        pytest.param("claude-sonnet-4-5-20250929[1m]", (0, 1_000_000, 0, 0), 15.0, id="both"),
        pytest.param("claude-haiku-5-5", (100_000, 0, 0, 0), 0.01, id="prompt at the limit"),
        pytest.param("claude-haiku-5-5", (100_001, 0, 0, 0), 0.0500005, id="prompt above it"),
        pytest.param("claude-haiku-5-5", (1, 0, 0, 100_000), 0.0050005, id="cached tokens count"),
        pytest.param("claude-haiku-5-5", (50_000, 100_000, 0, 0), 0.055, id="output does not"),
        pytest.param("claude-opus-5-5", (0, 0, 0, 0), 0.0, id="nothing asked"),
    ],
)
def test_cost(model: str, counts: tuple[int, int, int, int], dollars: float) -> None:
    asked, written, cache_write, cache_read = counts
    assert cost_usd(
        model,
        input_tokens=asked,
        output_tokens=written,
        cache_write_tokens=cache_write,
        cache_read_tokens=cache_read,
    ) == pytest.approx(dollars)


@pytest.mark.parametrize(
    "model",
    ["", "gpt-9", "claude-opus", "claude-opus-5-5-preview", "claude-opus-55", "simulated", "opus"],
)
def test_an_unknown_model_is_not_free(model: str) -> None:
    assert cost_usd(model, input_tokens=1) is None
    assert cost_usd(model) is None


def test_settings_override_the_table_and_name_what_it_does_not_know() -> None:
    price = Price(input=7.0, output=0.0, cache_write=0.0, cache_read=0.0)
    for model in ("claude-opus-5-5", "house-model"):
        assert cost_usd(model, input_tokens=1_000_000, override={model: price}) == 7.0
    dated = "claude-haiku-4-5-20251001"
    assert cost_usd(dated, input_tokens=1_000_000, override={"claude-haiku-4-5": price}) == 7.0
    assert cost_usd("other", input_tokens=1, override={"house-model": price}) is None


def test_an_overridden_price_may_be_zero() -> None:
    free = Price(input=0.0, output=0.0, cache_write=0.0, cache_read=0.0)
    assert cost_usd("house-model", input_tokens=5, override={"house-model": free}) == 0.0


def test_every_alias_has_a_price_and_the_table_has_a_date() -> None:
    assert all(cost_usd(model, input_tokens=1) for model in MODEL_ALIASES.values())
    assert datetime.date.fromisoformat(PRICES_OF).year >= 2026


@given(st.sampled_from(["claude-opus-5-5", "claude-haiku-5-5"]), tokens, tokens, tokens, tokens)
def test_more_tokens_never_cost_less(model: str, a: int, b: int, c: int, d: int) -> None:
    less = cost_usd(
        model, input_tokens=a, output_tokens=b, cache_write_tokens=c, cache_read_tokens=d
    )
    more = cost_usd(
        model, input_tokens=a + 1, output_tokens=b, cache_write_tokens=c, cache_read_tokens=d + 1
    )
    assert less is not None
    assert more is not None
    assert 0 <= less < more
