"""A file that a user names for results: looked at before anything is spent."""

import os
from pathlib import Path

from skillwalker.errors import ConfigError

EXIT_UNWRITTEN = 1
"""Exit code of a result that a user named a file for, and that could not be written there."""


def output_file(flag: str, path: Path | None, *, project: Path) -> Path | None:
    """Give the whole path of a file that is to be written, whose place can be written to.

    Missing folders are made later where they lie in the current folder or the project; anywhere
    else a missing folder is taken for a slip of the pen.

    Args:
        flag: the option that names the file.
        path: as written; None where it was not.
        project: the project's folder.

    Raises:
        ConfigError: it could not be written; nothing was spent.
    """
    if path is None:
        return None
    whole = path.absolute()
    fault = _fault(whole, homes=(Path.cwd(), project.absolute()))
    if fault is not None:
        raise ConfigError(f"{flag} {path}: {fault}")
    return whole


def _fault(path: Path, *, homes: tuple[Path, ...]) -> str | None:
    """Say why a file could not be written, and what would help; None where it could."""
    try:
        if path.is_dir():
            return "it is a folder; name a file in it"
        if path.exists() and not path.is_file():
            return "it is no regular file; name another"
        folder = next(parent for parent in path.parents if parent.exists())
    except OSError as error:
        return f"it cannot be looked at ({error.strerror}); name another"
    if not folder.is_dir():
        return f"{folder} is no folder; name a file in one"
    real = Path(os.path.normpath(path))
    if folder != path.parent and not any(real.is_relative_to(home) for home in homes):
        return f"there is no folder {path.parent}; make it first (mkdir -p)"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"the folder {folder} cannot be written to; name a file in another"
    return None
