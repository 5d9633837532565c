"""The folders in which runs lie: what each one is, and when its run began."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from skillwalker.errors import StoreError
from skillwalker.evaluation.store import CONFIG, is_eval_run
from skillwalker.recording.edits import ORIGINALS
from skillwalker.recording.night_files import NIGHT_SUMMARY
from skillwalker.recording.rows import read_rows
from skillwalker.recording.store import PLAN, SUMMARIES, TRIALS, read_plan
from skillwalker.user_files import words_of

_NAME = re.compile(r"(\d{8}T\d{6})(-\d+)?")


class FolderKind(StrEnum):
    """What a folder holds."""

    LOOP = "loop"
    """A run of scil, acil or measure."""
    EVAL = "eval"
    DESCRIBE = "describe"
    """Only what a description replaced that was written by hand."""
    OVERNIGHT = "overnight"
    EMPTY = "empty"
    """Named like a run, and nothing was recorded in it."""
    NO_RUN = "no run"


def list_folders(output_dir: Path) -> tuple[Path, ...]:
    """List the folders of an output folder, by name; hidden ones are somebody else's.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        if not output_dir.exists():
            return ()
        children = (child for child in output_dir.iterdir() if child.name[0] != ".")
        return tuple(sorted(child for child in children if child.is_dir()))
    except OSError as error:
        raise StoreError(f"cannot list the runs in {output_dir}: {words_of(error)}") from error


def began(folder: Path) -> datetime | None:
    """Say when a run began, by its name (UTC); None when it is not named like a run."""
    match = _NAME.fullmatch(folder.name)
    if match is None:
        return None
    try:
        return datetime.strptime(match[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None


def kind_of(folder: Path) -> FolderKind:
    """Say what a folder holds, by the names of its files alone."""
    if began(folder) is None:
        return FolderKind.NO_RUN
    if is_eval_run(folder):
        return FolderKind.EVAL
    if _holds_loop(folder):
        return FolderKind.LOOP
    if (folder / NIGHT_SUMMARY).is_file():
        return FolderKind.OVERNIGHT
    if (folder / ORIGINALS).is_dir():
        return FolderKind.DESCRIBE
    if (folder / TRIALS).is_file():
        return FolderKind.EMPTY  # begun, and nothing came of it
    return FolderKind.EMPTY if _is_bare(folder) else FolderKind.NO_RUN


def own_name(folder: Path) -> str:
    """Read the name that a run gave itself; its folder's where none is recorded.

    Raises:
        StoreError: a file cannot be read.
    """
    for name, key in ((PLAN, "run_id"), (CONFIG, "test_run_id"), (TRIALS, "run_id")):
        row = next(read_rows(folder / name), {}) if name != PLAN else read_plan(folder)
        written = row.get(key)
        if isinstance(written, str) and written:
            return written
    return folder.name


def _holds_loop(folder: Path) -> bool:
    """Say whether a folder holds a run of the loop, or what a kill left of one."""
    trials = folder / TRIALS
    known = any((folder / name).exists() for name in (PLAN, *SUMMARIES))
    return known or (trials.exists() and not (trials.is_file() and trials.stat().st_size == 0))


def _is_bare(folder: Path) -> bool:
    """Say whether a folder holds nothing at all."""
    try:
        return next(folder.iterdir(), None) is None
    except OSError:
        return False
