"""Which folders the setting `plugin-dirs` has to name for a project's skills to be found."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.errors import ConfigError
from skillwalker.paths import PLUGINS_DIR
from skillwalker.targets.place import PROJECT_FOLDER, place_of
from skillwalker.user_files import read_regular

MARKETPLACE = Path(".claude-plugin", "marketplace.json")


def find_plugin_dirs(
    project: Path, targets: Sequence[Target]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Say which folders the setting `plugin-dirs` has to name, and what it cannot.

    A marketplace's manifest names its plugins; what else was found lies in a plugin or in a
    folder of skills.

    Returns:
        Paths relative to the project, and notes for the user.

    Raises:
        ConfigError: the manifest cannot be read.
    """
    dirs: dict[str, None] = {}
    notes = []
    for name, source in _marketplace(project):
        folder = project / source if source is not None else None
        if folder is None or not folder.is_dir():
            notes.append(f"{MARKETPLACE}: the plugin {name} is not in this folder")
            continue
        dirs[os.path.relpath(folder, project)] = None
    own = (target for target in targets if target.path.is_relative_to(project))
    dirs.update(dict.fromkeys(_root(target, project) for target in own))
    dirs.pop(PROJECT_FOLDER, None)
    return tuple(each for each in dirs if not _is_in_plugins(each)), tuple(notes)


def _root(target: Target, project: Path) -> str:
    """Name the folder that a target's plugin is, or that its skill folder lies in."""
    root = place_of(target.path, target.kind, target.position).root
    return os.path.relpath(root, project) if root.is_relative_to(project) else "."


def _is_in_plugins(folder: str) -> bool:
    parts = Path(folder).parts
    return (parts[:1] == (PLUGINS_DIR,) and len(parts) <= 2) or PROJECT_FOLDER in parts


def _marketplace(project: Path) -> Iterator[tuple[str, str | None]]:
    """Read the plugins of a marketplace's manifest: name, and folder where it is a local one.

    Raises:
        ConfigError: the manifest is there and no JSON.
    """
    try:
        manifest = json.loads(read_regular(project / MARKETPLACE))
    except FileNotFoundError:
        return
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{MARKETPLACE}: cannot be read ({error}); correct it first") from error
    values = manifest if isinstance(manifest, dict) else {}
    metadata = values.get("metadata")
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    plugins = values.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else ():
        if isinstance(plugin, dict):
            yield str(plugin.get("name")), _local(plugin.get("source"), root)


def _local(source: object, root: object) -> str | None:
    """Give a source that is a folder of the marketplace; None where it is elsewhere."""
    if not isinstance(source, str) or "://" in source:
        return None
    base = root if isinstance(root, str) and not source.startswith("./") else "."
    path = Path(os.path.normpath(Path(base, source)))
    return None if path.is_absolute() or ".." in path.parts else path.as_posix()
