"""A target that is written as a path: which file is meant, and of which kind it is."""

import os
import unicodedata
from pathlib import Path

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import kind_of
from skillwalker.targets.unknown import called, known_words, misplaced, not_there


def path_of(written: str, kind: TargetKind, places: Places) -> Path:
    """Turn a written path into the file's, without following links.

    Args:
        written: relative to the project, or absolute.
        kind: of the file that it should be.
        places: the project's folders.

    Raises:
        TargetError: there is no such file; one that is named in full need not exist.
    """
    facts = KINDS[kind]
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in written):
        raise TargetError(f"{called(written, (kind,))}: a path holds no control characters")
    if not written.strip():
        raise TargetError(f"no {facts.noun} is named{known_words(written, (kind,), places)}")
    path = Path(os.path.normpath(places.project / written))
    try:
        if path.is_dir():
            if kind is not TargetKind.SKILL:
                raise TargetError(f"{path} is a folder; name the agent's .md file in it")
            path = path / SKILL_FILE
        exists = path.exists()
    except OSError as error:
        raise TargetError(f"{called(written, (kind,))} cannot be read: {error.strerror}") from error
    _require_file(path, kind, exists=exists)
    if not exists and path.name != SKILL_FILE:
        raise TargetError(not_there(written, (kind,), places))
    why = None if exists else misplaced(path.parent, places)
    if why is not None:
        raise TargetError(f"there is no {facts.noun} at {path}: {why}")
    return path


def _require_file(path: Path, kind: TargetKind, *, exists: bool) -> None:
    if exists and not _may_be(path, kind):
        facts = KINDS[kind]
        name = SKILL_FILE if kind is TargetKind.SKILL else "NAME.md"
        raise TargetError(
            f"{path} is not {facts.article} {facts.noun}'s file; it must be named {name}"
        )


def _may_be(path: Path, kind: TargetKind) -> bool:
    """Whether a file of that name is read as that kind."""
    match kind:
        case TargetKind.SKILL:
            return kind_of(path) is kind
        case TargetKind.AGENT:
            return path.suffix.lower() == ".md"


def kind_at(written: str, places: Places) -> TargetKind | None:
    """Tell the kind of a path: a SKILL.md or a folder is a skill, another file an agent.

    Returns:
        None where there is nothing, and the words do not tell.
    """
    path = places.project / written
    try:
        if path.is_dir():
            return TargetKind.SKILL
        if path.exists() or written.endswith(".md") or not written.strip():
            return kind_of(path)
    except (OSError, ValueError):
        return kind_of(path)
    return None
