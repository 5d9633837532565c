"""What makes two trials the same experiment, as one hash."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.errors import SuiteError
from skillwalker.user_files import read_regular, words_of


class CellKeys:
    """Makes the `cell_key` of each case of a step; a scaffold is read once.

    Args:
        shared: what all trials of the step have in common, by name.
    """

    def __init__(self, shared: Mapping[str, str]) -> None:
        self._shared = dict(shared)
        self._scaffolds: dict[Path, str] = {}

    def of(self, case: TriggerCase, max_turns: int) -> str:
        """Hash all that decides how the outcomes of a trial are distributed."""
        facts = {
            **self._shared,
            "prompt": case.prompt,
            "model": case.model,
            "max_turns": max_turns,
            "scaffold": None if case.scaffold is None else self._scaffold(case.scaffold),
        }
        canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode("ascii")).hexdigest()

    def _scaffold(self, folder: Path) -> str:
        """Hash a scaffold's content."""
        if folder not in self._scaffolds:
            self._scaffolds[folder] = folder_hash(folder)
        return self._scaffolds[folder]


def folder_hash(folder: Path) -> str:
    """Hash the names and bytes of all files below a folder, whatever the order of the disk.

    A link counts by where it points, an empty folder by its name.

    Raises:
        SuiteError: something in the folder cannot be read.
    """
    try:
        return _hash_below(folder)
    except OSError as error:
        raise SuiteError(
            f"scaffold {folder}: {error.filename or folder} cannot be read ({words_of(error)});"
            " make it readable"
        ) from error


def _hash_below(folder: Path) -> str:
    """Hash a folder that can be read."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    digest = sha256()
    for path in sorted(_all_below(folder), key=lambda p: p.relative_to(folder).parts):
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        kind, content = _entry(path)
        for part in (kind, name, content):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def _all_below(folder: Path) -> Iterator[Path]:
    """Name all that lies below a folder; `rglob` would pass over a folder that is closed to us."""
    for path in folder.iterdir():
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _all_below(path)


def _entry(path: Path) -> tuple[bytes, bytes]:
    """Give the kind of a file and what counts of its content."""
    if path.is_symlink():
        return b"link", str(path.readlink()).encode("utf-8", "surrogateescape")
    if path.is_dir():
        return b"folder", b""
    executable = path.stat().st_mode & 0o100
    return (b"program" if executable else b"file"), read_regular(path)
