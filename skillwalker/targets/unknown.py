"""What a message says of a target that is not there: what lies in its place, what was meant."""

import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.faults import quoted, shown
from skillwalker.paths import Places
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.known import known_targets, users_targets

USER = "user"
CLOSE = 0.75
"""How alike two names must be for one to be meant by the other, from 0 to 1."""
MOST_NAMED = 8
"""Known targets that a message lists."""


def called(written: str, kinds: Sequence[TargetKind]) -> str:
    """Write a target for a message, with the word for what it was to be."""
    return f"{_nouns(kinds)} {shown(written)}"


def not_there(
    written: str, kinds: Sequence[TargetKind], places: Places, *, folders: Iterable[Path] = ()
) -> str:
    """Say that there is no such target, what lies where it should, and what there is.

    Args:
        written: as it was named.
        kinds: what it could have been.
        places: the project's folders.
        folders: where a skill of that name would lie.
    """
    what = f"there is no {called(written, kinds)}"
    if "/" in written:
        path = os.path.normpath(places.project / written)
        what = f"there is no {_nouns(kinds)} at {path}; relative paths start at the project"
    why = next(filter(None, (misplaced(folder, places) for folder in folders)), None)
    if why is None:
        return f"{what}{known_words(written, kinds, places)}"
    listed = _listed(written, _known(written, kinds, places))
    return f"{what}: {why}" + (f" (known {_plurals(kinds)}: {listed})" if listed else "")


def misplaced(folder: Path, places: Places) -> str | None:
    """Say why Claude Code finds no skill in a folder, or where that folder should be.

    Returns:
        What lies there and what to do; None where nothing does.
    """
    try:
        return _misplaced(folder, places)
    except OSError as error:
        return f"{_path(folder, places)} cannot be looked into: {error.strerror}"


def _misplaced(folder: Path, places: Places) -> str | None:
    file, loose = folder / SKILL_FILE, folder.parent / f"{folder.name}.md"
    misnamed = next((name for name in _names(folder) if name.lower() == file.name.lower()), None)
    if misnamed == SKILL_FILE and file.is_dir():
        return f"{_path(file, places)} is a folder; write the skill to a file of that name"
    if misnamed is not None and misnamed != SKILL_FILE:
        return (
            f"{_path(folder / misnamed, places)} is not named {SKILL_FILE}, so Claude Code does not"
            " load it; rename it"
        )
    if loose.is_file() and folder.parent.name == KINDS[TargetKind.SKILL].folder:
        return f"a skill is a folder; move {_path(loose, places)} to {_path(file, places)}"
    return None


def known_words(written: str, kinds: Sequence[TargetKind], places: Places) -> str:
    """Finish a message about an unknown target: what was meant, and what there is.

    Args:
        written: as it was named.
        kinds: what it could have been.
        places: the project's folders.
    """
    ids = _known(written, kinds, places)
    other = _other_kind(written, [kind for kind in TargetKind if kind not in kinds], places)
    if not ids:
        owner = "~/.claude" if written.startswith(f"{USER}:") else "the project"
        return f"{other}; {owner} has no {_plurals(kinds)} yet"
    hint = other or _meant(written, ids)
    listed = _listed(written, ids)
    return f"{hint} (known {_plurals(kinds)}: {listed})" if hint else f"; known: {listed}"


def _nouns(kinds: Sequence[TargetKind]) -> str:
    return " or ".join(KINDS[kind].noun for kind in kinds)


def _plurals(kinds: Sequence[TargetKind]) -> str:
    return " or ".join(KINDS[kind].plural for kind in kinds)


def _listed(written: str, ids: Sequence[str]) -> str:
    """List some of what there is, those first that are nearest to what was written."""
    near = sorted(ids, key=lambda each: (not _is_near(each, written), each))
    more = f", … {len(ids)} in all; see 'skillwalker show'" if len(ids) > MOST_NAMED else ""
    return ", ".join(near[:MOST_NAMED]) + more


def _known(written: str, kinds: Sequence[TargetKind], places: Places) -> list[str]:
    read = users_targets if written.startswith(f"{USER}:") else known_targets
    return sorted({target.id for kind in kinds for target in read(places, kind)})


def _meant(written: str, ids: Sequence[str]) -> str:
    """Ask whether one that is there was meant."""
    by_name = {_bare(each): each for each in reversed(ids)} | {each: each for each in ids}
    for word in (written, _bare(written)):
        close = get_close_matches(word, by_name, n=1, cutoff=CLOSE)
        if close:
            return f"; did you mean {quoted(by_name[close[0]])}?"
    return ""


def _other_kind(written: str, kinds: Sequence[TargetKind], places: Places) -> str:
    """Say that there is something of that name, of another kind."""
    for kind in kinds:
        for each in _known(written, (kind,), places):
            if written in (each, _bare(each)):
                return f"; {quoted(each)} is {KINDS[kind].article} {KINDS[kind].noun}"
    return ""


def _is_near(known: str, written: str) -> bool:
    """Whether a known target has the owner, or else the name, that was written."""
    owner, mark, _ = written.partition(":")
    return known.startswith(f"{owner}:") if mark else _bare(known) == _bare(written)


def _bare(written: str) -> str:
    """Give the name alone of a written target: without its owner, or its folders."""
    path = written.rstrip("/").removesuffix(f"/{SKILL_FILE}").removesuffix(".md")
    return path.rpartition("/")[2].partition(":")[2] or path.rpartition("/")[2]


def _names(folder: Path) -> Sequence[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError:
        return ()


def _path(path: Path, places: Places) -> str:
    inside = path.is_relative_to(places.project)
    return Path(os.path.relpath(path, places.project)).as_posix() if inside else str(path)
