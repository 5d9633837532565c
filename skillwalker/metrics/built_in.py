"""What is tracked beside every candidate without being declared (pure).

These are figures to look at: they decide nothing, and enter no other number.
"""

from collections.abc import Iterable

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.metrics import Direction, TrackedMetric
from skillwalker.datatypes.scores import sum_usage
from skillwalker.datatypes.trials import Usage
from skillwalker.listing.listed import listing_line
from skillwalker.listing.shown_text import columns

LENGTH, SHARE = "description_chars", "listing_share"
TOKENS, COST = "trial_tokens", "trial_cost_usd"
BUILT_IN_NAMES = frozenset({LENGTH, SHARE, TOKENS, COST})


def track_built_in(
    description: str, listing: ListingPlace | None, usages: Iterable[Usage]
) -> tuple[TrackedMetric, ...]:
    """Give a candidate's length, share of the listing's budget, tokens and cost.

    Args:
        description: the candidate.
        listing: its place in the listing; None, or a place without a budget, gives no share.
        usages: those of its trials.
    """
    spent = sum_usage(usages)
    tokens = (
        spent.input_tokens
        + spent.output_tokens
        + spent.cache_read_tokens
        + spent.cache_write_tokens
    )
    cost = spent.cost_usd if spent.cost_unknown_calls == 0 else None
    unknown = f"the cost of {spent.cost_unknown_calls} trials is unknown"
    return (
        _figure(LENGTH, float(len(description.encode("utf-16-le", "surrogatepass")) // 2), "chars"),
        _figure(SHARE, _share(listing), "rate"),
        _figure(TOKENS, float(tokens) if spent.calls else None, "tokens"),
        _figure(COST, cost if spent.calls else None, "USD", None if cost is not None else unknown),
    )


def _share(listing: ListingPlace | None) -> float | None:
    if listing is None or not listing.budget_chars or not listing.listed.listed:
        return None
    return columns(listing_line(listing.listed)) / listing.budget_chars


def _figure(name: str, value: float | None, unit: str, error: str | None = None) -> TrackedMetric:
    return TrackedMetric(
        name=name,
        value=value,
        unit=unit,
        version=1,
        direction=Direction.DECREASE,
        load_bearing=False,
        built_in=True,
        error=error,
    )
