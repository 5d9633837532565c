"""Improvements that earlier searches found and that were never written: they wait for `apply`."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.summary import Summary
from skillwalker.errors import StoreError
from skillwalker.overnight.decisions import SEARCHED_BEFORE
from skillwalker.paths import Places
from skillwalker.recording.edits import read_edits
from skillwalker.recording.store import list_runs, read_summary
from skillwalker.recording.summary_records import read_summary as summary_of
from skillwalker.report.next_step import WAITS, write_command
from skillwalker.targets.kind import KINDS
from skillwalker.targets.names import description_hash

Searched = tuple[EntryKey, str]
"""What a search was about: the entry, and the hash of the text that it began with."""


class Unwritten:
    """The searches that a project's runs record; they are read when one is first asked for.

    Args:
        places: the project.
    """

    def __init__(self, places: Places) -> None:
        self._places = places

    def told(self, reason: str | None, known: LockEntry | None) -> str | None:
        """Say why a target is not searched, with the command that writes what a search found.

        Args:
            reason: why it is not.
            known: what is remembered of it.
        """
        if reason != SEARCHED_BEFORE or known is None:
            return reason
        found = self._last_searches.get((known.key, known.candidate))
        if found is None or not self._waits(found):
            return reason
        command = write_command(found, self._places.said)
        return f"run {found.run_id} found {WAITS}; write it: {command}"

    def _waits(self, found: Summary) -> bool:
        """Say whether a better text was never written: one that was taken back is decided on."""
        if not found.improved or found.applied:
            return False
        try:
            return not read_edits(self._places.output_dir / found.run_id, self._places.project)
        except StoreError:
            return False

    @cached_property
    def _last_searches(self) -> dict[Searched, Summary]:
        """Find the last search of each text of each target."""
        last: dict[Searched, Summary] = {}
        for one in _searches(self._places.output_dir):
            key = EntryKey(path=one.target_path, suite=one.suite, simulated=one.simulated)
            last.setdefault((key, description_hash(one.original_description)), one)
        return last


def _searches(output_dir: Path) -> Iterator[Summary]:
    """Read how the recorded searches ended, the newest first; one that cannot be read is none."""
    names = [f"{facts.run_prefix}-summary.json" for facts in KINDS.values()]
    for run in list_runs(output_dir):
        if any((run / name).is_file() for name in names):
            try:
                yield summary_of(read_summary(run))
            except StoreError:
                continue
