"""The parts of a night put together in one checkout: summary, lock file, and descriptions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import NightSummary, NightTarget, Stage
from skillwalker.errors import SkillwalkerError, StoreError, TargetError
from skillwalker.overnight.journal import NightJournal, NightTask, read_task
from skillwalker.overnight.night import order_of
from skillwalker.overnight.results import reason_of
from skillwalker.overnight.standing import Claude, look_at
from skillwalker.overnight.summary import (
    merge_nights,
    night_folder,
    read_entries,
    read_night,
    write_night,
)
from skillwalker.paths import Places
from skillwalker.recording.edits import write_recorded
from skillwalker.recording.lock_file import merge_entries
from skillwalker.remembering import written_later
from skillwalker.targets.names import description_hash, resolve_target

CHANGED = "its description changed since it was measured; nothing was written"
FAULT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What is to be put together."""

    parts: tuple[Path, ...]
    """Folders of the nights, or output folders with one."""
    apply: bool
    """Write the improved descriptions into this checkout."""
    allow_simulated: bool = False
    """Write even those that were only simulated."""
    began: Callable[[], Path]
    """Makes the folder of the merged night."""


def merge_into(merge: Merge, places: Places) -> tuple[NightSummary, Path]:
    """Put the parts of a night together in this checkout.

    The parts' entries go into its lock file, but one that speaks of the text that is here stays
    before one that does not. A target whose description is another one here than it was there is
    not written.

    Args:
        merge: what is to be put together.
        places: the project.

    Returns:
        The merged summary and its folder, which holds what `undo` needs.

    Raises:
        StoreError: a part cannot be read, or they do not belong together; nothing was changed.
    """
    parts = [(part, read_night(part)) for part in part_folders(merge.parts)]
    _require_each_once(merge.parts)
    merge_nights("", [night for _, night in parts])  # refuses before anything is changed
    entries: dict[EntryKey, LockEntry] = {}
    for part, _ in parts:
        entries |= read_entries(part)
    task = read_task(night_folder(parts[0][0]))
    folder = merge.began()
    journal = NightJournal(folder)
    journal.begin(replace(task, shard=None))
    journal.close()
    summary = merge_nights(folder.name, [night for _, night in parts])
    if merge.apply and (merge.allow_simulated or not summary.simulated):
        writer = _Writer(places=places, folder=folder, task=task)
        summary = writer.write_all(summary, entries)
    merge_entries(places.project, lambda known: _winning(entries, known, places))
    write_night(folder, summary, entries)
    return summary, folder


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Writes improved descriptions into this checkout."""

    places: Places
    folder: Path
    """Of the merged night."""
    task: NightTask
    """That the parts were asked."""

    def write_all(self, summary: NightSummary, entries: dict[EntryKey, LockEntry]) -> NightSummary:
        """Write each improved description, and say in row and entry what became of it."""
        rows: list[NightTarget] = []
        for target in summary.targets:
            key = EntryKey(path=target.path, suite=target.suite, simulated=summary.simulated)
            entry = entries.get(key)
            if target.description is None or entry is None:
                rows.append(target)
                continue
            try:
                entries[key] = self._write(target, target.description, entry, summary)
                rows.append(replace(target, applied=True, after=target.found or target.after))
            except SkillwalkerError as error:
                rows.append(
                    replace(target, applied=False, reason=reason_of(error), exit_code=FAULT)
                )
        return replace(summary, targets=tuple(rows))

    def _write(
        self, target: NightTarget, text: str, entry: LockEntry, summary: NightSummary
    ) -> LockEntry:
        """Write a description into this checkout and give the entry that holds then.

        Raises:
            TargetError: the file holds another description than it did, or cannot be written.
            StoreError: the write cannot be recorded.
        """
        found = resolve_target(target.path, target.kind, self.places)
        if found.description == text:
            return entry
        there = entry.applied if target.applied else None
        was = entry.candidate if there is None else description_hash(there.replaced)
        if description_hash(found.description) != was:
            raise TargetError(f"{target.path}: {CHANGED}")
        row = CatalogueEntry(
            path=target.path, suite=target.suite, kind=target.kind, target=target.target
        )
        order = order_of(self.task, row, Stage.MEASURE)
        claude = Claude(
            cli_version=summary.cli_version,
            simulated=summary.simulated,
            listing_budget=self.task.listing_budget,
        )
        plan = look_at(order, self.places, claude, {}).plan
        write_recorded(self.folder, found, text, project=self.places.project)
        if there is not None:
            return replace(entry, applied=replace(there, run_id=self.folder.name))
        return written_later(
            entry, plan, text, key=entry.key, engine=summary.engine, run_id=self.folder.name
        )


def _winning(
    new: Mapping[EntryKey, LockEntry], known: Mapping[EntryKey, LockEntry], places: Places
) -> dict[EntryKey, LockEntry]:
    """Choose the entries of the parts that replace what is remembered here."""
    return {
        key: entry
        for key, entry in new.items()
        if key not in known
        or known[key].candidate == entry.candidate
        or known[key].candidate != _text_here(entry, places)
    }


def _text_here(entry: LockEntry, places: Places) -> str | None:
    """Give the hash of the description that a target's file holds; None where it has none."""
    try:
        return description_hash(resolve_target(entry.key.path, entry.kind, places).description)
    except SkillwalkerError:
        return None


def _require_each_once(parts: Sequence[Path]) -> None:
    """Refuse a night that is named twice, perhaps by its own folder and by the one above.

    Raises:
        StoreError: one is.
    """
    seen: dict[Path, Path] = {}
    for part in parts:
        real = night_folder(part).resolve()
        if real in seen:
            raise StoreError(f"--merge: {seen[real]} and {part} are one night; name each once")
        seen[real] = part


def part_folders(parts: Sequence[Path]) -> tuple[Path, ...]:
    """Check that every part is a folder.

    Raises:
        StoreError: one is not.
    """
    if not parts:
        raise StoreError("--merge takes the folders of the nights, as: overnight --merge a b c")
    missing = [str(part) for part in parts if not part.is_dir()]
    if missing:
        raise StoreError(f"--merge: there is no folder {', '.join(missing)}")
    return tuple(parts)
