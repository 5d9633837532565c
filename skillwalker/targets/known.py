"""All skills and agents of a project and of its user: where they lie, and each read as a target."""

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.file import read_target
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import PROJECT_FOLDER, files_of, has_frontmatter, has_manifest
from skillwalker.user_files import real_path


def known_files(places: Places, kind: TargetKind) -> tuple[Path, ...]:
    """List the files of a project: its plugins in order, its `.claude` folder, then its own.

    A file that cannot be read is there as well; so is what a project holds that is itself a plugin
    or one skill, whether or not its settings say so.
    """
    roots = [*places.plugin_folders()]
    if has_manifest(places.project):
        roots.append(places.project)
    roots.append(places.project / PROJECT_FOLDER)
    found = [file for root in dict.fromkeys(roots) for file in files_of(root, kind)]
    return tuple(dict.fromkeys((*found, *_own_files(places.project, kind))))


def users_files(places: Places, kind: TargetKind) -> tuple[Path, ...]:
    """List the files of the user's own `~/.claude` folder."""
    return files_of(places.home / PROJECT_FOLDER, kind)


def known_targets(places: Places, kind: TargetKind) -> tuple[Target, ...]:
    """Read every target of the project, in the order of `known_files`."""
    found = read_files(known_files(places, kind), kind)
    return tuple(with_owner(target, places) for target in found)


def users_targets(places: Places, kind: TargetKind) -> tuple[Target, ...]:
    """Read every target of the user's own `~/.claude` folder."""
    found = read_files(users_files(places, kind), kind)
    return tuple(with_owner(target, places) for target in found)


def read_files(files: Iterable[Path], kind: TargetKind) -> Iterator[Target]:
    """Read files, without those that cannot be read: they concern nobody who asks for others."""
    for path in files:
        try:
            yield read_target(path, kind)
        except TargetError:
            continue


def with_owner(target: Target, places: Places) -> Target:
    """Note of a target whether it is the user's own rather than the project's."""
    if target.position is not Position.PROJECT:
        return target
    own, project = (folder / PROJECT_FOLDER for folder in (places.home, places.project))
    paths = target.path, real_path(target.path)
    within = (lies_in(own, path) and not lies_in(project, path) for path in paths)
    return dataclasses.replace(target, is_users=any(within))


def lies_in(folder: Path, path: Path) -> bool:
    """Say whether a path lies in a folder, whatever links lead to that."""
    return path.is_relative_to(folder) or path.is_relative_to(real_path(folder))


def _own_files(project: Path, kind: TargetKind) -> Iterator[Path]:
    """List what a project without a manifest holds where a plugin or a skill does.

    There a folder called `agents` may hold texts of any sort, of which those without a frontmatter
    are none.
    """
    if has_manifest(project):
        return
    match kind:
        case TargetKind.SKILL:
            if (project / KINDS[kind].folder).is_dir():
                yield from files_of(project, kind)
            if (project / SKILL_FILE).is_file():
                yield project / SKILL_FILE
        case TargetKind.AGENT:
            for path in files_of(project, kind):
                if has_frontmatter(path) or not os.access(path, os.R_OK):
                    yield path
