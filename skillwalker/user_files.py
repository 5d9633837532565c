"""A user's files, as they may be: what is no file is not waited for, a circle of links is none."""

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path) -> bytes:
    """Read a regular file; a pipe, a socket or a device could keep a reader for ever.

    Raises:
        OSError: it cannot be read, or is not a regular file.
    """
    require_regular(path)
    return path.read_bytes()


def require_regular(path: Path) -> None:
    """Refuse what could keep a reader for ever; a folder is left to the reader, who knows it.

    Raises:
        OSError: it is a pipe, a socket or a device, or is not there.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))


def real_path(path: Path) -> Path:
    """Follow the links of a path; of links that go round in a circle, say where it begins.

    `Path.resolve` fails there before Python 3.13.
    """
    return Path(os.path.realpath(path))


def words_of(error: Exception) -> str:
    """Say why a file could not be read or written, without its path, which a message names.

    Args:
        error: of the system, or of who read what was in the file.
    """
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or str(error)


def words_with_path(error: Exception) -> str:
    """Say which file could not be read or written, and why, for a message that names none."""
    named = error.filename if isinstance(error, OSError) else None
    return words_of(error) if named is None else f"{named}: {words_of(error)}"


def is_special(path: Path) -> bool:
    """Say whether a path is something that is neither a file, a folder nor a link."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
