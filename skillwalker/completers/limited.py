"""A completer that keeps the limits of a run: money, time, and pauses for rate limits."""

from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from skillwalker.completers.protocol import Completer, RateLimitedError, UnusableReplyError
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.limits import Limits

_NOTHING = Usage(cost_usd=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedCompleter:
    """Asks another completer while the limits allow it; see `completers.protocol.Completer`.

    A question that a rate limit refuses waits with everything else and is asked again.

    Raises:
        BudgetReached: a limit forbids another call, or the deadline came during this one.
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
        while True:
            await self.limits.ready()
            if self.limits.admit(self.purpose, self.model) is not None:
                raise self.limits.error()
            try:
                return await self._ask(prompt, schema)
            except RateLimitedError as error:
                self.limits.rate_limited(error.resets_at, error.retry_after)

    async def _ask(self, prompt: str, schema: Mapping[str, object]) -> Completion:
        """Ask once, and say what that has cost."""
        left = self.limits.seconds_left
        try:
            with anyio.move_on_after(None if left is None else left + self.grace):
                completion = await self.inner.complete(prompt, schema=schema)
                self.limits.settle(completion.usage, self.purpose, self.model)
                return completion
        except RateLimitedError:
            self.limits.give_back(_NOTHING, self.purpose, self.model)
            raise
        except UnusableReplyError as error:
            self.limits.settle(error.completion.usage, self.purpose, self.model)
            raise
        except BaseException:
            self.limits.settle(None, self.purpose, self.model)
            raise
        self.limits.settle(None, self.purpose, self.model)
        self.limits.reached(self.purpose, self.model)
        raise self.limits.error()
