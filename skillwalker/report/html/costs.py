"""What a run cost by purpose and model."""

from collections.abc import Iterable
from dataclasses import dataclass

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.scores import UsageTotal, sum_usage
from skillwalker.datatypes.trials import Usage
from skillwalker.report.wording import unknown_calls

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
    return (
        *_rows("trials", ((trial.model or NO_MODEL, trial.usage) for trial in run.trials)),
        *_rows(
            "trials that count for nothing",
            ((trial.model or NO_MODEL, trial.usage) for trial in run.discarded),
        ),
        *_rows("improver", ((exchange.model, exchange.usage) for exchange in run.exchanges)),
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
    return f"{known} and {unknown_calls(total.cost_unknown_calls)}"
