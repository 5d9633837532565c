"""A user's file gets new bytes whole or not at all, and keeps its mode, its owner and its link.

The new bytes go into a file beside the real one (behind a link, if the path is one), onto the
disk, and then under the real name in one step. A lock on the folder lets one Skillwalker at a
time look and write, so that of two writers one wins and the other is told; the system drops it
when its holder dies.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from skillwalker.errors import TargetError
from skillwalker.user_files import read_regular

_PREFIX, _SUFFIX = ".skillwalker-", ".new"
_NEW_FILE_MODE = 0o644


def swap_bytes(
    path: Path, *, old: bytes | None, new: bytes, check: Callable[[bytes], str | None]
) -> None:
    """Put new bytes in the place of old ones, or leave the old ones.

    Args:
        path: the file; where it is a link, the file behind it is written.
        old: what the file must hold now; None where there must be no file.
        new: what it is to hold.
        check: looks at the bytes that are read back; gives what is wrong with them, or None.

    Raises:
        TargetError: the file holds something else, cannot be written, or the check found a
            fault; in each case it holds afterwards what it held before.
    """
    try:
        real = path.resolve(strict=old is not None)
        with _alone_in(real.parent):
            _swap(real, old, new, check)
    except FileNotFoundError as error:
        raise TargetError(f"{path} is no longer there; nothing was written") from error
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise TargetError(
            f"{path} cannot be written ({reason}); it is unchanged;"
            " see that its folder is writable and its disk not full"
        ) from error


def require_writable(path: Path) -> None:
    """Say before anything is spent on a file whether it could be written.

    That it could is no promise: a disk may be full by then, or the file gone.

    Args:
        path: the file; where it is a link, the file behind it counts.

    Raises:
        TargetError: it or its folder may not be written.
    """
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise TargetError(f"{path} cannot be written ({reason})") from error
    if not os.access(real, os.W_OK):
        raise TargetError(
            f"{real} is read-only, so nothing could be written to it; 'chmod u+w' allows it, or"
            " leave --apply out"
        )
    if not os.access(real.parent, os.W_OK | os.X_OK):
        raise TargetError(
            f"{real} cannot be written: its folder is read-only, and the new text is written"
            " beside the old one first; 'chmod u+w' on the folder allows it, or leave --apply out"
        )


def _swap(real: Path, old: bytes | None, new: bytes, check: Callable[[bytes], str | None]) -> None:
    if (read_regular(real) if real.exists() else None) != old:
        raise TargetError(
            f"{real} was changed by someone else just now; nothing was written; try again"
        )
    if old is not None and not os.access(real, os.W_OK):
        raise TargetError(f"{real} is read-only; nothing was written; 'chmod u+w' allows it")
    _replace(real, new)
    written = real.read_bytes()
    if written != new:
        raise TargetError(
            f"{real} was changed by someone else right after it was written; see what it holds"
        )
    fault = check(written)
    if fault is None:
        return
    if real.read_bytes() != new:
        raise TargetError(f"{real}: {fault}; someone else changed it since; see what it holds")
    if old is None:
        real.unlink()
    else:
        _replace(real, old)
    raise TargetError(f"{real}: {fault}; the old bytes were put back")


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, and clear away what a killed writer left in it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network folder may have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            for entry in folder.iterdir():
                if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                    entry.unlink()
        yield
    finally:
        os.close(descriptor)


def _replace(real: Path, content: bytes) -> None:
    """Write beside the file, then rename over it; both are on the disk when this returns."""
    descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=real.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            _keep_mode_and_owner(real, stream.fileno())
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(real.parent)


def _keep_mode_and_owner(real: Path, descriptor: int) -> None:
    if not real.exists():
        os.fchmod(descriptor, _NEW_FILE_MODE)
        return
    kept = real.stat()
    with contextlib.suppress(OSError):  # only root may give a file away
        os.fchown(descriptor, kept.st_uid, kept.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(kept.st_mode))


def _sync_folder(folder: Path) -> None:
    """Put the new name on the disk, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
