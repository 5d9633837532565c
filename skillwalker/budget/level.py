"""One limit on trials and money, with what was spent under it."""

from dataclasses import dataclass, field

from skillwalker.budget.money import Account, Kind, up_to_cents
from skillwalker.datatypes.vocabulary import Purpose, StopReason

_CALLS = {
    Purpose.TRIAL: "a trial",
    Purpose.IMPROVER: "a question to the improver",
    Purpose.JUDGE: "a question to the judge",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """Why nothing more may start."""

    reason: StopReason
    flag: str | None = None
    """The option that sets the limit."""
    detail: str | None = None
    refused_usd: float | None = None
    """What the call that money forbids is reckoned at; None where nobody knows, or it is none."""


@dataclass(slots=True, kw_only=True)
class Level:
    """The limit of one run, or of many: a call is counted at each level above it."""

    account: Account
    max_trials: int | None = None
    max_cost_usd: float | None = None
    trials: int = field(default=0, init=False)
    """Spent, those in flight included."""
    interrupted: bool = field(default=False, init=False)

    @property
    def has_cap(self) -> bool:
        """Whether anything bounds what may be spent."""
        return self.max_trials is not None or self.max_cost_usd is not None

    def stop(self, kind: Kind) -> LimitReached | None:
        """Say whether trials or money forbid another call of a kind."""
        most = self.max_trials
        if most is not None and self.trials >= most:
            detail = f"{self.trials} of {most} trials"
            if self.trials > most:  # an earlier life had a higher limit
                were = "1 trial was" if self.trials == 1 else f"{self.trials} trials were"
                detail = f"{were} run before, and --max-trials is {most}"
            return LimitReached(reason=StopReason.BUDGET, flag="--max-trials", detail=detail)
        limit = self.max_cost_usd
        if limit is None or self.account.allows(kind, limit):
            return None
        detail = f"${self.account.spent:.2f} of ${limit:.2f}{self._of_another(kind)}"
        if self.account.reckoned_calls:
            calls = self.account.reckoned_calls
            said = (
                "1 call of unknown cost is" if calls == 1 else f"{calls} calls of unknown cost are"
            )
            detail += f" ({said} reckoned in)"
        return LimitReached(
            reason=StopReason.BUDGET,
            flag="--max-cost-usd",
            detail=detail,
            refused_usd=self.account.next_usd(kind),
        )

    def _of_another(self, kind: Kind) -> str:
        """Say which call money forbids, and what it is reckoned at."""
        call = _CALLS[kind.purpose] + (f" ({kind.model})" if kind.model else "")
        more, flying = self.account.next_usd(kind), self.account.flying_usd
        if more is None:
            return f", and nobody knows what {call} may cost"
        beside = f" beside the ${up_to_cents(flying):.2f} of those in flight" if flying else ""
        return f", and {call} may take ${up_to_cents(more):.2f}{beside}" if more or flying else ""
