"""Which cases does no text seem to move (pure)?"""

from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.search.protocol import History, Tally

ENOUGH_ALIKE = 2
"""Candidates that leave a case where the original left it, before it is looked into."""


def stuck_cases(history: History) -> tuple[int, ...]:
    """Name the places of the train cases that no text has moved.

    Such a case should trigger and mostly does not, two candidates or more have left it at the
    original's very rate, and none has done better.
    """
    return tuple(
        at
        for at, split in enumerate(history.cases)
        if split.set is CaseSet.TRAIN
        and split.case.should_trigger
        and _is_stuck([row[at] for row in history.tallies])
    )


def _is_stuck(tallies: list[Tally]) -> bool:
    """Whether a case has stayed where the original left it."""
    rates = [tally.correct / tally.decided if tally.decided else None for tally in tallies]
    if not rates or rates[0] is None or rates[0] >= 0.5:
        return False
    others = [rate for rate in rates[1:] if rate is not None]
    return others.count(rates[0]) >= ENOUGH_ALIKE and max(others) <= rates[0]
