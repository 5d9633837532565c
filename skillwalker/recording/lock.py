"""One run at a time on a target: a lock that dies with its process, even one that was killed."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.errors import StoreError
from skillwalker.user_files import read_regular


class TargetLock:
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
def locked_target(output_dir: Path, target: Target) -> Iterator[TargetLock]:
    """Hold the lock of a target; the kernel lets it go when the process ends, however it ends.

    Args:
        output_dir: where runs lie; made when missing.
        target: whose file counts, whatever way it was written.

    Raises:
        StoreError: another run holds it (the message names its process and run), or there can be
            no lock in that folder.
    """
    file = os.fsencode(target.path.resolve())
    path = output_dir / f".{hashlib.sha256(file).hexdigest()[:16]}.lock"
    try:
        output_dir.mkdir(parents=True, exist_ok=True)
        descriptor = _take(path)
    except BlockingIOError:
        raise StoreError(f"{target.id}: {_holder(path)}") from None
    except OSError as error:
        raise StoreError(
            f"cannot lock {target.id} in {output_dir}: {error}; set output-dir in skillwalker.toml"
            " to a folder on a local disk that can be written"
        ) from error
    try:
        yield TargetLock(descriptor)
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


def _holder(path: Path) -> str:
    """Say in words who holds a lock."""
    try:
        row = json.loads(read_regular(path))
        pid, run_id = row["pid"], row["run_id"]
    except (OSError, ValueError, TypeError, KeyError):
        return "another run measures it and has just begun; wait until it ends"
    run = f"run {run_id}" if run_id else "a run that has just begun"
    return (
        f"{run} (process {pid}) measures it now, and two at once would disturb each other;"
        f" wait until it ends, or end it with: kill -INT {pid}"
    )
