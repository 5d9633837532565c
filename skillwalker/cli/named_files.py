"""Which files the words of a command line mean."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import typer

from skillwalker.datatypes.inputs import Listed, Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.file import empty_target, list_target, read_target, unread
from skillwalker.targets.names import is_path, known_targets, resolve_target, with_owner
from skillwalker.targets.place import find_files, kind_of


def shown_targets(
    written: Sequence[str] | None, places: Places, position: Position | None
) -> list[tuple[Target, Listed]]:
    """Read what is to be shown: what was named, else all there is.

    A file in a folder that cannot be read is shown as such; it says nothing of the others.

    Raises:
        TargetError: something that was named is not there, or cannot be read.
    """
    if not written:
        known = (target for kind in TargetKind for target in known_targets(places, kind))
        return [(target, list_target(target)) for target in known]
    found: list[tuple[Target, Listed]] = []
    for name in written:
        path = _existing(name, places)
        if path is not None and path.is_dir():
            inside = find_files(path)
            if not inside:
                raise TargetError(f"there is no skill or agent in {path}")
            found += [_shown(file, kind, places, position) for file, kind in inside]
            continue
        if path is None:
            named = _named(name, places, position)
        else:
            named = [resolve_target(str(path), kind_of(path), places, position=position)]
        found += [(target, list_target(target)) for target in named]
    return found


def _shown(
    path: Path, kind: TargetKind, places: Places, position: Position | None
) -> tuple[Target, Listed]:
    """Read a file that was found in a folder."""
    try:
        target = with_owner(read_target(path, kind, position), places)
    except TargetError as error:
        target = empty_target(path, kind, position)
        return target, unread(target, str(error))
    return target, list_target(target)


def _named(written: str, places: Places, position: Position | None = None) -> list[Target]:
    """Find the skill and the agent of that name; at least one of them is there."""
    found, faults = [], []
    for kind in (kind_of(Path(written)),) if written.endswith(".md") else TargetKind:
        try:
            found.append(resolve_target(written, kind, places, position=position))
        except TargetError as error:
            faults.append(str(error))
    if not found:
        raise TargetError("\n".join(dict.fromkeys(faults)))
    return found


def one_target(written: str, places: Places, kind: TargetKind | None) -> Target:
    """Find the one target that is meant.

    Raises:
        TargetError: there is none, or a skill and an agent have that name.
    """
    path = _existing(written, places)
    if path is not None and path.is_file():
        return resolve_target(str(path), kind or kind_of(path), places)
    if kind is not None:
        return resolve_target(written, kind, places)
    found = _named(written if path is None else str(path), places)
    if len(found) > 1:
        raise TargetError(f"{written} is a skill and an agent; add --kind skill or --kind agent")
    return found[0]


def target_asked(skill: str | None, agent: str | None, places: Places) -> Target | None:
    """Find the target that `--skill` or `--agent` names; None where neither was given.

    Raises:
        BadParameter: exit code 2; both were given.
        TargetError: there is no such target.
    """
    if skill is not None and agent is not None:
        raise typer.BadParameter("give one of them", param_hint="'--skill' / '--agent'")
    if skill is not None:
        return one_target(skill, places, TargetKind.SKILL)
    return one_target(agent, places, TargetKind.AGENT) if agent is not None else None


def _existing(written: str, places: Places) -> Path | None:
    """Give the path that is meant if there is one: seen from the project, else from here."""
    if not written.strip() or "\0" in written:
        return None
    for base in (places.project, Path.cwd()):
        try:
            path = (base / written).absolute()
            if path.exists():
                return path
        except OSError:
            continue
    return None


def position_of(written: str | None) -> Position | None:
    """Read the value of `--position`; another word is wrong usage."""
    return None if written is None else Position(_choice("--position", written, Position))


def kind_said(written: str | None) -> TargetKind | None:
    """Read the value of `--kind`; another word is wrong usage."""
    return None if written is None else TargetKind(_choice("--kind", written, TargetKind))


def _choice(flag: str, written: str, words: type[StrEnum]) -> str:
    known = [str(word) for word in words]
    if written not in known:
        raise typer.BadParameter(f"{written!r} is not one of {', '.join(known)}", param_hint=flag)
    return written


def path_meant(written: str, places: Places) -> Path:
    """Give the file that is meant; a path need not exist any more.

    Raises:
        TargetError: the name means no target, or two.
    """
    if is_path(written) and _existing(written, places) is None:
        return places.project / written
    return one_target(written, places, None).path
