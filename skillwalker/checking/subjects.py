"""What a check is about: the files of skills and agents, and the suites, at some paths."""

import dataclasses
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.checking.suites import SuitePlace
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import (
    EVALS_DIR,
    PLUGINS_DIR,
    Places,
    find_project,
    open_places,
)
from skillwalker.settings import load_settings
from skillwalker.suites.load import TESTS_FILE, list_suites
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import (
    NOT_SEARCHED,
    PROJECT_FOLDER,
    find_files,
    has_frontmatter,
    has_manifest,
    kind_of,
    place_of,
)

SUITE_FOLDERS = frozenset({EVALS_DIR, "test-suites"})
"""Folders whose folders are suites, wherever they lie."""

Files = tuple[tuple[Path, TargetKind], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is to be checked."""

    files: Files
    folders: tuple[Path, ...]
    """Where those were looked for."""
    suites: tuple[SuitePlace, ...]
    evals_dirs: tuple[Path, ...]
    """Folders whose folders should be suites."""


def whole_project(places: Places) -> Subject:
    """Take all suites of a project and all files in its plugins and its `.claude` folder."""
    roots = [*places.plugin_folders(), places.project / PROJECT_FOLDER]
    # a project may itself be a plugin, or one skill
    roots += [places.project / facts.folder for facts in KINDS.values()]
    roots.append(places.project / SKILL_FILE)
    folders = tuple(root for root in dict.fromkeys(roots) if root.exists())
    return Subject(
        files=tuple(dict.fromkeys(file for root in folders for file in _files_at(root))),
        folders=tuple(folder for folder in folders if folder.is_dir()),
        suites=tuple(SuitePlace(places=places, name=name) for name in list_suites(places)),
        evals_dirs=(places.evals_dir,),
    )


def at_paths(paths: Sequence[Path], places: Places) -> Subject:
    """Take what lies at some paths: files, suites, or folders that are searched for both.

    Args:
        paths: absolute.
        places: the project; a suite of elsewhere belongs to the project that it lies in.

    Raises:
        TargetError: there is nothing at a path, or neither a skill, an agent nor a suite.
    """
    files: dict[tuple[Path, TargetKind], None] = {}
    suites: dict[Path, SuitePlace] = {}
    for path in paths:
        if not is_there(path):
            raise TargetError(f"there is nothing at {path}{_loop(path)}; check the path")
        inside = _files_at(path, without=places.output_dir)
        own = tuple(_suites_at(path, places))
        if not inside and not own:
            raise TargetError(f"{path} holds no skill, no agent and no suite")
        files |= dict.fromkeys(inside)
        suites |= {suite.path: suite for suite in own}
    folders = tuple(path for path in paths if path.is_dir())
    evals_dirs = [place.places.evals_dir for place in suites.values()]
    evals_dirs += [path / EVALS_DIR for path in folders]
    evals_dirs += [path for path in folders if path.name in SUITE_FOLDERS]
    return Subject(
        files=tuple(files),
        folders=folders,
        suites=tuple(suites.values()),
        evals_dirs=tuple(dict.fromkeys(evals_dirs)),
    )


def _loop(path: Path) -> str:
    """Add to a message that links lead round in a circle."""
    try:
        path.stat()
    except OSError as error:
        return ": it is a link that leads back to itself" if error.errno == errno.ELOOP else ""
    return ""


def is_there(path: Path) -> bool:
    """Say whether something lies at a path, which may be no path at all."""
    try:
        return path.exists()
    except OSError:
        return False


def _files_at(path: Path, *, without: Path | None = None) -> Files:
    if path.is_file():
        is_one = path.suffix.lower() == ".md"
        return ((path, kind_of(path)),) if is_one else ()
    return tuple(
        (file, kind)
        for file, kind in find_files(path, without=without)
        if not _belongs_to_skill(file, path) and not _is_prose(file, kind)
    )


def _is_prose(file: Path, kind: TargetKind) -> bool:
    """Say whether a text in a folder called agents is none: nothing says that it is."""
    root = place_of(file, kind).root
    is_loaded = root.name == PROJECT_FOLDER or has_manifest(root)
    if kind is TargetKind.SKILL or is_loaded or root.parent.name == PLUGINS_DIR:
        return False
    return not has_frontmatter(file)


def _belongs_to_skill(file: Path, root: Path) -> bool:
    """Say whether a file is material of a skill above it, as a template is."""
    above = file.parent.parents
    return any(
        (folder / SKILL_FILE).is_file() and not has_manifest(folder)
        for folder in above
        if folder.is_relative_to(root)
    )


def _suites_at(path: Path, places: Places) -> Iterator[SuitePlace]:
    if path.is_file():
        if path.name == TESTS_FILE:
            yield _suite(path.parent, places)
        return
    if (path / TESTS_FILE).exists():
        yield _suite(path, places)
    for where, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in NOT_SEARCHED)
        folder = Path(where)
        is_inside = folder.parent == path or folder.parent.name in SUITE_FOLDERS
        if TESTS_FILE in names and is_inside and folder != path:
            yield _suite(folder, places)


def _suite(folder: Path, places: Places) -> SuitePlace:
    """Place a suite in its project: this one, else the one that it lies in."""
    evals_dir = folder.parent
    if evals_dir.resolve() == places.evals_dir.resolve():
        return SuitePlace(places=places, name=folder.name)
    project = find_project(evals_dir.parent if evals_dir.name in SUITE_FOLDERS else evals_dir)
    own = open_places(project, load_settings(project), places.home)
    return SuitePlace(places=dataclasses.replace(own, evals_dir=evals_dir), name=folder.name)
