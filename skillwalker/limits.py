"""What may still be spent: asked before every call, so that a limit never cuts one in two.

Limits can be shared: `share` makes those of one run under the budget of a whole catalogue or
night. A call has to be allowed at every level above it and is counted at each.
"""

from collections.abc import Callable
from dataclasses import dataclass

from skillwalker.budget.clock import Clock
from skillwalker.budget.level import Level, LimitReached
from skillwalker.budget.moments import clock_time, say_span
from skillwalker.budget.money import Account, Costs, Kind, Prior, is_free
from skillwalker.budget.pauses import Pauses
from skillwalker.config import MAX_PAUSE
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose, StopReason
from skillwalker.errors import BudgetReached

LOOK = 1.0
"""Seconds after which a pause looks whether the run was told to end."""
_UNKNOWN = Usage(cost_usd=None)


@dataclass(frozen=True, slots=True)
class _Common:
    """What all levels share."""

    clock: Clock
    costs: Costs
    pauses: Pauses
    deadline: float | None


class Limits:
    """The limits of one run or of several; a strategy never sees them.

    Every method is called between awaits of one event loop, never at once; `interrupt` may come
    at any moment.

    Args:
        max_trials: most trials of any kind, controls and retries included; None is no limit.
        max_cost_usd: most US dollars of trials, improver and judge together.
        deadline: moment, in seconds since 1970, after which nothing starts.
        max_pause: seconds that pauses for rate limits may take in all.
        clock: tells the time and waits.
        prior: what a call may cost before one was seen; see `budget.money.Prior`.
        on_pause: is told until when a rate limit pauses everything.
        above: limits that these are under; clock, deadline, pauses and prior are theirs.
    """

    def __init__(
        self,
        *,
        max_trials: int | None = None,
        max_cost_usd: float | None = None,
        deadline: float | None = None,
        max_pause: float = MAX_PAUSE,
        clock: Clock | None = None,
        prior: Prior = is_free,
        on_pause: Callable[[float], None] | None = None,
        above: "Limits | None" = None,
    ) -> None:
        own = _Common(clock or Clock(), Costs(prior), Pauses(max_pause), deadline)
        self.common: _Common = own if above is None else above.common
        account = Account(self.common.costs)
        self.own = Level(account=account, max_trials=max_trials, max_cost_usd=max_cost_usd)
        self.levels: tuple[Level, ...] = (self.own, *(() if above is None else above.levels))
        self._on_pause = on_pause
        self._refusal: LimitReached | None = None

    def share(
        self,
        *,
        max_trials: int | None = None,
        max_cost_usd: float | None = None,
        on_pause: Callable[[float], None] | None = None,
    ) -> "Limits":
        """Make the limits of one run under these: what it spends counts here too.

        Args:
            max_trials: of that run alone.
            max_cost_usd: of that run alone.
            on_pause: is told of the pauses that begin in that run.
        """
        return Limits(
            max_trials=max_trials, max_cost_usd=max_cost_usd, on_pause=on_pause, above=self
        )

    # --- what is asked -------------------------------------------------------------------------

    @property
    def interrupted(self) -> bool:
        """Whether the run was told to end."""
        return any(level.interrupted for level in self.levels)

    @property
    def has_cap(self) -> bool:
        """Whether anything bounds what may be spent: trials or money."""
        return any(level.has_cap for level in self.levels)

    @property
    def trials(self) -> int:
        """Trials that were spent under these limits, those in flight included."""
        return self.own.trials

    @property
    def cost_usd(self) -> float:
        """US dollars that were spent; what is not known is reckoned with the mean of its kind."""
        return self.own.account.spent

    @property
    def reckoned_calls(self) -> int:
        """Calls whose cost is not known."""
        return self.own.account.reckoned_calls

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline, 0 behind it; None when there is none."""
        deadline = self.common.deadline
        return None if deadline is None else max(0.0, deadline - self.common.clock.now())

    def reached(
        self, purpose: Purpose = Purpose.TRIAL, model: str | None = None
    ) -> StopReason | None:
        """Say which limit forbids another call; None when it may start.

        Args:
            purpose: what it is for.
            model: the full id that is to be asked; None where it is not settled yet: money forbids
                such a call when it is gone, or too little for the cheapest model asked before.
        """
        self._refusal = self._find(Kind(purpose, model))
        return None if self._refusal is None else self._refusal.reason

    def error(self) -> BudgetReached:
        """Give the last refusal as the error that ends a run."""
        stop = self._refusal or LimitReached(reason=StopReason.BUDGET)
        return BudgetReached(
            stop.reason, flag=stop.flag, detail=stop.detail, refused_usd=stop.refused_usd
        )

    def expect(self, cost_usd: float, purpose: Purpose, model: str) -> None:
        """Take what a call may cost by its own request, before one of its kind was paid for."""
        self.common.costs.expect(Kind(purpose, model), cost_usd)

    # --- what is spent -------------------------------------------------------------------------

    def admit(self, purpose: Purpose = Purpose.TRIAL, model: str = "") -> StopReason | None:
        """Count a call that is about to start, unless a limit forbids it.

        Each call that was admitted is settled or given back when it is over.

        Args:
            purpose: only trials count as such.
            model: the full id that is asked.
        """
        reason = self.reached(purpose, model)
        if reason is None:
            for level in self.levels:
                level.trials += purpose is Purpose.TRIAL
                level.account.begin(Kind(purpose, model))
        return reason

    def settle(
        self, usage: Usage | None, purpose: Purpose = Purpose.TRIAL, model: str = ""
    ) -> None:
        """Take what an admitted call has used; None when it ended without saying."""
        self._pay(Kind(purpose, model), usage or _UNKNOWN, Account.end)
        if usage is not None and usage.output_tokens:
            self.common.pauses.ease()

    def give_back(
        self, usage: Usage | None, purpose: Purpose = Purpose.TRIAL, model: str = ""
    ) -> None:
        """Uncount an admitted call that a rate limit refused; what it has used is paid."""
        self._pay(Kind(purpose, model), usage or _UNKNOWN, Account.end)
        self.count_earlier(-(purpose is Purpose.TRIAL))

    def count_earlier(self, trials: int) -> None:
        """Count trials that an earlier life of the run paid for."""
        for level in self.levels:
            level.trials += trials

    def carry(self, *, trials: int, cost_usd: float, reckoned_calls: int = 0) -> None:
        """Count what runs of an earlier life have spent; no single call is known of them.

        Args:
            trials: how many.
            cost_usd: what all calls have cost, those of unknown cost as they are reckoned.
            reckoned_calls: how many those are.
        """
        self.count_earlier(trials)
        for level in self.levels:
            level.account.spent += cost_usd
            level.account.reckoned_calls += reckoned_calls

    def reckon(self, usage: Usage, purpose: Purpose, model: str) -> float:
        """Say what a call has cost; where that is not known, the mean of its kind."""
        if usage.cost_usd is not None:
            return usage.cost_usd
        return self.common.costs.mean(Kind(purpose, model)) or 0.0

    def pay_earlier(self, usage: Usage, purpose: Purpose, model: str) -> None:
        """Count the money of a call of an earlier life."""
        self._pay(Kind(purpose, model), usage, Account.pay)

    def interrupt(self) -> None:
        """Let what is in flight finish and start nothing more."""
        self.own.interrupted = True

    # --- rate limits ---------------------------------------------------------------------------

    def rate_limited(self, resets_at: float | None, retry_after: float | None = None) -> None:
        """Pause everything until a rate limit ends.

        Args:
            resets_at: when it ends, in seconds since 1970; None when nobody says.
            retry_after: in how many seconds, where only that is known.
        """
        pauses, now = self.common.pauses, self.common.clock.now()
        if resets_at is None and retry_after is not None:
            resets_at = now + retry_after
        begun = pauses.begin(now=now, resets_at=resets_at, before=self.common.deadline)
        if begun and self._on_pause is not None:
            self._on_pause(pauses.until)

    async def ready(self) -> None:
        """Wait until no rate limit pauses us, or nothing may start any more."""
        clock, pauses = self.common.clock, self.common.pauses
        while not self.interrupted and pauses.outlasting is None:
            left = pauses.until - clock.now()
            if left <= 0:
                return
            await clock.sleep(min(left, LOOK))

    # --- inside --------------------------------------------------------------------------------

    def _pay(self, kind: Kind, usage: Usage, book: Callable[[Account, Kind, Usage], None]) -> None:
        """Book a usage at every level, and learn from it what such a call costs."""
        for level in self.levels:
            book(level.account, kind, usage)
        if usage.cost_usd is not None and (usage.cost_usd or usage.output_tokens):
            self.common.costs.observe(kind, usage.cost_usd)

    def _find(self, kind: Kind) -> LimitReached | None:
        """Find the first limit that forbids another call."""
        if self.interrupted:
            return LimitReached(reason=StopReason.INTERRUPTED)
        pauses, deadline = self.common.pauses, self.common.deadline
        if pauses.outlasting is not None:
            allowed = f"--max-pause allows {say_span(pauses.most)} in all"
            detail = f"it lasts until {clock_time(pauses.outlasting)}, and {allowed}"
            return LimitReached(reason=StopReason.RATE_LIMIT, flag="--max-pause", detail=detail)
        if deadline is not None and self.common.clock.now() >= deadline:
            detail = clock_time(deadline)
            return LimitReached(reason=StopReason.DEADLINE, flag="--deadline", detail=detail)
        stops = (level.stop(kind) for level in self.levels)
        return next((stop for stop in stops if stop is not None), None)
