"""What a project keeps about its metrics, a JSON object a line: runs, calibrations, registrations.

A line is on the disk before it counts. A torn line (the machine died while writing it) is left out
and named; a line of a newer Skillwalker is refused.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from skillwalker.errors import StoreError
from skillwalker.user_files import read_regular

SCHEMA_VERSION = 1
METRICS_DIR = "metrics"
HISTORY, CALIBRATIONS, REGISTRY = "history.jsonl", "calibrations.jsonl", "registry.jsonl"

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The lines of a file."""

    rows: tuple[Row, ...] = ()
    left_out: tuple[str, ...] = ()
    """A sentence for each line that could not be read."""


def read_rows(project: Path, name: str) -> Rows:
    """Read one of the files under `metrics/`; one that is not there is empty.

    Raises:
        StoreError: it cannot be read, or a newer Skillwalker wrote it.
    """
    path = project / METRICS_DIR / name
    try:
        content = read_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        return Rows()
    except OSError as error:
        raise StoreError(
            f"{METRICS_DIR}/{name} cannot be read ({error.strerror}); check its permissions"
        ) from error
    rows: list[Row] = []
    left_out: list[str] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        row = _read(line) if line.strip() else None
        where = f"{METRICS_DIR}/{name}: line {number}"
        if row is not None:
            rows.append(_checked(row, where))
        elif line.strip():
            left_out.append(f"{where} is torn and was left out; remove it")
    return Rows(rows=tuple(rows), left_out=tuple(left_out))


def append_row(project: Path, name: str, row: Row) -> None:
    """Put one line on the disk, behind what others wrote; makes `metrics/` when it is missing.

    Raises:
        StoreError: it cannot be written.
    """
    path = project / METRICS_DIR / name
    record = {"schema_version": SCHEMA_VERSION, **row}
    line = json.dumps(record, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        with os.fdopen(descriptor, "r+b", buffering=0) as stream:
            with contextlib.suppress(OSError):  # a network folder may have no locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            stream.write(_gap(descriptor) + line + b"\n")
            os.fsync(descriptor)
    except OSError as error:
        raise StoreError(
            f"{METRICS_DIR}/{name} cannot be written ({error.strerror}); see that the project's "
            "folder is writable and its disk not full"
        ) from error


def _gap(descriptor: int) -> bytes:
    """End a torn last line, so that it does not swallow the next."""
    size = os.fstat(descriptor).st_size
    return b"" if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def _read(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _checked(row: Row, where: str) -> Row:
    version = row.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{where} has schema_version {version!r}, this Skillwalker reads {SCHEMA_VERSION}; "
            "use the version that wrote it, or a newer one"
        )
    return row
