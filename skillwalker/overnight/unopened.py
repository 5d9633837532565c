"""A night for which no engine could be opened: nothing was measured, and why."""

from pathlib import Path

from skillwalker.datatypes.nights import BrokenSuite, NightSummary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import EngineUnavailableError
from skillwalker.overnight.journal import NightJournal, NightTask
from skillwalker.overnight.living import choose_entries
from skillwalker.overnight.results import TargetProgress, reason_of, target_row
from skillwalker.overnight.summary import write_night
from skillwalker.paths import Places


def record_unopened(
    task: NightTask, places: Places, folder: Path, error: EngineUnavailableError
) -> NightSummary:
    """Record a night that could not begin, so that it can be resumed once there is an engine.

    Args:
        task: what was asked.
        places: of the project.
        folder: of the night, new.
        error: why no trial can run.

    Raises:
        StoreError: it cannot be recorded.
        SuiteError: the suites' folder cannot be read.
    """
    entries, broken = choose_entries(task, places)
    journal = NightJournal(folder)
    try:
        journal.begin(task)
    finally:
        journal.close()
    rows = [TargetProgress(entry=entry) for entry in entries]
    for row in rows:
        row.fail(reason_of(error), error.exit_code)
    summary = NightSummary(
        night_id=folder.name,
        engine=task.template.engine,
        simulated=False,
        cli_version="",
        shard=None if task.shard is None else f"{task.shard[0]}/{task.shard[1]}",
        stopped_because=StopReason.PREFLIGHT.value,
        targets=tuple(target_row(row) for row in rows),
        broken=tuple(BrokenSuite(suite=one.suite, reason=reason_of(one.reason)) for one in broken),
    )
    write_night(folder, summary, {})
    return summary
