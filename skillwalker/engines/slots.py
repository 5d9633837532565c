"""The folders in which local trials run: always the same paths, always empty at the start.

A slot's paths stand in the request, so they are few and the same for every run; a lock that dies
with its process keeps two runs apart, and tells which slots an earlier run left in disorder.
"""

import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from skillwalker.errors import EngineUnavailableError
from skillwalker.scratch import no_place

MAX_SLOTS = 512
_TRIES = 100
"""How often the folder of slots may go between its making and its next use."""
_Result = TypeVar("_Result")
_INHERITED = (".claude", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".mcp.json", ".git")
"""Files that Claude Code also looks for in the parents of its working folder."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One place for one trial at a time."""

    folder: Path
    lock: int
    """Descriptor of the lock file; closing it frees the slot."""

    @property
    def home(self) -> Path:
        """HOME of the trial."""
        return self.folder / "home"

    @property
    def work(self) -> Path:
        """The working folder of the trial."""
        return self.folder / "work"

    @property
    def temp(self) -> Path:
        """Where the CLI puts sockets and temporary files."""
        return self.folder / "tmp"

    @property
    def marker(self) -> str:
        """The environment variable that only this slot's processes have."""
        return f"HOME={self.home}"

    def empty(self) -> None:
        """Delete what is there."""
        _delete(self.folder)

    def lay_out(self) -> None:
        """Make the slot's folders anew.

        Raises:
            EngineUnavailableError: they cannot be made.
        """
        try:
            self.empty()
            for folder in (self.home, self.work, self.temp):
                folder.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise no_place(self.folder, error) from error

    def free(self) -> None:
        """Delete everything of the slot and let go of it."""
        with suppress(OSError):
            self.empty()
            _lock_file(self.folder).unlink()
        os.close(self.lock)


def open_root(temp_root: Path) -> Path:
    """Make the folder that holds this user's slots, and check that nobody else can use it.

    Raises:
        EngineUnavailableError: it cannot be made, others can use it, or files of its parents
            would reach the trials.
    """
    try:
        root = temp_root.resolve() / f"skillwalker-{os.getuid()}"
        _check_parents(root)
        _tried(partial(_make_root, root))
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round in a circle
        raise no_place(temp_root, error) from error
    return root


def _make_root(root: Path) -> None:
    """Make the folder of slots where it is not there, and check that it is this user's alone."""
    with suppress(FileExistsError):
        root.mkdir(mode=0o700)
    found = root.lstat()
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    if not is_ours or found.st_mode & 0o077:
        raise EngineUnavailableError(
            f"{root}: the folder for trials is open to other users; delete it, or set TMPDIR to "
            "a folder of your own"
        )


def _check_parents(root: Path) -> None:
    for folder in root.parents:
        for name in _INHERITED:
            if (folder / name).exists():
                raise EngineUnavailableError(
                    f"{folder / name}: Claude Code would find this file from every trial under "
                    f"{root}; set TMPDIR to a folder that is not below it"
                )


def claim_slots(root: Path, count: int) -> tuple[Slot, ...]:
    """Take the first free slots.

    Raises:
        EngineUnavailableError: too many are in use, or they cannot be written.
    """
    with ExitStack() as undo:
        claimed: list[Slot] = []
        for number in range(MAX_SLOTS):
            if len(claimed) == count:
                break
            try:
                slot = _claim(root / f"{number:02d}")
            except OSError as error:
                raise no_place(root, error) from error
            if slot is not None:
                claimed.append(slot)
                undo.callback(slot.free)
        if len(claimed) < count:
            raise EngineUnavailableError(
                f"{root}: all {MAX_SLOTS} places for trials are in use by other runs"
            )
        undo.pop_all()
    return tuple(claimed)


def claim_abandoned(root: Path) -> Iterator[Slot]:
    """Take, one by one, the slots that a killed run left behind."""
    for lock in sorted(root.glob("*.lock")):
        slot = None
        with suppress(OSError):
            slot = _claim(lock.with_suffix(""))
        if slot is not None:
            yield slot


def close_root(root: Path) -> None:
    """Delete the folder of slots if no run uses it any more."""
    with suppress(OSError):
        root.rmdir()


def _claim(folder: Path) -> Slot | None:
    """Take a slot; None where it is in use."""
    path = _lock_file(folder)
    lock = _tried(partial(_open_lock, path))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_current = os.fstat(lock).st_ino == path.stat().st_ino
    except OSError:
        is_current = False  # held by a run, or deleted by one that just ended
    if not is_current:
        os.close(lock)
        return None
    with suppress(OSError):  # for people to read; a full disk must not keep it from being swept
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    return Slot(folder, lock)


def _open_lock(path: Path) -> int:
    """Open a lock file in the folder of slots."""
    _make_root(path.parent)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _tried(work: Callable[[], _Result]) -> _Result:
    """Do something once more where a run that ended just then took the folder of slots along."""
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            return work()
    return work()


def _lock_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _delete(folder: Path) -> None:
    """Delete a tree, also where a tool took away the right to write."""

    def unlock(remove: Callable[[str], object], path: str, _error: object) -> None:
        with suppress(OSError):
            Path(path).parent.chmod(0o700)
            if not Path(path).is_symlink():
                Path(path).chmod(0o700)
            if remove in (os.open, os.scandir, os.lstat):
                shutil.rmtree(path, ignore_errors=True)
            else:
                remove(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=unlock)
