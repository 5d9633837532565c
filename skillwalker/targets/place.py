"""Where the files of skills and agents lie, and what a file's place makes of it.

Claude Code 2.1.332 loads, seen in its requests: of a plugin `skills/<folder>/SKILL.md` (direct
children only; folders named alike once every character but ASCII letters, digits, `_` and `-`
is a `-` count once) besides the folders that the manifest names under `skills`; every `.md` below
`agents/`, whose subfolders become part of the name, unless the manifest names agents, which then
are the only ones; a plugin's own `SKILL.md` when it has no skills folder. Of a `.claude` folder
`skills/<folder>/SKILL.md` and every `.md` below `agents/`, under the agent's bare name.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.paths import MANIFEST, plugin_name
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.user_files import is_special, read_regular, real_path

PROJECT_FOLDER = ".claude"
DEEPEST_AGENT = 8
"""Levels of folders below `agents/` that are searched; a link to itself must not go on for ever."""
INSTALLED = Path("plugins", "installed_plugins.json")
"""Claude Code's record of installed plugins, below the user's `.claude`."""
NOT_SEARCHED = frozenset({".git", ".hg", ".venv", "__pycache__", "node_modules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a file stands."""

    position: Position
    plugin: str | None
    """The plugin's name; None in project position."""
    root: Path
    """The plugin's folder, or the `.claude` folder."""
    certain: bool
    """Whether a manifest, a layout folder or `.claude` says so; else the parent stands in."""


def kind_of(path: Path) -> TargetKind:
    """Tell the kind of a file by its name."""
    return TargetKind.SKILL if path.name == SKILL_FILE else TargetKind.AGENT


def place_of(path: Path, kind: TargetKind, position: Position | None = None) -> Place:
    """Tell the position of a file, and its plugin, from the folders above it.

    The nearest of these decides: a manifest, a `skills` or `agents` folder, a `.claude` folder.

    Args:
        path: absolute; it need not exist.
        kind: what the file is read as.
        position: overrides what the folders say.
    """
    root, certain = _root_of(path, kind)
    if position is None:
        position = Position.PROJECT if root.name == PROJECT_FOLDER else Position.PLUGIN
    plugin = None
    if position is Position.PLUGIN:
        named = plugin_name(root.parent if root.name == PROJECT_FOLDER else root)
        plugin = named or path.parent.name  # the topmost folder of all has no name
    return Place(position=position, plugin=plugin, root=root, certain=certain)


def _root_of(path: Path, kind: TargetKind) -> tuple[Path, bool]:
    start = path.parent
    if kind is TargetKind.SKILL:
        if has_manifest(start):
            return start, True
        start = start.parent
    for folder in (start, *start.parents):
        if folder.name == PROJECT_FOLDER or has_manifest(folder):
            return folder, True
        if folder.name == KINDS[kind].folder:
            return folder.parent, True
    return start, False


def has_manifest(folder: Path) -> bool:
    """Say whether a folder names itself a plugin, as far as one may look into it."""
    try:
        return (folder / MANIFEST).is_file()
    except OSError:
        return False


def has_frontmatter(path: Path) -> bool:
    """Say whether a file begins as one with a frontmatter does."""
    try:
        return path.is_file() and path.read_bytes()[:7].lstrip(b"\xef\xbb\xbf").startswith(b"---")
    except OSError:
        return False


def files_of(root: Path, kind: TargetKind) -> tuple[Path, ...]:
    """List the files of a kind that Claude Code loads from a plugin or `.claude` folder.

    What may not be looked at is given as well: who reads it is told why it cannot be read.
    """
    match kind:
        case TargetKind.SKILL:
            return tuple(dict.fromkeys(_skill_files(root)))
        case TargetKind.AGENT:
            return tuple(dict.fromkeys(_agent_files(root)))


def _skill_files(root: Path) -> Iterator[Path]:
    folders = _skill_folders(root)
    for folder in folders:
        if _may_be_file(folder / SKILL_FILE):
            yield folder / SKILL_FILE
            continue
        for path in (child / SKILL_FILE for child in _entries(folder)):
            if _may_be_file(path):
                yield path
    if not any(_may_be_folder(folder) for folder in folders) and _may_be_file(root / SKILL_FILE):
        yield root / SKILL_FILE


def _skill_folders(root: Path) -> tuple[Path, ...]:
    return root / KINDS[TargetKind.SKILL].folder, *_named_in_manifest(root, "skills")


def is_named_by_frontmatter(path: Path, place: Place) -> bool:
    """Say whether a skill's frontmatter names it in place of its folder.

    So it is with a plugin that is itself one skill, and with a skill folder that the manifest
    names.
    """
    return place.position is Position.PLUGIN and path.parent in {
        place.root,
        *_skill_folders(place.root),
    }


def _agent_files(root: Path) -> Iterator[Path]:
    named = _named_in_manifest(root, "agents") or (root / KINDS[TargetKind.AGENT].folder,)
    for entry in named:
        yield from (_markdown_below(entry) if _is_folder(entry) else _markdown(entry))


def _markdown(path: Path) -> Iterator[Path]:
    if path.suffix.lower() == ".md" and _may_be_file(path):
        yield path


def _markdown_below(folder: Path, levels: int = DEEPEST_AGENT) -> Iterator[Path]:
    if not _can_be_listed(folder):
        yield folder
    for entry in _entries(folder):
        if _is_folder(entry):
            if levels:
                yield from _markdown_below(entry, levels - 1)
        else:
            yield from _markdown(entry)


def _named_in_manifest(root: Path, key: str) -> tuple[Path, ...]:
    """Give the paths that a manifest names under a key; those that leave the plugin are dropped."""
    try:
        manifest = json.loads(read_regular(root / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return ()
    value = manifest.get(key) if isinstance(manifest, dict) else None
    entries = [value] if isinstance(value, str) else value
    if not isinstance(entries, list):
        return ()
    written = (PurePosixPath(entry) for entry in entries if isinstance(entry, str))
    return tuple(root / entry for entry in written if _stays_inside(entry))


def _stays_inside(path: PurePosixPath) -> bool:
    return not path.is_absolute() and ".." not in path.parts and path.as_posix().isprintable()


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _can_be_listed(folder: Path) -> bool:
    try:
        next(folder.iterdir(), None)
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _may_be_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return True


def _may_be_file(path: Path) -> bool:
    """Whether something lies there that should be a file: one, or a link to nothing, or a pipe."""
    try:
        return path.is_file() or path.is_symlink() or is_special(path)
    except OSError:
        return True


def folders_to_agent(path: Path, place: Place) -> tuple[str, ...]:
    """Give the folders between `agents/` and an agent's file: part of its name in a plugin."""
    try:
        inner = path.relative_to(place.root / KINDS[TargetKind.AGENT].folder)
    except ValueError:
        return ()
    return inner.parent.parts


def find_files(folder: Path, *, without: Path | None = None) -> tuple[tuple[Path, TargetKind], ...]:
    """Search a folder for skills and agents, loaded or not, in order of their paths.

    An `.md` below a folder named `agents` is an agent, unless it belongs to a skill. A folder that
    may not be looked into stands for what should lie in it: who reads it is told why it cannot be.

    Args:
        folder: to search.
        without: one below it that is passed over; runs keep copies of the files that they wrote.
    """
    found: list[tuple[Path, TargetKind]] = []
    closed: list[OSError] = []
    for where, folders, names in os.walk(folder, onerror=closed.append):
        here = Path(where)
        folders[:] = searched(here, folders, without)
        if SKILL_FILE in names:
            found.append((here / SKILL_FILE, TargetKind.SKILL))
            if KINDS[TargetKind.AGENT].folder in folders and not has_manifest(here):
                folders.remove(KINDS[TargetKind.AGENT].folder)
        if KINDS[TargetKind.AGENT].folder in (folder.name, *here.relative_to(folder).parts):
            found += [
                (here / name, TargetKind.AGENT)
                for name in sorted(names)
                if name != SKILL_FILE and name.lower().endswith(".md")
            ]
    found += [each for error in closed for each in _in(error, folder)]
    return tuple(found)


def searched(where: Path, folders: Iterable[str], without: Path | None = None) -> list[str]:
    """Give the names of the folders in a folder that a search looks into, in order.

    Args:
        where: the folder.
        folders: names of those that lie in it.
        without: one that is passed over.
    """
    names = sorted(name for name in folders if name not in NOT_SEARCHED)
    left_out = None if without is None else real_path(without)
    if left_out is None or left_out.name not in names:
        return names
    return [name for name in names if real_path(where / name) != left_out]


def _in(error: OSError, root: Path) -> Iterator[tuple[Path, TargetKind]]:
    """Give what should lie in a folder that may not be looked into."""
    folder = Path(os.fsdecode(error.filename))
    skills, agents = (KINDS[kind].folder for kind in (TargetKind.SKILL, TargetKind.AGENT))
    if folder == root or skills in (folder.name, folder.parent.name):
        yield folder / SKILL_FILE, TargetKind.SKILL
    elif agents in (folder.name, folder.parent.name):
        yield folder, TargetKind.AGENT
