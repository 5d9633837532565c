"""Every write of a user's file, kept in its run's folder so that it can be undone.

`original/<n>/<file>` holds the bytes of before, `original/<n>.json` says where they belong, what
was written, when, and whether it was undone. Both are on the disk before the file is touched.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pydantic

from skillwalker.datatypes.edits import Edit, WrittenFile
from skillwalker.datatypes.inputs import Target
from skillwalker.errors import StoreError
from skillwalker.recording.rows import write_atomically
from skillwalker.recording.store import list_runs
from skillwalker.steps.step_7_write_back import WRITE_ANYWAY, put_back, write_back
from skillwalker.user_files import read_regular, words_of

ORIGINALS = "original"


class _Row(pydantic.BaseModel):
    """An edit as it stands on disk."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True, frozen=True)

    schema_version: Literal[1] = 1
    target: str
    path: str
    """Relative to the project where the file lies in it, so that a moved project can undo."""
    file: str
    sha256_before: str
    sha256_after: str
    written_at: str
    undone_at: str | None = None


def write_recorded(
    run: Path,
    target: Target,
    text: str,
    *,
    project: Path,
    force: bool = False,
    remedy: str = WRITE_ANYWAY,
    now: datetime | None = None,
) -> WrittenFile:
    """Write a description into a target's file and record it for `undo`.

    Args:
        run: folder of the run that the write belongs to.
        target: as it was read.
        text: the description as Claude Code is to read it.
        project: the project's folder.
        force: write even if the file changed since it was read.
        remedy: what the user is told to do where it changed.
        now: the moment of the write; default: this one.

    Returns:
        The bytes before and after; nothing is recorded when they are equal.

    Raises:
        TargetError: the file cannot be written so that Claude Code reads the text.
        StoreError: the write cannot be recorded; the file was not touched.
    """
    recorded: list[Edit] = []

    def keep(written: WrittenFile) -> None:
        moment = now or datetime.now(UTC)
        recorded.append(record_edit(run, written, target=target.id, project=project, now=moment))

    try:
        return write_back(target, text, force=force, remedy=remedy, keep=keep)
    except BaseException:
        for edit in recorded:
            # An interrupt may come after the write.
            if not stands(edit):
                _discard(edit)
        raise


def record_edit(
    run: Path, written: WrittenFile, *, target: str, project: Path, now: datetime
) -> Edit:
    """Record what is about to be written.

    Raises:
        StoreError: the record cannot be written.
    """
    folder, number = _new_folder(run)
    edit = Edit(
        run_id=run.name,
        number=number,
        target=target,
        path=written.path,
        original=folder / written.path.name,
        sha256_before=hashlib.sha256(written.before).hexdigest(),
        sha256_after=hashlib.sha256(written.after).hexdigest(),
        written_at=now.astimezone(UTC),
    )
    write_atomically(edit.original, written.before)
    _write(edit, project)
    return edit


def list_edits(output_dir: Path, project: Path) -> tuple[Edit, ...]:
    """Read the edits of every run, newest first.

    Raises:
        StoreError: a record cannot be read; the message names it.
    """
    edits = [edit for run in list_runs(output_dir) for edit in read_edits(run, project)]
    return tuple(sorted(edits, key=lambda e: (e.written_at, e.run_id, e.number), reverse=True))


def read_edits(run: Path, project: Path) -> tuple[Edit, ...]:
    """Read the edits of one run, newest first.

    Raises:
        StoreError: a record cannot be read.
    """
    numbers = (path.stem for path in (run / ORIGINALS).glob("*.json"))
    ordered = sorted((int(number) for number in numbers if number.isdecimal()), reverse=True)
    return tuple(_read(run, number, project) for number in ordered)


def stands(edit: Edit) -> bool:
    """Say whether the file holds what was written, or what was to be written."""
    try:
        return hashlib.sha256(read_regular(edit.path)).hexdigest() == edit.sha256_after
    except OSError:
        return False


def undo_edit(
    edit: Edit, *, project: Path, force: bool = False, now: datetime | None = None
) -> WrittenFile:
    """Put the bytes of before back and mark the edit undone.

    Returns:
        What the file held and what it holds now.

    Raises:
        TargetError: the file is no longer what was written, or cannot be written.
        StoreError: the recorded bytes are missing or damaged.
    """
    before = _original_bytes(edit)
    held = b""
    with contextlib.suppress(OSError):
        held = read_regular(edit.path)
    put_back(edit.path, before, sha256_after=edit.sha256_after, force=force)
    _write(dataclasses.replace(edit, undone_at=now or datetime.now(UTC)), project)
    return WrittenFile(path=edit.path, before=held, after=before)


def _original_bytes(edit: Edit) -> bytes:
    try:
        before = read_regular(edit.original)
    except OSError as error:
        raise StoreError(
            f"run {edit.run_id}: the recorded bytes {edit.original} cannot be read:"
            f" {words_of(error)}"
        ) from error
    if hashlib.sha256(before).hexdigest() != edit.sha256_before:
        raise StoreError(
            f"run {edit.run_id}: the recorded bytes {edit.original} are not those that were"
            " recorded; nothing was put back"
        )
    return before


def _new_folder(run: Path) -> tuple[Path, int]:
    """Make the next free numbered folder."""
    originals = run / ORIGINALS
    number = 1
    try:
        originals.mkdir(exist_ok=True)
        while True:
            try:
                (originals / str(number)).mkdir()
            except FileExistsError:
                number += 1
            else:
                return originals / str(number), number
    except OSError as error:
        raise StoreError(f"cannot record a write in {originals}: {words_of(error)}") from error


def _record_path(edit: Edit) -> Path:
    return edit.original.parent.with_suffix(".json")


def _write(edit: Edit, project: Path) -> None:
    inside = edit.path.is_relative_to(project)
    row = _Row(
        target=edit.target,
        path=os.fspath(edit.path.relative_to(project) if inside else edit.path),
        file=edit.original.name,
        sha256_before=edit.sha256_before,
        sha256_after=edit.sha256_after,
        written_at=edit.written_at.isoformat(),
        undone_at=None if edit.undone_at is None else edit.undone_at.isoformat(),
    )
    # Plain JSON, not pydantic's: a file's name may hold bytes that are no UTF-8.
    text = json.dumps(dict(row), indent=2) + "\n"
    write_atomically(_record_path(edit), text.encode("ascii"))


def _read(run: Path, number: int, project: Path) -> Edit:
    path = run / ORIGINALS / f"{number}.json"
    try:
        row = _Row(**json.loads(read_regular(path)))
        return Edit(
            run_id=run.name,
            number=number,
            target=row.target,
            path=project / row.path,
            original=path.with_suffix("") / Path(row.file).name,
            sha256_before=row.sha256_before,
            sha256_after=row.sha256_after,
            written_at=_moment(row.written_at),
            undone_at=None if row.undone_at is None else _moment(row.undone_at),
        )
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"{path} cannot be read: {words_of(error)}") from error


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written).astimezone(UTC)


def _discard(edit: Edit) -> None:
    """Forget a write that did not happen."""
    with contextlib.suppress(OSError):
        _record_path(edit).unlink(missing_ok=True)
        shutil.rmtree(edit.original.parent)
