"""What a call costs and takes before one was seen: assumptions, each with its source.

They serve plans and the first calls under a budget alone; what calls really cost replaces them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from skillwalker.budget.money import Prior
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.errors import ConfigError
from skillwalker.prices import Price, cost_usd, prices_by_model
from skillwalker.settings import PriceSettings

SECONDS_OF_A_TRIAL = 15.0
"""Of two model turns. An assumption: no figure of Claude's own speed was measured for it."""
TURNS_OF_A_TRIAL = 2
"""Most calls come at the first turn, and a refusal takes one or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTokens:
    """Tokens of one call; of a trial, of its first turn."""

    prompt: int
    output: int


TOKENS = MappingProxyType(
    {
        Purpose.TRIAL: CallTokens(prompt=20_000, output=400),
        Purpose.IMPROVER: CallTokens(prompt=6_000, output=3_000),
        Purpose.JUDGE: CallTokens(prompt=10_000, output=1_500),
    }
)
"""Of a call.

Source: requests of Claude Code 2.1.332, whose tools and system prompt are about 76 kB (19,000
tokens) on older models and half of that on newer ones. The output, and improver and judge, are
assumptions.
"""
MOST_PROMPT = MappingProxyType({**{p: t.prompt for p, t in TOKENS.items()}, Purpose.TRIAL: 30_000})
"""Tokens of a prompt at the most, as long as no request was seen.

Source: requests of Claude Code 2.1.197, which are about 117 kB (29,300 tokens); others as above.
"""
_BYTES_PER_TOKEN = 4
"""Of a request's text. An assumption; the price of a cache write leaves room for fewer."""

Prices = Mapping[str, Price]


def cold_cost(
    purpose: Purpose,
    model: str,
    prices: Prices,
    *,
    turns: int = 1,
    prompt: int | None = None,
) -> float | None:
    """Say what a call costs when nothing of its prompt is ever in the cache.

    Args:
        purpose: a trial writes its prompt to the cache, here at every turn anew.
        model: the full id.
        prices: of the project's settings.
        turns: of a trial.
        prompt: tokens of the prompt at the first turn, where they are known.

    Returns:
        US dollars; None when the model's price is not known.
    """
    output = TOKENS[purpose].output
    sent = MOST_PROMPT[purpose] if prompt is None else prompt
    if purpose is not Purpose.TRIAL:
        return cost_usd(model, input_tokens=sent, output_tokens=output, override=prices)
    once = cost_usd(model, cache_write_tokens=sent, output_tokens=output, override=prices)
    return None if once is None else once * turns


def cost_of_request(
    model: str, size: int, own: Iterable[PriceSettings], *, turns: int = TURNS_OF_A_TRIAL
) -> float | None:
    """Say what a trial may cost whose first request was seen.

    Args:
        model: the full id.
        size: of the request in bytes.
        own: prices of the project's settings.
        turns: of the trial.

    Returns:
        US dollars; None when the model's price is not known.
    """
    prompt = -(-size // _BYTES_PER_TOKEN)
    return cold_cost(Purpose.TRIAL, model, prices_by_model(own), turns=turns, prompt=prompt)


def warm_cost(model: str, prices: Prices, *, turns: int = TURNS_OF_A_TRIAL) -> float | None:
    """Say what a trial costs whose prompt others have put into the cache."""
    tokens = TOKENS[Purpose.TRIAL]
    return cost_usd(
        model,
        cache_read_tokens=tokens.prompt * turns,
        output_tokens=tokens.output * turns,
        override=prices,
    )


def make_prior(
    own: Iterable[PriceSettings], *, free: Sequence[Purpose] = (), turns: int = TURNS_OF_A_TRIAL
) -> Prior:
    """Make what a budget reckons with until calls say what they cost.

    Args:
        own: prices of the project's settings.
        free: purposes for which no model is asked: a simulated engine or improver.
        turns: of a trial.
    """
    prices = prices_by_model(own)

    def prior(purpose: Purpose, model: str) -> float | None:
        return 0.0 if purpose in free else cold_cost(purpose, model, prices, turns=turns)

    return prior


def require_prices(models: Iterable[str], own: Iterable[PriceSettings]) -> None:
    """Refuse a budget in dollars for models whose price nobody knows.

    Raises:
        ConfigError: it names them, and what to write.
    """
    prices = prices_by_model(own)
    unknown = [model for model in models if cold_cost(Purpose.TRIAL, model, prices) is None]
    if unknown:
        names = ", ".join(dict.fromkeys(unknown))
        raise ConfigError(
            f"--max-cost-usd: no price of {names} is known, so the budget could not be kept; write"
            f' [prices."{unknown[0]}"] with input, output, cache-write and cache-read (US dollars'
            " per million tokens) into skillwalker.toml, or use --max-trials"
        )
