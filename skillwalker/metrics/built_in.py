"""What is tracked beside every candidate without being declared (pure).

These are figures to look at: they decide nothing, and enter no other number.
"""

from collections.abc import Iterable

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.metrics import Direction, TrackedMetric
from skillwalker.datatypes.scores import CaseResult, sum_usage
from skillwalker.datatypes.trials import Usage
from skillwalker.listing.listed import listing_line
from skillwalker.listing.shown_text import columns

LENGTH, SHARE = "description_chars", "listing_share"
TOKENS, COST = "trial_tokens", "trial_cost_usd"
BUILT_IN_NAMES = frozenset({LENGTH, SHARE, TOKENS, COST})


def track_text(description: str, listing: ListingPlace | None) -> tuple[TrackedMetric, ...]:
    """Give a candidate's length and its share of the listing's budget.

    Args:
        description: the candidate.
        listing: its place in the listing; None, or a place without a budget, gives no share.
    """
    length = len(description.encode("utf-16-le", "surrogatepass")) // 2
    return (
        _figure(LENGTH, float(length), "chars"),
        _figure(SHARE, _share(listing), "of the budget"),
    )


def track_trials(usages: Iterable[Usage]) -> tuple[TrackedMetric, ...]:
    """Give the mean tokens and cost of a candidate's trials.

    Means, since two candidates seldom have the same number of trials.

    Args:
        usages: those of its trials.
    """
    spent = sum_usage(usages)
    tokens = (
        spent.input_tokens
        + spent.output_tokens
        + spent.cache_read_tokens
        + spent.cache_write_tokens
    )
    if not spent.calls:
        return (_figure(TOKENS, None, "a trial"), _figure(COST, None, "USD a trial"))
    cost, error = spent.cost_usd / spent.calls, None
    if spent.cost_unknown_calls:
        trials = (
            "1 trial" if spent.cost_unknown_calls == 1 else f"{spent.cost_unknown_calls} trials"
        )
        error = f"the cost of {trials} is unknown"
    return (
        _figure(TOKENS, tokens / spent.calls, "a trial"),
        _figure(COST, None if error else cost, "USD a trial", error),
    )


def track_results(results: Iterable[CaseResult]) -> tuple[TrackedMetric, ...]:
    """Give the mean tokens and cost of the trials that a rate is made of."""
    return track_trials(trial.usage for result in results for trial in result.trials)


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
