"""A throw-away folder that does not outlive its process, even one that was killed."""

import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skillwalker.errors import EngineUnavailableError

PREFIX = "skillwalker-work-"
_OURS = re.compile(rf"{PREFIX}\d+-.+")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def no_place(folder: Path, error: Exception) -> EngineUnavailableError:
    """Say that temporary files cannot be written, and what to do about it."""
    cause = getattr(error, "strerror", None) or error
    return EngineUnavailableError(
        f"{folder}: cannot make temporary files ({cause}); set TMPDIR to a folder that you can "
        "write and that has room"
    )


def is_full(error: OSError) -> bool:
    """Whether it was the disk, so that nothing else can be written either."""
    # shutil keeps only the words of what it collects.
    return error.errno in _NO_ROOM or any(os.strerror(n) in str(error) for n in _NO_ROOM)


@contextmanager
def scratch_folder(temporary: Path) -> Iterator[Path]:
    """Make a folder, remove it at the end, and first remove those that dead processes left.

    Args:
        temporary: where temporary folders lie.

    Raises:
        EngineUnavailableError: it cannot be made.
    """
    try:
        sweep(temporary)
        folder, lock = _make(temporary)
    except OSError as error:
        raise no_place(temporary, error) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep(temporary: Path) -> None:
    """Remove the folders of ours whose process is gone; others' and the living's stay.

    A lock tells, not the number of the process: that is another one's in another container, or
    after a restart.
    """
    for folder in temporary.glob(f"{PREFIX}*-*"):
        if not _OURS.fullmatch(folder.name):
            continue
        with suppress(OSError):  # another run sweeps it too, or its owner lives
            lock = _open(folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(lock).st_uid == os.getuid():
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _make(temporary: Path) -> tuple[Path, int]:
    """Make a folder that is locked as long as this process lives; give the lock too."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=temporary))
        with suppress(FileNotFoundError):  # swept before it was locked
            lock = _open(folder)
            with suppress(OSError):  # a network folder may have no locks; there nobody sweeps
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _open(folder: Path) -> int:
    """Open a folder to lock it; a link is none."""
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
