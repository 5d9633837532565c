"""What a write outside of a run, by `apply` or `undo`, leaves in skillwalker.lock."""

from dataclasses import replace
from pathlib import Path

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import Stage
from skillwalker.overnight.journal import read_task
from skillwalker.overnight.night import order_of
from skillwalker.overnight.standing import Claude, look_at
from skillwalker.overnight.summary import read_night
from skillwalker.paths import Places
from skillwalker.plan import Plan
from skillwalker.recording.frozen import read_frozen
from skillwalker.recording.lock_file import Entries, merge_entries, read_lock
from skillwalker.recording.store import PLAN
from skillwalker.remembering import entry_key, undone_later, written_later
from skillwalker.user_files import real_path


def note_applied(places: Places, run: Path, *, replaced: str, text: str) -> None:
    """Remember that a recorded run's best text was written after all.

    Args:
        places: the project.
        run: folder of the run.
        replaced: the description that the file held before.
        text: that it holds now.

    Raises:
        StoreError: the run's record or the lock file cannot be read or written.
        SuiteError: the run's suite is gone or wrong.
        TargetError: the target is.
    """
    plan, engine, simulated = _plan_of_run(run, places)
    before = replace(plan, target=replace(plan.target, description=replaced))
    key = entry_key(plan, simulated=simulated)

    def change(entries: Entries) -> Entries:
        known = entries.get(key)
        return {key: written_later(known, before, text, key=key, engine=engine, run_id=run.name)}

    merge_entries(places.project, change)


def note_undone(places: Places, folder: Path, path: Path) -> None:
    """Remember that what a run, or a merged night, had written was taken back.

    Args:
        places: the project.
        folder: of the run or night.
        path: of the file that was put back.

    Raises:
        StoreError: the record of the run or the lock file cannot be read or written.
        SuiteError: the suite is gone or wrong.
        TargetError: the target is.
    """
    changed = {
        key: undone_later(entry, _plan_behind(folder, key, entry, places))
        for key, entry in read_lock(places.project).items()
        if entry.applied is not None
        and entry.applied.run_id == folder.name
        and real_path(places.project / key.path) == path.resolve()
    }
    if changed:
        merge_entries(places.project, lambda _entries: changed)


def _plan_behind(folder: Path, key: EntryKey, entry: LockEntry, places: Places) -> Plan:
    """Resolve a target as the run or night did that wrote it."""
    if (folder / PLAN).is_file():
        return _plan_of_run(folder, places)[0]
    task = read_task(folder)
    claude = Claude(
        cli_version=read_night(folder).cli_version,
        simulated=key.simulated,
        listing_budget=task.listing_budget,
    )
    row = CatalogueEntry(path=key.path, suite=key.suite, kind=entry.kind, target=entry.target)
    return look_at(order_of(task, row, Stage.MEASURE), places, claude, {}).plan


def _plan_of_run(run: Path, places: Places) -> tuple[Plan, str, bool]:
    """Resolve what a recorded run was about, as things are now.

    Returns:
        The plan, the run's engine, and whether it was simulated.
    """
    record, order = read_frozen(run)
    facts = record.get("facts") or {}
    simulated = facts.get("simulated", order.engine == "simulated") is True
    claude = Claude(
        cli_version=str(facts.get("cli_version", "")),
        simulated=simulated,
        listing_budget=record.get("listing_budget"),
    )
    return look_at(order, places, claude, {}).plan, order.engine, simulated
