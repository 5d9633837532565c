"""A completer that keeps the limits of a run: money, time, and pauses for rate limits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio

from skillwalker.completers.protocol import (
    Completer,
    QuestionCutError,
    RateLimitedError,
    UnansweredError,
    no_reply,
)
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.limits import Limits

_NOTHING = Usage(cost_usd=0.0)
_UNKNOWN = Usage(cost_usd=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedCompleter:
    """Asks another completer while the limits allow it; see `completers.protocol.Completer`.

    A question that a rate limit refuses waits with everything else and is asked again; what its
    refused askings have used is part of what it has used in the end, however that comes.

    Raises:
        BudgetReached: a limit forbids another call.
        QuestionCutError: the same behind a refused asking, or the deadline came during this one.
    """

    inner: Completer
    limits: Limits
    purpose: Purpose
    model: str
    """The full id that is asked."""
    grace: float
    """Seconds behind the deadline that an answer may still take: as many as a trial may."""

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Answer a prompt with one JSON object."""
        refused = _NOTHING
        while True:
            await self.limits.ready()
            if self.limits.admit(self.purpose, self.model) is not None:
                raise self._cut(refused)
            try:
                return _behind(refused, await self._ask(prompt, schema))
            except RateLimitedError as error:
                refused = _both(refused, error.completion.usage)
                self.limits.rate_limited(error.resets_at, error.retry_after)
            except (UnansweredError, QuestionCutError) as error:
                error.completion = _behind(refused, error.completion)
                raise

    async def _ask(self, prompt: str, schema: Mapping[str, object]) -> Completion:
        """Ask once, and tell the limits what that has used."""
        left = self.limits.seconds_left
        try:
            with anyio.move_on_after(None if left is None else left + self.grace):
                completion = await self.inner.complete(prompt, schema=schema)
                self.limits.settle(completion.usage, self.purpose, self.model)
                return completion
        except RateLimitedError as error:
            self.limits.give_back(error.completion.usage, self.purpose, self.model)
            raise
        except UnansweredError as error:
            self.limits.settle(error.completion.usage, self.purpose, self.model)
            raise
        except BaseException:
            self.limits.settle(None, self.purpose, self.model)
            raise
        self.limits.settle(None, self.purpose, self.model)
        self.limits.reached(self.purpose, self.model)
        raise self._cut(_UNKNOWN)

    def _cut(self, usage: Usage) -> QuestionCutError:
        """Say that a limit ended a question that has used something until then."""
        return QuestionCutError(self.limits.error(), no_reply(self.model, usage))


def _behind(refused: Usage, completion: Completion) -> Completion:
    """Add what refused askings have used to what the last one has."""
    if refused == _NOTHING:
        return completion
    return replace(completion, usage=_both(refused, completion.usage))


def _both(one: Usage, other: Usage) -> Usage:
    """Add two usages; a sum of which a part is not known is not known."""
    known = one.cost_usd is not None and other.cost_usd is not None
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cache_read_tokens=one.cache_read_tokens + other.cache_read_tokens,
        cache_write_tokens=one.cache_write_tokens + other.cache_write_tokens,
        cost_usd=(one.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
        cost_estimated=one.cost_estimated or other.cost_estimated,
    )
