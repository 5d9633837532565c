"""A night from its journal to its summary; a later life of it goes on where it ended."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from skillwalker.catalogue import Broken, CatalogueEntry, of_shard, read_catalogue
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import BrokenSuite, NightSummary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import StoreError
from skillwalker.limits import Limits
from skillwalker.overnight.begun import count_begun, count_finished
from skillwalker.overnight.journal import NightJournal, NightTask
from skillwalker.overnight.night import Night, NightTools
from skillwalker.overnight.results import reason_of
from skillwalker.overnight.summary import DONE, write_night
from skillwalker.paths import Places
from skillwalker.recording.lock_file import read_lock


def choose_entries(
    task: NightTask, places: Places
) -> tuple[tuple[CatalogueEntry, ...], tuple[Broken, ...]]:
    """List what a night is about, and the suites that it cannot read.

    Raises:
        SuiteError: the suites' folder cannot be read.
    """
    found = read_catalogue(places, suite=task.suite)
    if task.shard is None:
        return found.entries, found.broken
    return of_shard(found.entries, *task.shard), found.broken


async def live_night(task: NightTask, tools: NightTools, folder: Path) -> NightSummary:
    """Live a night, or go on with one, and write its summary.

    Args:
        task: what is asked.
        tools: what it works with.
        folder: of the night; what an earlier life left in it is not done again.

    Raises:
        StoreError: the night cannot be recorded, or its record cannot be read; or it was
            simulated and would not be now, or the other way round.
        SuiteError: the suites' folder cannot be read.
    """
    _require_alike(task, simulated=tools.claude.simulated, night_id=folder.name)
    entries, broken = choose_entries(task, tools.places)
    journal = NightJournal(folder)
    try:
        if not journal.was_begun:
            journal.begin(replace(task, simulated=tools.claude.simulated))
        output_dir = tools.places.output_dir
        for result in journal.finished():
            count_finished(tools.limits, result, output_dir)
        counted = count_begun(tools.limits, (output_dir / one for one in journal.unfinished()))
        night = Night(task, tools, journal, counted)
        targets = await night.run(entries)
    finally:
        journal.close()
    summary = NightSummary(
        night_id=folder.name,
        engine=task.template.engine,
        simulated=tools.claude.simulated,
        cli_version=tools.claude.cli_version,
        shard=None if task.shard is None else f"{task.shard[0]}/{task.shard[1]}",
        stopped_because=_why_it_stopped(tools.limits, was_cut=night.was_cut),
        limit=night.limit if night.was_cut else None,
        refused_usd=night.refused_usd if night.was_cut else None,
        targets=targets,
        broken=tuple(BrokenSuite(suite=one.suite, reason=reason_of(one.reason)) for one in broken),
    )
    write_night(folder, summary, _own(summary, read_lock(tools.places.project)))
    return summary


def _require_alike(task: NightTask, *, simulated: bool, night_id: str) -> None:
    """Refuse to put simulated results and real ones into one night.

    Raises:
        StoreError: an earlier life was simulated and this one is not, or the other way round.
    """
    if task.simulated in {None, simulated}:
        return
    was, now = "simulated", "a model would answer now"
    if simulated:
        was, now = "not simulated", "no model would answer now"
    raise StoreError(
        f"night {night_id} was {was}, and {now}; such results are never put together: set the"
        " endpoint back (ANTHROPIC_BASE_URL), or begin a new night"
    )


def _why_it_stopped(limits: Limits, *, was_cut: bool) -> str:
    """Say which limit ended the night; done where every target had its turn."""
    if limits.interrupted:
        return StopReason.INTERRUPTED.value
    if not was_cut:
        return DONE
    # A call that is dearer than what is left may have ended it although another one might start.
    return (limits.reached() or StopReason.BUDGET).value


def _own(summary: NightSummary, entries: Mapping[EntryKey, LockEntry]) -> dict[EntryKey, LockEntry]:
    """Choose what the lock file holds of the night's targets, so that another machine can know."""
    keys = {
        EntryKey(path=target.path, suite=target.suite, simulated=summary.simulated)
        for target in summary.targets
    }
    return {key: entry for key, entry in entries.items() if key in keys}
