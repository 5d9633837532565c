"""A throw-away folder that does not outlive its process, even one that was killed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "skillwalker-work-"


@contextmanager
def scratch_folder(temporary: Path) -> Iterator[Path]:
    """Make a folder, remove it at the end, and first remove those that dead processes left.

    Args:
        temporary: where temporary folders lie.
    """
    sweep(temporary)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=temporary))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(temporary: Path) -> None:
    """Remove the folders of ours whose process is gone; others' and the living's stay."""
    for folder in temporary.glob(f"{PREFIX}*-*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
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
