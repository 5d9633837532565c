"""The runs of a step that stayed undecided, and whether the step still says anything."""

from collections import Counter
from dataclasses import dataclass
from typing import Generic, TypeVar

from skillwalker.errors import UndecidedError

J = TypeVar("J")
ROUNDING = 1e-9
"""Room for a share that is met exactly: 0.1 of 30 is 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndecidedRun(Generic[J]):
    """A run that stayed undecided."""

    job: J
    """Its last attempt."""
    reason: str
    detail: str | None
    is_old: bool
    """An earlier life of the run left it behind."""


class Misses(Generic[J]):
    """Counts what stayed undecided.

    Args:
        most: share of a step's runs that may stay so.
    """

    def __init__(self, most: float) -> None:
        self._most = most
        self._all: list[UndecidedRun[J]] = []

    def add(self, miss: UndecidedRun[J]) -> None:
        """Count a run."""
        self._all.append(miss)

    def are_too_many(self, runs: int) -> bool:
        """Say whether more than the share of so many runs is undecided."""
        return len(self._all) > self._most * runs + ROUNDING

    def take_old(self) -> tuple[J, ...]:
        """Uncount the runs that an earlier life left behind and give their last attempts."""
        old = tuple(miss.job for miss in self._all if miss.is_old)
        self._all = [miss for miss in self._all if not miss.is_old]
        return old

    def error(self, runs: int) -> UndecidedError:
        """Say how many of how many, the most frequent reason, and its first own words."""
        reasons = Counter(miss.reason for miss in self._all)
        reason = min(reasons, key=lambda word: (-reasons[word], word))
        details = (miss.detail for miss in self._all if miss.reason == reason)
        detail = next((text for text in details if text), None)
        return UndecidedError(
            f"{len(self._all)} of {runs} trials stayed undecided after a retry, and at most"
            f" {self._most:.0%} may; {reasons[reason]} of them by `{reason}`"
            + (f" ({detail})" if detail else "")
            + ". Nothing is scored from this step: remove the cause, then resume the run",
            reason,
        )
