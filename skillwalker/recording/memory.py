"""What a run takes from the project's lock file when it begins, and leaves in it at its end."""

from pathlib import Path

from skillwalker.datatypes.summary import Summary
from skillwalker.plan import Plan
from skillwalker.recording.lock_file import Entries, merge_entries, read_lock
from skillwalker.remembering import entry_key, looks_taken, remembered


def count_looks(project: Path, plan: Plan, *, engine: str) -> int:
    """Say the how-manyth gating of its target a run is, from 1.

    Raises:
        StoreError: the lock file cannot be read.
        SuiteError: a scaffold cannot be read.
    """
    return 1 + looks_taken(read_lock(project).get(entry_key(plan, engine=engine)), plan)


def remember(project: Path, plan: Plan, summary: Summary) -> None:
    """Put what a run found into the project's lock file.

    Raises:
        StoreError: the lock file cannot be read or written.
        SuiteError: a scaffold cannot be read.
    """
    key = entry_key(plan, engine=summary.engine)

    def change(entries: Entries) -> Entries:
        new = remembered(entries.get(key), plan, summary)
        return {} if new is None else {key: new}

    merge_entries(project, change)
