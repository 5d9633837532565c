"""Money, time and the cache in words (pure)."""

from skillwalker.budget.moments import clock_time, say_span
from skillwalker.datatypes.summary import Forecast, Summary
from skillwalker.report.wording import percent

ENOUGH_CACHED = 0.6
"""Share of prompts from the cache under which something is amiss."""


def cache_share(summary: Summary) -> float | None:
    """Give the share of the trials' prompts that the cache gave; None when it is not known."""
    return next((total.cache_share for name, total in summary.usage if name == "trial"), None)


def cached(summary: Summary) -> str | None:
    """Say how much of the trials' prompts the cache gave, as a warning where it is little.

    Returns:
        None when nothing is known of it; a simulated endpoint has no cache.
    """
    share = cache_share(summary)
    if share is None or summary.simulated:
        return None
    text = f"{percent(share)} of the trials' prompts came from the cache"
    if share >= ENOUGH_CACHED:
        return text
    return (
        f"warning: only {text}, {percent(ENOUGH_CACHED)} is usual: they cost more than they must;"
        " trials that follow one another closely share more"
    )


def paused(until: float) -> str:
    """Say until when a rate limit lets nothing start."""
    return f"rate limit: nothing starts before {clock_time(until)}; no trial is lost"


def forecast(expected: Forecast) -> str:
    """Say what is left at the most."""
    cost = "" if expected.cost_usd is None else f", ${expected.cost_usd:.2f}"
    parts = [f"at most {expected.trials} more{cost}"]
    parts += [say_span(expected.seconds)] if expected.seconds >= 1 else []
    return f"by the trials so far, {' and '.join(parts)} are left"


def left(expected: Forecast) -> str:
    """Say behind a bar what is left at the most; nothing where nothing is."""
    parts = [] if not expected.cost_usd else [f"${expected.cost_usd:.2f}"]
    parts += [say_span(expected.seconds)] if expected.seconds >= 1 else []
    return f"at most {' and '.join(parts)} left" if parts and expected.trials else ""
