"""What a night intends to do with its targets, and what that may take."""

from dataclasses import dataclass

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.nights import Stage
from skillwalker.estimate.worst_case import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One run that a night may do."""

    stage: Stage
    condition: str | None
    """On what it depends, as a clause; None for what is certain."""
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Intention:
    """What a night would do with one target."""

    entry: CatalogueEntry
    work: tuple[Work, ...] = ()
    reason: str | None = None
    """Why nothing is done, or what is wrong with it."""
    is_faulty: bool = False
