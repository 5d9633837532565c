"""skillwalker.lock: what a project remembers of its targets, in a file to be committed.

Entries are sorted and written one key a line, so that two branches that measured different
targets merge. Simulated entries stand beside real ones and are marked.
"""

import dataclasses
import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pydantic

from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.errors import StoreError, TargetError
from skillwalker.faults import place, shown
from skillwalker.recording.records import check_version
from skillwalker.recording.rows import read_json, write_json
from skillwalker.targets.file_swap import swap_bytes
from skillwalker.user_files import read_regular, words_of

LOCK_FILE = "skillwalker.lock"
SCHEMA_VERSION = 1
DIGITS = 4
ATTEMPTS = 20
"""Tries against other processes that write the file at the same moment."""

_ENTRY = pydantic.TypeAdapter(LockEntry)
_CONFLICT = re.compile(rb"^(<{7}|>{7})( |$)", re.MULTILINE)
_KEYS = tuple(field.name for field in dataclasses.fields(EntryKey))

Entries = Mapping[EntryKey, LockEntry]


def read_lock(project: Path) -> dict[EntryKey, LockEntry]:
    """Read what is remembered; nothing where there is no file.

    Raises:
        StoreError: the file is broken or a newer Skillwalker wrote it.
    """
    return parse_lock(project / LOCK_FILE, _bytes(project / LOCK_FILE))


def merge_entries(project: Path, change: Callable[[Entries], Entries]) -> None:
    """Change some entries, whatever other processes change at the same time.

    Args:
        project: the project's folder.
        change: is given all entries and gives those that change; may be called more than once.

    Raises:
        StoreError: the file is broken, newer, or cannot be written.
    """
    path = project / LOCK_FILE
    reason = ""
    for _ in range(ATTEMPTS):
        old = _bytes(path)
        entries = parse_lock(path, old)
        changed = change(entries)
        new = write_entries({**entries, **changed})
        if not changed or new == old:
            return
        _require_writable(path, old)
        try:
            swap_bytes(path, old=old, new=new, check=lambda _content: None)
        except TargetError as error:
            reason = str(error)
            if _bytes(path) == old:
                break
        else:
            return
    raise StoreError(f"{path} cannot be written: {reason}")


def _require_writable(path: Path, old: bytes | None) -> None:
    """Leave a file alone that its owner made read-only, even where root could write it.

    Raises:
        StoreError: it is.
    """
    if old is not None and path.exists() and not path.stat().st_mode & stat.S_IWUSR:
        raise StoreError(f"{path} is read-only, and stays as it is; 'chmod u+w' allows it")


def write_entries(entries: Entries) -> bytes:
    """Write the whole file.

    Raises:
        StoreError: a number in it is none, as infinity.
    """
    rows = [_row(entries[key]) for key in sorted(entries)]
    record = {"schema_version": SCHEMA_VERSION, "targets": rows}
    text = write_json(record, indent=1) + "\n"
    return text.encode("utf-8", "backslashreplace")


def _row(entry: LockEntry) -> dict[str, object]:
    """Make an entry's object, its key first; more digits than say something are noise in a diff."""
    values: dict[str, Any] = dataclasses.asdict(entry, dict_factory=_rounded)
    return {**values.pop("key"), **values}


def _rounded(items: list[tuple[str, object]]) -> dict[str, object]:
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value for name, value in items
    }


def _bytes(path: Path) -> bytes | None:
    try:
        return read_regular(path) if path.exists() else None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {words_of(error)}") from error


def parse_lock(path: Path, content: bytes | None) -> dict[EntryKey, LockEntry]:
    """Read the entries in a file's content; none where there is no file.

    Args:
        path: for messages.
        content: of the file.

    Raises:
        StoreError: it is broken, or a newer Skillwalker wrote it.
    """
    if content is None:
        return {}
    try:
        record = read_json(content)
        if not isinstance(record, dict):
            raise TypeError("it is no JSON object")
        check_version(record, LOCK_FILE)
        entries = [_entry(at, row) for at, row in enumerate(_rows(record))]
    except (ValueError, TypeError, RecursionError) as error:
        if _CONFLICT.search(content):
            raise StoreError(
                f"{path} holds git conflict markers; resolve them (each entry stands alone) or"
                " remove the file: then every target counts as never measured"
            ) from error
        reason = str(error).splitlines()[0]
        raise StoreError(
            f"{path} cannot be read ({reason}); restore it from git, or remove it: then every"
            " target counts as never measured"
        ) from error
    return {entry.key: entry for entry in entries}


def _rows(record: Mapping[str, object]) -> list[object]:
    """Take the entries' objects out of the whole.

    Raises:
        TypeError: there is no list of them.
    """
    if "targets" not in record:
        raise TypeError(f"{place(('targets',))} is missing")
    rows = record["targets"]
    if not isinstance(rows, list):
        raise TypeError(f"{place(('targets',))} must be a list, not {shown(rows)}")
    return rows


def _entry(at: int, row: object) -> LockEntry:
    """Read an entry's object.

    Raises:
        TypeError: it is none, or something in it is missing or of another type.
    """
    if not isinstance(row, dict):
        raise TypeError(f"{place(('targets', at))} must be an object, not {shown(row)}")
    for name in _KEYS:
        if name not in row:
            raise TypeError(f"{place(('targets', at, name))} is missing")
    key = {name: row[name] for name in _KEYS}
    rest = {name: value for name, value in row.items() if name not in _KEYS}
    try:
        return _ENTRY.validate_python({**rest, "key": key})
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        loc = first["loc"][1:] if first["loc"][:1] == ("key",) else first["loc"]
        raise TypeError(f"{place(('targets', at, *loc))}: {first['msg']}") from error
