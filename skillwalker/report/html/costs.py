"""What a run cost by purpose and model, and how much of it the prompt cache carried."""

from collections.abc import Iterable
from dataclasses import dataclass

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.scores import UsageTotal, sum_usage
from skillwalker.datatypes.trials import Usage
from skillwalker.report.wording import NOT_MEASURED

LOW_CACHE = 0.6
"""Share of input read from the cache below which trials are dearer than they need be.

Source: docs/architecture.md; trials keep constant paths so that their prefixes are cached.
"""
NO_MODEL = "none answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """What one model did for one purpose."""

    purpose: str
    model: str
    total: UsageTotal

    @property
    def cost(self) -> str:
        """The cost in words: known, unknown or both."""
        return money(self.total)


def cost_rows(run: RecordedRun) -> tuple[CostRow, ...]:
    """Sum up the usage of trials and of the improver by model."""
    exchanges = [exchange for answer in run.answers for exchange in answer.exchanges]
    return (
        *_rows("trials", ((trial.model or NO_MODEL, trial.usage) for trial in run.trials)),
        *_rows("improver", ((exchange.model, exchange.usage) for exchange in exchanges)),
        *(
            CostRow(purpose=purpose, model="", total=total)
            for purpose, total in run.summary.usage
            if purpose not in {"trial", "improver"} and total.calls
        ),
    )


def _rows(purpose: str, usages: Iterable[tuple[str, Usage]]) -> Iterable[CostRow]:
    by_model: dict[str, list[Usage]] = {}
    for model, usage in usages:
        by_model.setdefault(model, []).append(usage)
    for model, spent in sorted(by_model.items()):
        yield CostRow(purpose=purpose, model=model, total=sum_usage(spent))


def money(total: UsageTotal) -> str:
    """Write a cost; calls of unknown cost are never free."""
    known = f"${total.cost_usd:.2f}"
    if not total.cost_unknown_calls:
        return known
    if total.cost_unknown_calls == total.calls:
        return "unknown"
    return f"{known} and {total.cost_unknown_calls} calls of unknown cost"


def cache_share(run: RecordedRun) -> float | None:
    """Give the share of the trials' input that came from the prompt cache; None without input."""
    total = sum_usage(trial.usage for trial in run.trials)
    whole = total.input_tokens + total.cache_read_tokens + total.cache_write_tokens
    return total.cache_read_tokens / whole if whole else None


def cache_words(share: float | None) -> str:
    """Say how much the cache carried, and warn where that is little."""
    if share is None:
        return NOT_MEASURED
    text = f"{100 * share:.0f} % of the trials' input was read from the prompt cache"
    if share >= LOW_CACHE:
        return text
    return (
        f"{text}. Warning: that is under {100 * LOW_CACHE:.0f} %, so trials cost more than they"
        " need to. All begin alike, so look for an endpoint that keeps no cache, or for pauses"
        " longer than a cache lives"
    )
