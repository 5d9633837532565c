"""What tokens cost: one dated table of list prices, which a project's settings may override."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from skillwalker.settings import PriceSettings

PRICES_OF = "2026-10-24"
"""Day on which the table agreed with the list. Source: platform.claude.com/docs, "Pricing"."""

_MILLION = 1_000_000
_VARIANT = re.compile(r"(?:-\d{8})?(?:\[1m\])?$")
"""A dated snapshot and the long context window cost what the family costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_write: float
    """For five minutes, the time that Claude Code asks for."""
    cache_read: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """Models of one price, and the price of a request whose prompt is longer than a limit."""

    models: tuple[str, ...]
    price: Price
    long_prompt: Price | None = None
    long_from: int = 0
    """Most prompt tokens, cached ones included, at the ordinary price."""


_FAMILIES = (
    _Family(
        models=("claude-opus-5-5",),
        price=Price(input=4.0, output=20.0, cache_write=5.0, cache_read=0.2),
    ),
    _Family(
        models=(
            "claude-opus-5",
            "claude-opus-4-8",
            "claude-opus-4-7",
            "claude-opus-4-6",
            "claude-opus-4-5",
        ),
        price=Price(input=5.0, output=25.0, cache_write=6.25, cache_read=0.5),
    ),
    _Family(
        models=("claude-sonnet-5-5",),
        price=Price(input=2.0, output=10.0, cache_write=2.5, cache_read=0.1),
    ),
    _Family(
        models=("claude-sonnet-5",),
        price=Price(input=2.0, output=10.0, cache_write=2.5, cache_read=0.2),
    ),
    _Family(
        models=("claude-sonnet-4-6", "claude-sonnet-4-5"),
        price=Price(input=3.0, output=15.0, cache_write=3.75, cache_read=0.3),
    ),
    _Family(
        models=("claude-haiku-5-5",),
        price=Price(input=0.1, output=0.5, cache_write=0.125, cache_read=0.01),
        long_prompt=Price(input=0.5, output=2.5, cache_write=0.625, cache_read=0.05),
        long_from=100_000,
    ),
    _Family(
        models=("claude-haiku-4-5",),
        price=Price(input=1.0, output=5.0, cache_write=1.25, cache_read=0.1),
    ),
    _Family(
        models=("claude-fable-5-1", "claude-mythos-5-1"),
        price=Price(input=10.0, output=50.0, cache_write=12.5, cache_read=0.25),
    ),
    _Family(
        models=("claude-fable-5", "claude-mythos-5"),
        price=Price(input=10.0, output=50.0, cache_write=12.5, cache_read=1.0),
    ),
)
_BY_MODEL = MappingProxyType({model: family for family in _FAMILIES for model in family.models})
_NO_PRICES: Mapping[str, Price] = MappingProxyType({})


def cost_usd(
    model: str,
    *,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cache_write_tokens: int = 0,
    cache_read_tokens: int = 0,
    override: Mapping[str, Price] = _NO_PRICES,
) -> float | None:
    """Say what one request cost.

    Args:
        model: the full id that answered; a date or `[1m]` at its end is passed over.
        input_tokens: the part of the prompt that was neither written to nor read from a cache.
        output_tokens: everything the model wrote, its thinking included.
        cache_write_tokens: the part of the prompt that was written to a cache.
        cache_read_tokens: the part of the prompt that was read from a cache.
        override: prices of the project's settings by model; they hold whatever the table says.

    Returns:
        US dollars; None when the model's price is not known, which is never the same as free.

    Source:
        The list of `PRICES_OF`; prompts longer than a family's limit pay its second price.
    """
    prompt_tokens = input_tokens + cache_write_tokens + cache_read_tokens
    price = _price(model, prompt_tokens, override)
    if price is None:
        return None
    return (
        input_tokens * price.input
        + output_tokens * price.output
        + cache_write_tokens * price.cache_write
        + cache_read_tokens * price.cache_read
    ) / _MILLION


def prices_by_model(own: Iterable[PriceSettings]) -> dict[str, Price]:
    """Give a project's own prices by model, as `cost_usd` takes them."""
    return {
        one.model: Price(
            input=one.input,
            output=one.output,
            cache_write=one.cache_write,
            cache_read=one.cache_read,
        )
        for one in own
    }


def plain_model(model: str) -> str:
    """Give a model's id without what does not change its price."""
    return _VARIANT.sub("", model)


def _price(model: str, prompt_tokens: int, override: Mapping[str, Price]) -> Price | None:
    """Find the price of a request by the model's whole id, else by its family."""
    name = plain_model(model)
    own = override.get(model) or override.get(name)
    if own is not None:
        return own
    family = _BY_MODEL.get(name)
    if family is None:
        return None
    if family.long_prompt is not None and prompt_tokens > family.long_from:
        return family.long_prompt
    return family.price
