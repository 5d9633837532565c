"""One run at a time on a target, and one night in a project.

A lock dies with its process, even with one that was killed.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.errors import BusyError, StoreError
from skillwalker.user_files import read_regular, words_of

NIGHT_LOCK = ".overnight.lock"


class Lock:
    """A lock that this process holds.

    Args:
        descriptor: of the open, locked file.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.name_run(None)

    def name_run(self, run_id: str | None) -> None:
        """Say which run holds the lock, for whoever meets it."""
        holder = json.dumps({"pid": os.getpid(), "run_id": run_id}).encode("ascii") + b"\n"
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, holder, 0)


@contextmanager
def locked_target(output_dir: Path, target: Target) -> Iterator[Lock]:
    """Hold the lock of a target; the kernel lets it go when the process ends, however it ends.

    Args:
        output_dir: where runs lie; made when missing.
        target: whose file counts, whatever way it was written.

    Raises:
        BusyError: another run holds it (the message names its process and run).
        StoreError: there can be no lock in that folder.
    """
    file = os.fsencode(target.path.resolve())
    path = output_dir / f".{hashlib.sha256(file).hexdigest()[:16]}.lock"
    with _locked(path, what=target.id, holder=_measures) as lock:
        yield lock


@contextmanager
def locked_night(output_dir: Path) -> Iterator[Lock]:
    """Hold the lock of the nights of a project; the kernel lets it go as that of a target.

    Args:
        output_dir: where runs lie; made when missing.

    Raises:
        BusyError: another night goes on (the message names it and its process).
        StoreError: there can be no lock in that folder.
    """
    with _locked(output_dir / NIGHT_LOCK, what="overnight", holder=_goes_on) as lock:
        yield lock


@contextmanager
def _locked(path: Path, *, what: str, holder: Callable[[Path], str]) -> Iterator[Lock]:
    """Hold a lock under a name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _take(path)
    except BlockingIOError:
        raise BusyError(f"{what}: {holder(path)}") from None
    except OSError as error:
        raise StoreError(
            f"cannot lock {what} in {path.parent}: {words_of(error)}; set output-dir in"
            " skillwalker.toml to a folder on a local disk that can be written"
        ) from error
    try:
        yield Lock(descriptor)
    finally:
        # Removed while it is still held: whoever opened it meanwhile sees that and opens anew.
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _take(path: Path) -> int:
    """Open and lock the file that stands under a name now."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(path, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether a name still stands for an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _measures(path: Path) -> str:
    """Say in words which run holds the lock of a target."""
    found = _holder(path)
    if found is None:
        return "another run measures it and has just begun; wait until it ends"
    pid, run_id = found
    run = f"run {run_id}" if run_id else "a run that has just begun"
    return (
        f"{run} (process {pid}) measures it now, and two at once would disturb each other;"
        f" wait until it ends, or end it with: kill -INT {pid}"
    )


def _goes_on(path: Path) -> str:
    """Say in words which night holds the lock of nights."""
    found = _holder(path)
    if found is None:
        return "another night has just begun in this project; wait until it ends"
    pid, night_id = found
    night = f"night {night_id}" if night_id else "a night that has just begun"
    return (
        f"{night} (process {pid}) goes on in this project, and two at once would do the same work;"
        f" wait until it ends, or end it with: kill -INT {pid}"
    )


def _holder(path: Path) -> tuple[object, object] | None:
    """Read the process and the run or night that hold a lock; None where they do not say."""
    try:
        row = json.loads(read_regular(path))
        return row["pid"], row["run_id"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
