"""Adds up the tokens of a run, each message once.

Every block of a message is an event of its own and repeats the usage as it stood when the
message began, so adding events would count a message several times, and its output hardly at all.
"""

from collections.abc import Callable

from skillwalker.datatypes.trials import Usage
from skillwalker.transcripts.events import Tokens

Price = Callable[[str, Tokens], float | None]
"""Gives the US dollars of one message of a model; None when its price is not known."""


class UsageMeter:
    """The newest counts of every message, those of subagents included.

    Args:
        price: prices a message of a run that was ended before the CLI gave its own total.
    """

    def __init__(self, price: Price | None = None) -> None:
        self._price = price
        self._tokens: dict[str, Tokens] = {}
        self._models: dict[str, str] = {}
        self._final: set[str] = set()

    def add(
        self, message: str, tokens: Tokens, *, is_final: bool, model: str | None = None
    ) -> None:
        """Take the newest counts of a message; `is_final` when its output is whole."""
        if model:
            self._models[message] = model
        old = self._tokens.get(message, Tokens())
        self._tokens[message] = Tokens(
            input=_newest(old.input, tokens.input),
            output=_newest(old.output, tokens.output),
            cache_read=_newest(old.cache_read, tokens.cache_read),
            cache_write=_newest(old.cache_write, tokens.cache_write),
        )
        if is_final:
            self._final.add(message)

    def usage(self, cost_usd: float | None) -> Usage:
        """Add up.

        Args:
            cost_usd: the CLI's own total; None when the run was ended before it gave one. The
                cost is then made from the price table, and an estimate when a message was cut.
        """
        counts = self._tokens.values()
        is_cut = cost_usd is None and not self._tokens.keys() <= self._final
        return Usage(
            input_tokens=sum(one.input or 0 for one in counts),
            output_tokens=sum(one.output or 0 for one in counts),
            cache_read_tokens=sum(one.cache_read or 0 for one in counts),
            cache_write_tokens=sum(one.cache_write or 0 for one in counts),
            cost_usd=self._priced() if cost_usd is None else cost_usd,
            cost_estimated=is_cut,
        )

    def _priced(self) -> float | None:
        """Price every message; None when one of them has no known price."""
        if self._price is None:
            return None
        total = 0.0
        for message, tokens in self._tokens.items():
            cost = self._price(self._models.get(message, ""), tokens)
            if cost is None:
                return None
            total += cost
        return total


def _newest(old: int | None, new: int | None) -> int | None:
    return old if new is None else new
