"""Files of a run: lines that are on the disk before they count, and files whole or not at all.

A torn last line (the machine died while writing it) is left out, and cut off before the next.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO
from math import isfinite
from pathlib import Path
from typing import NoReturn, TypeVar

from skillwalker.errors import StoreError
from skillwalker.user_files import read_regular, require_regular, words_of

T = TypeVar("T")
_UNFINISHED = ".tmp"
"""Ends the name of a file that is being written."""


class RowFiles:
    """The files of one folder, open for appending.

    Args:
        folder: where they lie.
        secrets: strings that must not stand in any file; each is written as `[redacted]`.
        paid: each line is synced to the disk before it counts. What cost nothing is only handed
            to the kernel: that survives a kill -9, and a power cut loses nothing that was paid.
    """

    def __init__(self, folder: Path, *, secrets: Sequence[str] = (), paid: bool = True) -> None:
        self.folder = folder
        self._paid = paid
        self._secrets = tuple(secret for secret in secrets if secret)
        self._files: dict[str, FileIO] = {}

    def append(self, name: str, row: Mapping[str, object]) -> None:
        """Put one line on the disk.

        Raises:
            StoreError: it cannot be written.
        """
        self.extend(name, (row,))

    def extend(self, name: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Put lines on the disk, waiting for it once.

        Raises:
            StoreError: they cannot be written.
        """
        lines = b"".join(map(self._line, rows))
        try:
            stream = self._files.get(name) or self._open(name)
            _write_all(stream, lines)
            if self._paid:
                _sync(stream.fileno())
        except OSError as error:
            self._close(name)  # opened anew, the file loses the half of a line that may be there
            raise StoreError(f"cannot write {self.folder / name}: {words_of(error)}") from error

    def replace(self, name: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Write all lines of a file anew, whole or not at all.

        Raises:
            StoreError: it cannot be written.
        """
        self._close(name)  # open, it would go on with the file that is no longer there
        write_atomically(self.folder / name, b"".join(map(self._line, rows)))

    def write(self, name: str, record: Mapping[str, object]) -> Path:
        """Write a JSON file whole or not at all.

        Raises:
            StoreError: it cannot be written.
        """
        text = write_json(record, indent=2) + "\n"
        write_atomically(self.folder / name, self.redact(text.encode("utf-8", "backslashreplace")))
        return self.folder / name

    def close(self) -> None:
        """Close the files; what was appended is on disk already."""
        for name in tuple(self._files):
            self._close(name)

    def redact(self, content: bytes) -> bytes:
        """Take every secret out."""
        for secret in self._secrets:
            content = content.replace(secret.encode(), b"[redacted]")
        return content

    def _line(self, row: Mapping[str, object]) -> bytes:
        """Write a row as a line."""
        line = write_json(row, separators=(",", ":"))
        return self.redact(line.encode("utf-8", "backslashreplace")) + b"\n"

    def _open(self, name: str) -> FileIO:
        """Open a file for appending, without the torn line that a kill may have left.

        It has no buffer: what could not be written must not be tried again when it is closed.
        """
        path = self.folder / name
        _drop_torn_line(path)
        stream = path.open("ab", buffering=0)
        self._files[name] = stream
        return stream

    def _close(self, name: str) -> None:
        """Close a file if it is open; a disk that fails was told of by the write already."""
        if (stream := self._files.pop(name, None)) is not None:
            with suppress(OSError):
                stream.close()


def write_json(
    record: Mapping[str, object],
    *,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
) -> str:
    """Write a record as JSON, and only what `read_json` reads again.

    Raises:
        StoreError: a number in it is none, as infinity.
    """
    try:
        return json.dumps(
            record, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
    except ValueError as error:
        raise StoreError(f"a record cannot be written as JSON: {error}") from error


def read_rows(path: Path) -> Iterator[dict[str, object]]:
    """Read the lines of a recorded file; a torn last line is left out.

    Raises:
        StoreError: another line is no JSON object, or the file cannot be read.
    """
    if not path.exists():
        return
    try:
        require_regular(path)
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    return
                yield _row(path, number, line)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {words_of(error)}") from error


def read_each(path: Path, read: Callable[[dict[str, object]], T]) -> Iterator[T]:
    """Read the lines of a recorded file as records.

    Args:
        path: of the file; without one there are no records.
        read: makes a record of a line.

    Raises:
        StoreError: the file cannot be read, or `read` refuses a line, which is named.
    """
    for number, row in enumerate(read_rows(path), start=1):
        try:
            record = read(row)
        except StoreError as error:
            raise StoreError(f"{path}, line {number}: {error}") from error
        yield record


def read_row(path: Path) -> dict[str, object]:
    """Read a file that holds one object.

    Raises:
        StoreError: it does not, or cannot be read.
    """
    try:
        return _row(path, 1, read_regular(path))
    except OSError as error:
        raise StoreError(f"cannot read {path}: {words_of(error)}") from error


def _row(path: Path, number: int, line: bytes) -> dict[str, object]:
    """Read one line."""
    try:
        # Decoded here: json would take a line that begins with FF FE for UTF-16.
        row = read_json(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}, line {number}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise StoreError(f"{path}, line {number}: not a JSON object")
    return row


def read_json(text: str | bytes) -> object:
    """Read JSON in which every number is one that `write_json` writes.

    Raises:
        ValueError: it is no JSON, or holds NaN, an infinity or a number too large for a float.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refuse(digits)


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, and clear away what a killed writer left of it.

    Raises:
        StoreError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_UNFINISHED}")
    try:
        clear_unfinished(path.parent, path.name)
        with _open_locked(temporary) as stream:
            stream.write(content)
            stream.flush()
            _sync(stream.fileno())
            temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {words_of(error)}") from error


def clear_unfinished(folder: Path, name: str | None = None) -> None:
    """Remove what writers that were killed left in a folder; what is being written stays.

    A lock tells, not the number of the process: that is another one's in another container, or
    after a restart.

    Args:
        folder: where to look.
        name: of the file that was to be written; None means any.
    """
    of = "" if name is None else f"{name}."
    for path in tuple(folder.iterdir()) if folder.is_dir() else ():
        if not (path.name.startswith(f".{of}") and path.name.endswith(_UNFINISHED)):
            continue
        with suppress(OSError):  # its writer lives, or has just put it in its place
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)


@contextmanager
def _open_locked(temporary: Path) -> Iterator[BufferedWriter]:
    """Open a file that nobody takes for one that was left."""
    while True:
        with temporary.open("wb") as stream:
            with suppress(OSError):  # a network folder may have no locks; there nobody clears
                fcntl.flock(stream, fcntl.LOCK_EX)
            if temporary.exists():  # else cleared away before it was locked
                yield stream
                return


def _drop_torn_line(path: Path) -> None:
    """Cut what stands behind the last line end."""
    if not path.exists():
        return
    require_regular(path)
    with path.open("r+b") as stream:
        content = stream.read()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            stream.truncate(whole)


def _write_all(stream: FileIO, content: bytes) -> None:
    """Write every byte: without a buffer a write may take only some of them."""
    left = memoryview(content)
    while left:
        left = left[stream.write(left) :]


def _sync(descriptor: int) -> None:
    """Wait until the data is on the disk; where there is no fdatasync, fsync does it."""
    getattr(os, "fdatasync", os.fsync)(descriptor)
