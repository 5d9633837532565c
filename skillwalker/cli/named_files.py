"""Which files the words of a command line mean."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import typer

from skillwalker.cli.show_text import short_path
from skillwalker.datatypes.inputs import Listed, Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.file import list_target, shown_file
from skillwalker.targets.known import known_files, with_owner
from skillwalker.targets.misnamed import (
    find_misnamed,
    is_misnamed,
    known_misnamed,
    shown_misnamed,
)
from skillwalker.targets.names import is_path, resolve_either, resolve_target
from skillwalker.targets.place import find_files, kind_of


def shown_targets(
    written: Sequence[str] | None, places: Places, position: Position | None
) -> list[tuple[Target, Listed]]:
    """Read what is to be shown: what was named, else all there is.

    A file that was found and cannot be read is shown as such; it says nothing of the others. So is
    one that was to be a skill's and is misnamed.

    Raises:
        TargetError: something that was named is not there, or cannot be read.
    """
    if not written:
        known = [
            _shown(file, kind, places, position)
            for kind in TargetKind
            for file in known_files(places, kind)
        ]
        return [*known, *(shown_misnamed(file, position) for file in known_misnamed(places))]
    found: list[tuple[Target, Listed]] = []
    for name in written:
        path = _existing(name, places)
        if path is not None and path.is_dir():
            found += _inside(path, places, position)
            continue
        if path is not None and is_misnamed(path):
            found.append(shown_misnamed(path, position))
            continue
        if path is None:
            named = resolve_either(name, places, position=position)
        else:
            named = (resolve_target(str(path), kind_of(path), places, position=position),)
        found += [(target, list_target(target)) for target in named]
    return found


def _inside(folder: Path, places: Places, position: Position | None) -> list[tuple[Target, Listed]]:
    """Read what a folder holds, the copies of the project's runs left out.

    Raises:
        TargetError: there is nothing.
    """
    files = find_files(folder, without=places.output_dir)
    found = [_shown(file, kind, places, position) for file, kind in files]
    misnamed = find_misnamed(folder, without=places.output_dir)
    found += [shown_misnamed(file, position) for file in misnamed]
    if not found:
        raise TargetError(f"there is no skill or agent in {short_path(folder, places.project)}")
    return found


def _shown(
    path: Path, kind: TargetKind, places: Places, position: Position | None
) -> tuple[Target, Listed]:
    """Read a file that was found, not named."""
    target, listed = shown_file(path, kind, position)
    return with_owner(target, places), listed


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
    found = resolve_either(written if path is None else str(path), places)
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
