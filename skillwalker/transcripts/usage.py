"""Adds up the tokens of a run, each message once, and prices them.

Every block of a message is an event of its own and repeats the usage as it stood when the
message began, so adding events would count a message several times, and its output hardly at all.
The final count comes with the message's end. The stream shows no such end for a message that was
cut off nor for those of a subagent; the run's last event counts the latter by model.
"""

from collections.abc import Callable, Iterable, Mapping
from math import fsum

from skillwalker.datatypes.trials import Usage
from skillwalker.prices import plain_model
from skillwalker.transcripts.events import Tokens

Price = Callable[[str, Tokens], float | None]
"""Gives the US dollars of one message of a model; None when its price is not known."""

CHARACTERS_PER_TOKEN = 4
"""To estimate the output of a message that was cut off.

Source: platform.claude.com/docs, "Glossary": a token is about 3.5 characters of English; four
keep the estimate a floor.
"""

_Counted = tuple[str, Tokens]


class UsageMeter:
    """The newest counts of every message, those of subagents included.

    Args:
        price: prices a message; None knows no price.
    """

    def __init__(self, price: Price | None = None) -> None:
        self._price = price
        self._tokens: dict[str, Tokens] = {}
        self._models: dict[str, str] = {}
        self._final: set[str] = set()
        self._streamed: dict[str, int] = {}
        self._in_blocks: dict[str, int] = {}

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

    def add_streamed(self, message: str, characters: int) -> None:
        """Take the length of a piece of a message whose end the stream will show."""
        self._streamed[message] = self._streamed.get(message, 0) + characters

    def add_blocks(self, message: str, characters: int) -> None:
        """Take the length of whole blocks of a message."""
        self._in_blocks[message] = self._in_blocks.get(message, 0) + characters

    def usage(
        self, reported: Mapping[str, Tokens], *, is_whole: bool = True, is_free: bool = False
    ) -> Usage:
        """Add up and price every message; the cost is None when one has no known price.

        Args:
            reported: what the CLI counted by model at its end, subagents included; it fills up
                what the stream does not show.
            is_whole: whether nothing more can have been used than what was seen or reported.
            is_free: whether a run without any message is known to have cost nothing.
        """
        if not self._tokens and not reported:
            return Usage(cost_usd=0.0) if is_free else Usage(cost_estimated=True)
        is_covered = bool(reported) and not _gap(reported.items(), self._counted(()))
        cut = self._tokens.keys() - self._final
        if is_covered:
            cut &= self._streamed.keys()
        seen = self._counted(cut)
        counts = (*seen, *_gap(seen, reported.items()))
        return Usage(
            input_tokens=sum(one.input or 0 for _, one in counts),
            output_tokens=sum(one.output or 0 for _, one in counts),
            cache_read_tokens=sum(one.cache_read or 0 for _, one in counts),
            cache_write_tokens=sum(one.cache_write or 0 for _, one in counts),
            cost_usd=self._priced(counts),
            cost_estimated=bool(cut or not is_whole or (reported and not is_covered)),
        )

    def _counted(self, cut: Iterable[str]) -> tuple[_Counted, ...]:
        """Give every message's model and tokens; of those cut off, what they wrote counts."""
        return tuple(
            (self._models.get(message, ""), self._estimated(message) if message in cut else tokens)
            for message, tokens in self._tokens.items()
        )

    def _estimated(self, message: str) -> Tokens:
        tokens = self._tokens[message]
        written = max(self._streamed.get(message, 0), self._in_blocks.get(message, 0))
        return Tokens(
            input=tokens.input,
            output=max(tokens.output or 0, -(-written // CHARACTERS_PER_TOKEN)),
            cache_read=tokens.cache_read,
            cache_write=tokens.cache_write,
        )

    def _priced(self, counts: Iterable[_Counted]) -> float | None:
        """Price every message; None when one of them has no known price."""
        if self._price is None:
            return None
        known: list[float] = []
        for model, tokens in counts:
            cost = self._price(model, tokens)
            if cost is None:
                return None
            known.append(cost)
        # A subagent's messages come before or after others: the sum must not depend on that.
        return fsum(known)


def _newest(old: int | None, new: int | None) -> int | None:
    return old if new is None else new


def _gap(some: Iterable[_Counted], others: Iterable[_Counted]) -> tuple[_Counted, ...]:
    """Give by model what the others count beyond some."""
    less, more = _by_model(some), _by_model(others)
    gaps = {
        model: tuple(max(b - a, 0) for a, b in zip(less.get(model, (0,) * 4), counts, strict=True))
        for model, counts in more.items()
    }
    return tuple(
        (model, Tokens(input=gap[0], output=gap[1], cache_read=gap[2], cache_write=gap[3]))
        for model, gap in gaps.items()
        if any(gap)
    )


def _by_model(counts: Iterable[_Counted]) -> dict[str, tuple[int, ...]]:
    total: dict[str, tuple[int, ...]] = {}
    for model, one in counts:
        new = tuple(n or 0 for n in (one.input, one.output, one.cache_read, one.cache_write))
        name = plain_model(model)
        old = total.get(name, (0,) * len(new))
        total[name] = tuple(a + b for a, b in zip(old, new, strict=True))
    return total
