"""Step 7: takes a target and a description, gives the file with just that changed.

Written is what Claude Code reads: the file is read again afterwards, and if the description is
not the wanted one the old bytes are put back. A file that changed since it was read is left
alone, for the measured text would land in a file that nobody measured.
"""

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

from skillwalker.datatypes.edits import WrittenFile
from skillwalker.datatypes.inputs import Target
from skillwalker.errors import TargetError
from skillwalker.frontmatter.text import read_frontmatter, replace_description
from skillwalker.targets.file import read_bytes
from skillwalker.targets.file_swap import swap_bytes
from skillwalker.targets.kind import KINDS

WRITE_ANYWAY = "--force writes the description into the file as it is now"
"""What helps where a file changed since it was read; the flag is that of a command that writes."""


def plan_write(target: Target, text: str) -> WrittenFile:
    """Say what writing a description would make of the file, without touching it.

    Raises:
        TargetError: the file cannot hold the text so that Claude Code reads it; the message
            says why and what to do.
    """
    try:
        after = replace_description(target.content, text, target.kind, target.position)
    except TargetError as error:
        raise TargetError(f"{target.path}: {error}") from error
    return WrittenFile(path=target.path, before=target.content, after=after)


def write_back(
    target: Target,
    text: str,
    *,
    force: bool = False,
    remedy: str = WRITE_ANYWAY,
    keep: Callable[[WrittenFile], None] | None = None,
) -> WrittenFile:
    """Write a description into the target's file and change no other byte of it.

    Args:
        target: as it was read; its bytes are what the file must still hold.
        text: the description as Claude Code is to read it.
        force: write into the file as it is now, whatever changed since.
        remedy: what the user is told to do where it changed.
        keep: is given what will be written just before it is, so that it can be undone even
            if the machine dies in the middle.

    Returns:
        The bytes before and after; equal ones when the file had the description already.

    Raises:
        TargetError: the file changed, cannot be written, or cannot hold the text so that
            Claude Code reads it; the file then holds what it held before.
    """
    before = read_bytes(target.path, KINDS[target.kind].noun)
    if before != target.content and not force:
        raise TargetError(f"{target.path} changed since it was read; nothing was written; {remedy}")
    written = plan_write(dataclasses.replace(target, content=before), text)
    if written.after == before:
        return written
    if keep is not None:
        keep(written)

    def find_fault(content: bytes) -> str | None:
        read = read_frontmatter(content, target.kind, target.position).description
        return None if read == text else f"Claude Code would read {read!r} in it"

    swap_bytes(target.path, old=before, new=written.after, check=find_fault)
    return written


def put_back(path: Path, before: bytes, *, sha256_after: str, force: bool = False) -> None:
    """Give a file the bytes back that a write replaced.

    Args:
        path: the file that was written.
        before: the bytes to put back.
        sha256_after: hash of what was written, which the file must still hold.
        force: put them back whatever the file holds now, even if it is gone.

    Raises:
        TargetError: the file is no longer what was written, or cannot be written.
    """
    gone = not path.exists()
    now = None if gone else read_bytes(path, "target")
    if now == before:
        return
    if not force:
        if now is None:
            raise TargetError(f"{path} is no longer there; --force makes it again")
        if hashlib.sha256(now).hexdigest() != sha256_after:
            raise TargetError(
                f"{path} is no longer what was written: it changed since; nothing was put back;"
                " --force puts the old bytes back and loses that change"
            )
    swap_bytes(path, old=now, new=before, check=lambda _: None)
