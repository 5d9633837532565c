"""Finds the Claude CLI, and says what is wrong with a name that gives none."""

import shutil
import stat
from pathlib import Path

from skillwalker.errors import EngineUnavailableError


def find_binary(claude: str, *, path: str) -> str:
    """Give the absolute path of the CLI.

    Args:
        claude: a name on `path`, or a path.
        path: folders to look in, as in PATH.

    Raises:
        EngineUnavailableError: there is none.
    """
    found = shutil.which(claude, path=path)
    if found is None:
        raise EngineUnavailableError(f"the Claude CLI {claude!r} {_fault(claude)}")
    return str(Path(found).absolute())


def _fault(claude: str) -> str:
    try:
        mode = Path(claude).stat().st_mode if "/" in claude else None
    except OSError as error:
        return f"was not found ({error.strerror})"
    if mode is None:
        return "was not found"
    if stat.S_ISDIR(mode):
        return "is a folder, not a program"
    return f"cannot be executed: `chmod +x {claude}`, if it is the CLI"
