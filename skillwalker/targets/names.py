"""Targets by their written names: which file is meant, who stands beside it, how it is called."""

import dataclasses
import hashlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import ListingPlace, Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.listing import listed as listing
from skillwalker.paths import Places, is_file_name, plugin_name
from skillwalker.targets.file import list_target, read_target
from skillwalker.targets.kind import KINDS
from skillwalker.targets.known import known_files, lies_in, read_files, with_owner
from skillwalker.targets.place import (
    PROJECT_FOLDER,
    files_of,
    find_files,
    has_manifest,
    kind_of,
    place_of,
)
from skillwalker.targets.unknown import USER, called, known_words, not_there
from skillwalker.targets.written_path import kind_at, path_of
from skillwalker.user_files import real_path

PROJECT = "project"


def description_hash(text: str) -> str:
    """Name a candidate: the first 16 hex digits of the sha256 of its UTF-8 text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def resolve_target(
    written: str, kind: TargetKind, places: Places, *, position: Position | None = None
) -> Target:
    """Find the file that a written target means.

    Args:
        written: `plugin:name`, `project:name`, `user:name`, or a path to a SKILL.md, its folder
            or an agent's .md, relative to the project.
        kind: whether a skill or an agent is meant.
        places: the project's folders.
        position: overrides what the folders above the file say.

    Raises:
        TargetError: there is no such target (the message lists those there are), or its file
            cannot be read.
    """
    if is_path(written):
        path = path_of(written, kind, places)
    else:
        _require_name(written, (kind,), places)
        found = _named(written, kind, places)
        if found is None:
            raise _unknown(written, (kind,), places)
        path = found
    return with_owner(read_target(path, kind, position), places)


def resolve_either(
    written: str, places: Places, *, position: Position | None = None
) -> tuple[Target, ...]:
    """Find the skill and the agent that a written target may mean; at least one of them is there.

    The arguments are `resolve_target`'s.

    Raises:
        TargetError: there is neither, or a file cannot be read.
    """
    kinds = tuple(TargetKind)
    if is_path(written):
        kind = kind_at(written, places)
        if kind is None:
            raise TargetError(not_there(written, kinds, places))
        return (resolve_target(written, kind, places, position=position),)
    _require_name(written, kinds, places)
    named = [(kind, _named(written, kind, places)) for kind in kinds]
    found = [(kind, path) for kind, path in named if path is not None]
    if not found:
        raise _unknown(written, kinds, places)
    return tuple(with_owner(read_target(path, kind, position), places) for kind, path in found)


def _require_name(written: str, kinds: Sequence[TargetKind], places: Places) -> None:
    owner, _, name = written.partition(":")
    if not (is_file_name(owner) and all(is_file_name(part) for part in name.split(":"))):
        raise TargetError(
            f"{called(written, kinds)} is not a name; write plugin:name, project:name, user:name"
            f" or a path{known_words(written, kinds, places)}"
        )


def _named(written: str, kind: TargetKind, places: Places) -> Path | None:
    """Find a file by its owner's folder, else by the name under which the project knows it."""
    owner, _, name = written.partition(":")
    for root in _roots_of(owner, places):
        found = _find(root, kind, name)
        if found is not None:
            return found
    return _known(written, name, kind, places)


def _known(written: str, name: str, kind: TargetKind, places: Places) -> Path | None:
    """Find a file by its id, those first whose folder is called so: most need not be read."""
    files = known_files(places, kind)
    likely = [path for path in files if _folded(path.parent.name) == _folded(name)]
    for target in read_files(dict.fromkeys((*likely, *files)), kind):
        if _folded(with_owner(target, places).id) == _folded(written):
            return target.path
    return None


def _unknown(written: str, kinds: Sequence[TargetKind], places: Places) -> TargetError:
    folders = _skill_folders(written, places) if TargetKind.SKILL in kinds else ()
    return TargetError(not_there(written, kinds, places, folders=folders))


def _skill_folders(written: str, places: Places) -> Iterator[Path]:
    """Give the folders in which a skill of a written name would lie."""
    owner, _, name = written.partition(":")
    for root in _roots_of(owner, places):
        yield root / KINDS[TargetKind.SKILL].folder / name


def written_in_suites(target: Target, places: Places) -> str:
    """Write a target so that a suite finds it in any clone: by its name where that does."""
    if _is_found(target, places) and _keeps_name(target, places):
        return target.id
    if target.path.is_relative_to(places.project):
        return Path(os.path.relpath(target.path, places.project)).as_posix()
    return target.path.as_posix()


def invoked_as(target: Target, places: Places) -> str | None:
    """Name a target as it is written on a command line; None where only its path finds it."""
    owner = target.id.partition(":")[0]
    paths = target.path, real_path(target.path)
    roots = tuple(_roots_of(owner, places))
    if any(lies_in(root, path) for root in roots for path in paths):
        return target.id
    return target.id if _is_found(target, places) else None


def _is_found(target: Target, places: Places) -> bool:
    """Whether a target's name finds its file."""
    try:
        found = _named(target.id, target.kind, places)
    except TargetError:
        return False
    return found is not None and real_path(found) == real_path(target.path)


def _keeps_name(target: Target, places: Places) -> bool:
    """Whether a name stays when the project's folder has another: it is not made of that."""
    place = place_of(target.path, target.kind, target.position)
    if not places.project.is_relative_to(place.root) or has_manifest(place.root):
        return True
    return place.certain and place.root in places.plugin_dirs


def is_path(written: str) -> bool:
    """Say whether a written target is a path rather than a name, which has a colon."""
    return "/" in written or ":" not in written


def listed_at(path: Path, *, without: Path | None = None) -> tuple[Target, ...]:
    """Read every skill and agent at a path that Claude Code would list.

    Args:
        path: a file, or a folder that is searched.
        without: a folder below it that is passed over.

    Raises:
        TargetError: there is nothing there, or nothing of it is listed.
    """
    if path.is_dir():
        inside = find_files(path, without=without)
        read = [target for file, kind in inside for target in read_files([file], kind)]
    else:
        read = [read_target(path, kind_of(path))]
    found = tuple(target for target in read if list_target(target).listed)
    if not found:
        raise TargetError(f"{path} holds no skill and no agent that Claude Code lists")
    return found


def siblings(target: Target) -> tuple[Target, ...]:
    """Read the skills and agents beside a target that Claude Code lists, in listing order."""
    root = place_of(target.path, target.kind, target.position).root
    own = target.path.resolve()
    return tuple(
        dataclasses.replace(sibling, is_users=target.is_users)
        for kind in TargetKind
        for sibling in _read_all(root, kind)
        if sibling.path.resolve() != own and list_target(sibling).listed
    )


def named_siblings(target: Target, places: Places) -> tuple[Target, ...]:
    """Read the siblings that a suite of the project can name, as what should fire instead."""
    return tuple(each for each in siblings(target) if written_in_suites(each, places) == each.id)


def place_in_listing(
    target: Target,
    siblings: Sequence[Target],
    *,
    model: str,
    version: str = listing.CLAUDE_VERSION,
    budget: int | None = None,
) -> ListingPlace:
    """Tell how a target stands in the whole listing that a model gets.

    Args:
        target: the skill or agent.
        siblings: what is shown beside it.
        model: a full id or an alias.
        version: of Claude Code.
        budget: columns of the whole listing; None takes those of the model and version.
    """
    listed = list_target(target)
    return listing.place_in_listing(
        listed,
        (listed, *(list_target(sibling) for sibling in siblings)),
        model=model,
        version=version,
        budget=budget,
    )


def _roots_of(owner: str, places: Places) -> Iterator[Path]:
    """Give the folders in which an owner's targets lie."""
    if owner in {PROJECT, USER}:
        yield (places.project if owner == PROJECT else places.home) / PROJECT_FOLDER
        return
    folder = places.plugin_folder(owner)
    if folder is not None:
        yield folder
    if has_manifest(places.project) and plugin_name(places.project) == owner:
        yield places.project


def _find(root: Path, kind: TargetKind, name: str) -> Path | None:
    """Find a file by the name that Claude Code lists, else by its folder's or its own name."""
    files = files_of(root, kind)
    wanted = _folded(name)
    if kind is TargetKind.SKILL:
        named = (path for path in files if _folded(path.parent.name) == wanted)
        found = next(named, None)
        if found is not None:
            return found
    for target in read_files(files, kind):
        if _folded(target.name) == wanted:
            return target.path
    return next((path for path in files if _folded(path.stem) == wanted), None)


def _folded(name: str) -> str:
    """Compare names as people see them: file systems differ in how they compose letters."""
    return unicodedata.normalize("NFC", name)


def _read_all(root: Path, kind: TargetKind) -> tuple[Target, ...]:
    return tuple(read_files(files_of(root, kind), kind))
