"""Targets by their written names: which file is meant, who stands beside it, how it is called."""

import dataclasses
import hashlib
import os
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from skillwalker.datatypes.inputs import ListingPlace, Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.faults import quoted, shown
from skillwalker.listing import listed as listing
from skillwalker.paths import MANIFEST, Places, is_file_name, plugin_name
from skillwalker.targets.file import list_target, read_target
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import (
    PROJECT_FOLDER,
    files_of,
    find_files,
    kind_of,
    place_of,
)

PROJECT, USER = "project", "user"
CLOSE = 0.75
"""How alike two names must be for one to be meant by the other, from 0 to 1."""
MOST_NAMED = 20
"""Known targets that a message lists."""


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
        return with_owner(read_target(_path_of(written, kind, places), kind, position), places)
    owner, _, name = written.partition(":")
    if not (is_file_name(owner) and all(is_file_name(part) for part in name.split(":"))):
        raise TargetError(
            f"{_called(written, kind)} is not a name; write plugin:name, project:name, user:name"
            f" or a path{_known(written, kind, places)}"
        )
    for root in _roots_of(owner, places):
        found = _find(root, kind, name)
        if found is not None:
            return with_owner(read_target(found, kind, position), places)
    raise TargetError(f"there is no {_called(written, kind)}{_known(written, kind, places)}")


def with_owner(target: Target, places: Places) -> Target:
    """Note of a target whether it is the user's own rather than the project's."""
    if target.position is not Position.PROJECT:
        return target
    own, project = (folder / PROJECT_FOLDER for folder in (places.home, places.project))
    paths = target.path, target.path.resolve()
    within = (_lies_in(own, path) and not _lies_in(project, path) for path in paths)
    return dataclasses.replace(target, is_users=any(within))


def _lies_in(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder) or path.is_relative_to(folder.resolve())


def written_in_suites(target: Target, places: Places) -> str:
    """Write a target so that a suite finds it again: by its name where that does."""
    try:
        if resolve_target(target.id, target.kind, places).path.resolve() == target.path.resolve():
            return target.id
    except TargetError:
        pass
    if target.path.is_relative_to(places.project):
        return Path(os.path.relpath(target.path, places.project)).as_posix()
    return target.path.as_posix()


def invoked_as(target: Target, places: Places) -> str | None:
    """Name a target as it is written on a command line; None where only its path finds it."""
    owner = target.id.partition(":")[0]
    paths = target.path, target.path.resolve()
    roots = tuple(_roots_of(owner, places))
    return target.id if any(_lies_in(root, path) for root in roots for path in paths) else None


def is_path(written: str) -> bool:
    """Say whether a written target is a path rather than a name, which has a colon."""
    return "/" in written or ":" not in written


def known_targets(places: Places, kind: TargetKind) -> tuple[Target, ...]:
    """Read every target of the project: its plugins in order, then its `.claude` folder."""
    roots = [*places.plugin_folders()]
    if (places.project / MANIFEST).is_file():
        roots.append(places.project)
    roots.append(places.project / PROJECT_FOLDER)
    return tuple(target for root in dict.fromkeys(roots) for target in _read_all(root, kind))


def users_targets(places: Places, kind: TargetKind) -> tuple[Target, ...]:
    """Read every target of the user's own `~/.claude` folder."""
    found = _read_all(places.home / PROJECT_FOLDER, kind)
    return tuple(with_owner(target, places) for target in found)


def listed_at(path: Path) -> tuple[Target, ...]:
    """Read every skill and agent at a path that Claude Code would list.

    Args:
        path: a file, or a folder that is searched.

    Raises:
        TargetError: there is nothing there, or nothing of it is listed.
    """
    if path.is_dir():
        inside = find_files(path)
        read = [target for file, kind in inside for target in _read_files([file], kind)]
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


def _path_of(written: str, kind: TargetKind, places: Places) -> Path:
    """Turn a written path into the file's, without following links."""
    facts = KINDS[kind]
    if any(unicodedata.category(char) in {"Cc", "Cs"} for char in written):
        raise TargetError(f"{_called(written, kind)}: a path holds no control characters")
    if not written.strip():
        raise TargetError(f"no {facts.noun} is named{_known(written, kind, places)}")
    path = Path(os.path.normpath(places.project / written))
    try:
        if path.is_dir():
            if kind is not TargetKind.SKILL:
                raise TargetError(f"{path} is a folder; name the agent's .md file in it")
            path = path / SKILL_FILE
        exists = path.exists()
    except OSError as error:
        raise TargetError(f"{_called(written, kind)} cannot be read: {error.strerror}") from error
    if exists and not _may_be(path, kind):
        name = SKILL_FILE if kind is TargetKind.SKILL else "NAME.md"
        raise TargetError(
            f"{path} is not {facts.article} {facts.noun}'s file; it must be named {name}"
        )
    if not exists and path.name != SKILL_FILE:
        raise TargetError(
            f"there is no {facts.noun} at {path}; relative paths start at the project"
            f"{_known(written, kind, places)}"
        )
    return path


def _may_be(path: Path, kind: TargetKind) -> bool:
    """Whether a file of that name is read as that kind."""
    match kind:
        case TargetKind.SKILL:
            return kind_of(path) is kind
        case TargetKind.AGENT:
            return path.suffix.lower() == ".md"


def _roots_of(owner: str, places: Places) -> Iterator[Path]:
    """Give the folders in which an owner's targets lie."""
    if owner in {PROJECT, USER}:
        yield (places.project if owner == PROJECT else places.home) / PROJECT_FOLDER
        return
    folder = places.plugin_folder(owner)
    if folder is not None:
        yield folder
    if (places.project / MANIFEST).is_file() and plugin_name(places.project) == owner:
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
    for target in _read_files(files, kind):
        if _folded(target.name) == wanted:
            return target.path
    return next((path for path in files if _folded(path.stem) == wanted), None)


def _folded(name: str) -> str:
    """Compare names as people see them: file systems differ in how they compose letters."""
    return unicodedata.normalize("NFC", name)


def _read_all(root: Path, kind: TargetKind) -> tuple[Target, ...]:
    return tuple(_read_files(files_of(root, kind), kind))


def _read_files(files: Sequence[Path], kind: TargetKind) -> Iterator[Target]:
    """Read files, without those that cannot be read: they concern nobody who asks for others."""
    for path in files:
        try:
            yield read_target(path, kind)
        except TargetError:
            continue


def _called(written: str, kind: TargetKind) -> str:
    return f"{KINDS[kind].noun} {shown(written)}"


def _known(written: str, kind: TargetKind, places: Places) -> str:
    """Finish a message about an unknown target: what was meant, and what there is."""
    targets = known_targets(places, kind)
    if written.startswith(f"{USER}:"):
        targets = users_targets(places, kind)
    ids = sorted({target.id for target in targets})
    if not ids:
        owner = "~/.claude" if written.startswith(f"{USER}:") else "the project"
        return f"; {owner} has no {KINDS[kind].plural} yet"
    by_name = {known.partition(":")[2]: known for known in reversed(ids)} | {
        each: each for each in ids
    }
    meant = get_close_matches(written, by_name, n=1, cutoff=CLOSE)
    hint = f"; did you mean {quoted(by_name[meant[0]])}?" if meant else ""
    listed = ", ".join(ids[:MOST_NAMED]) + (", …" if len(ids) > MOST_NAMED else "")
    return f"{hint} (known {KINDS[kind].plural}: {listed})" if hint else f"; known: {listed}"
