"""Adds up the tokens of a run, each message once.

Every block of a message is an event of its own and repeats the usage as it stood when the
message began, so adding events would count a message several times, and its output hardly at all.
"""

from skillwalker.datatypes.trials import Usage
from skillwalker.stream_events import Tokens


class UsageMeter:
    """The newest counts of every message, those of subagents included."""

    def __init__(self) -> None:
        self._tokens: dict[str, Tokens] = {}
        self._final: set[str] = set()

    def add(self, message: str, tokens: Tokens, *, is_final: bool) -> None:
        """Take the newest counts of a message; `is_final` when its output is whole."""
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
        """Add up; the cost is the CLI's own total, or None when the run was ended before it."""
        counts = self._tokens.values()
        return Usage(
            input_tokens=sum(one.input or 0 for one in counts),
            output_tokens=sum(one.output or 0 for one in counts),
            cache_read_tokens=sum(one.cache_read or 0 for one in counts),
            cache_write_tokens=sum(one.cache_write or 0 for one in counts),
            cost_usd=cost_usd,
            cost_estimated=cost_usd is None and not self._tokens.keys() <= self._final,
        )


def _newest(old: int | None, new: int | None) -> int | None:
    return old if new is None else new
