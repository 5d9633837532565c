"""A summary that is written ahead of what it tells, and put in its place once that is done."""

from pathlib import Path

from skillwalker.errors import StoreError
from skillwalker.user_files import words_of

AHEAD = ".applied.json"
"""Ends the name of a summary that holds once the description is written."""


def settle_summary(folder: Path, kind: str) -> None:
    """Put the summary that was written ahead in its place; nothing where there is none.

    Raises:
        StoreError: it cannot be put there.
    """
    ahead = folder / f"{kind}-summary{AHEAD}"
    try:
        if ahead.is_file():
            ahead.replace(folder / f"{kind}-summary.json")
    except OSError as error:
        raise StoreError(f"cannot write the summary in {folder}: {words_of(error)}") from error


def drop_summary(folder: Path, kind: str) -> None:
    """Forget the summary that was written ahead of what did not happen.

    Raises:
        StoreError: it cannot be removed.
    """
    ahead = folder / f"{kind}-summary{AHEAD}"
    try:
        ahead.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot remove {ahead}: {error.strerror}") from error
