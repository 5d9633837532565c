"""How a target stands: what is remembered of it, and what that depends on now."""

from collections.abc import Mapping
from dataclasses import dataclass

from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.fingerprint import search_fingerprint, target_fingerprint
from skillwalker.overnight.decisions import is_stale
from skillwalker.paths import Places
from skillwalker.plan import Order, Plan, for_version, plan_order
from skillwalker.remembering import entry_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Claude:
    """The Claude Code that runs the trials, as far as rates depend on it."""

    cli_version: str
    simulated: bool
    """Whether no model answers it."""
    listing_budget: int | None = None
    """Columns in place of its own budget (`--listing roomy`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetStanding:
    """One target with one suite, as it is now."""

    plan: Plan
    key: EntryKey
    known: LockEntry | None
    fingerprint: str
    """Of all that its rates depend on."""
    searchable: str
    """Of all that a search depends on."""

    @property
    def is_stale(self) -> bool:
        """Whether the remembered rates no longer speak of what is there."""
        return is_stale(self.known, self.fingerprint)


def look_at(
    order: Order, places: Places, claude: Claude, entries: Mapping[EntryKey, LockEntry]
) -> TargetStanding:
    """Resolve a target as its run would, and hold it against what is remembered.

    Args:
        order: of the run.
        places: the project.
        claude: what would run the trials.
        entries: of the project's lock file.

    Raises:
        SuiteError: as of `plan.prepare`; or a scaffold cannot be read.
        TargetError: as of `plan.prepare`.
    """
    plan = plan_order(order, places, listing_budget=claude.listing_budget)
    plan = for_version(plan, claude.cli_version)
    key = entry_key(plan, simulated=claude.simulated)
    return TargetStanding(
        plan=plan,
        key=key,
        known=entries.get(key),
        fingerprint=target_fingerprint(plan, engine=order.engine),
        searchable=search_fingerprint(plan, engine=order.engine),
    )
