"""What a trial left in its working folder, against what it found there.

A snapshot is taken before the trial. Afterwards every entry is offered to an `Output`, which keeps
what is new or changed: text within limits, of everything else the name and the size. Nothing
outside the folder is read: a link is named with where it points, and never followed.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO

from skillwalker.datatypes.trials import OutputFile, OutputFiles

MAX_TEXT = 5 * 2**20
"""Bytes of text that are held, of one file and of all files of a trial."""
MAX_FILES = 5_000
"""Files that are named."""
LEFT_OUT = ".git"
"""Folders of this name hold a repository's own files, which nobody wrote."""

_CHUNK = 2**16


@dataclass(frozen=True, slots=True)
class Known:
    """A file as the trial found it."""

    size: int
    mark: str
    """Hash of the bytes, or where a link points."""


Snapshot = Mapping[str, Known]
NOTHING: Snapshot = MappingProxyType({})


def snapshot(folder: Path) -> Snapshot:
    """Remember what is in a working folder.

    Raises:
        OSError: something in it cannot be read.
    """
    known: dict[str, Known] = {}
    for path, entry in _walk(folder, on_closed=_refuse):
        if entry.is_symlink():
            known[path] = Known(0, _link_mark(str(Path(entry.path).readlink())))
        elif entry.is_file(follow_symlinks=False):
            with open_inside(entry.path) as stream:
                known[path] = Known(entry.stat(follow_symlinks=False).st_size, _hash(stream))
    return known


def read_output(folder: Path, before: Snapshot) -> OutputFiles:
    """Compare a working folder, in which nothing runs any more, with what it held before."""
    output = Output(before)
    closed: list[str] = []

    def name_closed(path: str, _error: OSError) -> None:
        output.take_other(path, reason="unreadable")
        closed.append(path)

    for path, entry in _walk(folder, on_closed=name_closed):
        _offer(output, path, entry)
    fault = f"the folder {printable(closed[0])} cannot be read" if closed else None
    return output.result(fault)


class Output:
    """Takes the entries of a working folder, in order of their paths, and keeps what is new.

    Args:
        before: what the trial found.
    """

    def __init__(self, before: Snapshot) -> None:
        self._before = before
        self._seen: set[str] = set()
        self._files: list[OutputFile] = []
        self._room = MAX_TEXT
        self._is_cut = False

    def take_file(self, path: str, size: int, stream: IO[bytes]) -> None:
        """Take a regular file; it is read only as far as it may be held or must be compared."""
        self._seen.add(path)
        known = self._before.get(path)
        if size > MAX_TEXT:
            is_same = known is not None and known.size == size and known.mark == _hash(stream)
            if not is_same:
                self._keep(path, size, reason="too_large")
            return
        content = stream.read(MAX_TEXT + 1)
        if known is not None and known.mark == hashlib.sha256(content).hexdigest():
            return
        self._keep_text(path, content)

    def take_link(self, path: str, target: str) -> None:
        """Take a link; it is named and never followed."""
        self._seen.add(path)
        known = self._before.get(path)
        if known is not None and known.mark == _link_mark(target):
            return
        size = len(os.fsencode(target))
        reason = "link_out" if _leads_out(path, target) else "link"
        self._keep(path, size, reason=reason, link=printable(target))

    def take_other(self, path: str, reason: str = "special") -> None:
        """Take what is neither file nor link, or cannot be read."""
        self._seen.add(path)
        self._keep(path, 0, reason=reason)

    def result(self, fault: str | None = None) -> OutputFiles:
        """Give what was new, and what is gone.

        Args:
            fault: why not every entry was offered; nothing is called deleted then.
        """
        if fault is None and self._is_cut:
            fault = f"more than {MAX_FILES} files; the others are not listed"
        gone = () if fault else sorted(self._before.keys() - self._seen)
        deleted = (
            OutputFile(path=printable(path), size=0, text=None, reason="deleted") for path in gone
        )
        files = sorted((*self._files, *deleted), key=lambda file: file.path)
        return OutputFiles(files=tuple(files), fault=fault)

    def _keep_text(self, path: str, content: bytes) -> None:
        """Keep a file that may be text."""
        text = _as_text(content)
        if text is None:
            self._keep(path, len(content), reason="binary")
        elif len(content) > self._room:
            self._keep(path, len(content), reason="total_limit")
        else:
            self._room -= len(content)
            self._keep(path, len(content), text=text)

    def _keep(
        self,
        path: str,
        size: int,
        *,
        text: str | None = None,
        reason: str | None = None,
        link: str | None = None,
    ) -> None:
        """Put a file on the list while there is room."""
        if len(self._files) >= MAX_FILES:
            self._is_cut = True
            return
        file = OutputFile(path=printable(path), size=size, text=text, reason=reason, link=link)
        self._files.append(file)


def printable(name: str) -> str:
    """Write a name that is no UTF-8 so that it can stand in a record."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def open_inside(path: str | Path) -> IO[bytes]:
    """Open a regular file; a link is refused and a pipe is not waited for.

    Raises:
        OSError: it is neither, or cannot be read.
    """
    return open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # noqa: PTH123 (a descriptor)


def _refuse(_path: str, error: OSError) -> None:
    raise error


def _walk(
    folder: Path, *, on_closed: Callable[[str, OSError], None]
) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Yield every entry that is no folder, in a fixed order; no link is followed.

    Args:
        folder: where to begin.
        on_closed: is told of a folder that cannot be read.
    """
    waiting = [("", str(folder))]
    while waiting:
        prefix, place = waiting.pop()
        try:
            with os.scandir(place) as scanned:
                entries = sorted(scanned, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            on_closed(prefix.removesuffix("/"), error)
            continue
        inner: list[tuple[str, str]] = []
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield prefix + entry.name, entry
            elif entry.name != LEFT_OUT:
                inner.append((f"{prefix}{entry.name}/", entry.path))
        waiting += reversed(inner)


def _offer(output: Output, path: str, entry: "os.DirEntry[str]") -> None:
    """Offer one entry of a folder on this machine."""
    try:
        if entry.is_symlink():
            output.take_link(path, str(Path(entry.path).readlink()))
        elif entry.is_file(follow_symlinks=False):
            with open_inside(entry.path) as stream:
                output.take_file(path, os.fstat(stream.fileno()).st_size, stream)
        else:
            output.take_other(path)
    except OSError:
        output.take_other(path, reason="unreadable")


def _hash(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _link_mark(target: str) -> str:
    return f"link to {printable(target)}"


def _as_text(content: bytes) -> str | None:
    """Read bytes as text; None where they are none."""
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _leads_out(path: str, target: str) -> bool:
    """Say whether a link points out of the folder, by its words alone."""
    if target.startswith("/"):
        return True
    depth = len(PurePosixPath(path).parts) - 1
    for part in PurePosixPath(target).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False


def is_safe_name(path: str) -> bool:
    """Say whether a name of an archive stays inside the folder that it was made of."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and ".." not in parts and "\0" not in path
