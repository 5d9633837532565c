"""A throw-away folder that does not outlive its process, even one that was killed."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skillwalker.errors import EngineUnavailableError

PREFIX = "skillwalker-work-"
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
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=temporary))
    except OSError as error:
        raise no_place(temporary, error) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(temporary: Path) -> None:
    """Remove the folders of ours whose process is gone; others' and the living's stay."""
    for folder in temporary.glob(f"{PREFIX}*-*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        with suppress(OSError):  # another run sweeps it too
            if pid.isdigit() and not _alive(int(pid)) and folder.stat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    """Whether a process of that number exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
