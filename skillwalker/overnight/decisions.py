"""What a night does with a target, from what is remembered of it (pure)."""

from collections.abc import Mapping
from typing import TypeVar

from skillwalker.datatypes.lock_entries import AppliedChange, LockEntry

GOOD_ENOUGH = 0.9
"""Balanced accuracy from which on a search is not worth its trials.

Source: in the simulation behind the defaults a description that starts at 0.86 gains 2 to 3 points
for 300 calls, one that starts at 0.76 about 6.
"""

SEARCHED_BEFORE = (
    "a search of these cases and texts came to its end before; change a case or a text"
)

Key = TypeVar("Key")


def is_stale(entry: LockEntry | None, fingerprint: str) -> bool:
    """Say whether the recorded rates no longer speak of what is there."""
    return entry is None or entry.rates is None or entry.fingerprint != fingerprint


def change_to_recheck(entry: LockEntry | None, text: str) -> AppliedChange | None:
    """Give the improvement of an earlier night that is to be held against what it replaced.

    Args:
        entry: what is remembered of the target.
        text: the description that its file holds now.
    """
    change = None if entry is None else entry.applied
    if change is None or change.rechecked or change.description != text:
        return None
    return change


def reason_not_to_tune(entry: LockEntry | None, fingerprint: str) -> str | None:
    """Say why a target is not worth a search; None when it is.

    Args:
        entry: with the rates of now.
        fingerprint: of what a search depends on now; see `fingerprint.search_fingerprint`.
    """
    rate = None if entry is None or entry.rates is None else entry.rates.balanced
    if entry is None or rate is None or rate.rate is None:
        return "there is no balanced rate: the suite needs cases that should trigger and others"
    if rate.rate >= GOOD_ENOUGH:
        return f"balanced accuracy is {rate.rate:.2f}, and {GOOD_ENOUGH:g} is good enough"
    if entry.tuned == fingerprint:
        return SEARCHED_BEFORE
    return None


def by_need(entries: Mapping[Key, LockEntry]) -> tuple[Key, ...]:
    """Order targets by what a search may do for them: the lowest rate first.

    Of equal rates the one that is surer comes first, then the order that they came in.
    """

    def need(key: Key) -> tuple[float, float]:
        rates = entries[key].rates
        rate = None if rates is None else rates.balanced
        if rate is None or rate.rate is None or rate.high is None:
            return 1.0, 1.0
        return rate.rate, rate.high

    return tuple(sorted(entries, key=need))
