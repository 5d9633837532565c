"""Where suites, plugins and runs of a project lie."""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from skillwalker.settings import SETTINGS_FILE, MetricSettings, Settings
from skillwalker.user_files import read_regular

EVALS_DIR = "evals"
PLUGINS_DIR = "plugins"
MAX_NAME_BYTES = 255
"""Longest file name. Source: NAME_MAX of Linux and macOS file systems."""
MANIFEST = Path(".claude-plugin", "plugin.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one project; every path below the command line comes from here."""

    project: Path
    evals_dir: Path
    plugin_dirs: tuple[Path, ...]
    """Folders of plugins, or plugins themselves: `plugins/` first, then the settings' entries."""
    output_dir: Path
    home: Path
    """The user's home, in which `user:name` targets lie."""
    metrics: tuple[MetricSettings, ...] | None = None
    """What the settings declare; None where no settings were read."""
    said: str | None = None
    """How the project was named after `-C`; None where it was found from the current folder."""

    def plugin_folder(self, name: str) -> Path | None:
        """Find a plugin by its folder's name, else by the name in its manifest.

        Looked for in `plugins/`, in each entry of `plugin-dirs`, then in the project itself.
        """
        if not is_file_name(name):
            return None
        for folder in self.plugin_dirs:
            if is_plugin(folder) and name == folder.name:
                return folder
            if _is_folder(folder / name):
                return folder / name
        if _is_folder(self.project / name):
            return self.project / name
        named = (folder for folder in self.plugin_folders() if plugin_name(folder) == name)
        return next(named, None)

    def plugin_folders(self) -> tuple[Path, ...]:
        """List the plugins in `plugins/` and the settings' entries, by name within each."""
        found: dict[Path, None] = {}
        for folder in self.plugin_dirs:
            if is_plugin(folder):
                found[folder] = None
            else:
                found.update(dict.fromkeys(_subfolders(folder)))
        return tuple(found)


def in_project(command: str, project: str | None) -> str:
    """Write a command so that it finds the project again.

    Args:
        command: as it is given in the project's folder.
        project: how the user named it after `-C`; None where it was found.
    """
    if project is None:
        return command
    program, _, rest = command.partition(" ")
    return f"{program} -C {quote(project)} {rest}"


def is_file_name(name: str) -> bool:
    """Say whether a name stays inside the folder that it is looked for in.

    Any script is good; separators, control characters, lone surrogates, dots alone and more
    bytes than a file name may have are not.
    """
    if not name.strip(". ") or any(mark in name for mark in "/\\"):
        return False
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        return False
    return not any(unicodedata.category(char) in {"Cc", "Cs"} for char in name)


def is_plugin(folder: Path) -> bool:
    """Say whether a folder is itself a plugin, rather than one that holds plugins.

    Judged by its files, for a plugin may itself be called `skills`.
    """
    files = (str(MANIFEST), "SKILL.md", "skills/*/SKILL.md", "agents/*.md")
    return any(any(folder.glob(pattern)) for pattern in files)


def plugin_name(folder: Path) -> str:
    """Name a plugin as Claude Code does: by its manifest, else by its folder."""
    try:
        manifest = json.loads(read_regular(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return folder.name
    name = manifest.get("name") if isinstance(manifest, dict) else None
    return name if isinstance(name, str) and name else folder.name


def find_project(start: Path) -> Path:
    """Find the project that a folder belongs to.

    The nearest folder upwards that holds `skillwalker.toml`, else the nearest that holds
    `evals/`, else the folder itself.
    """
    folders = (start, *start.parents)
    for folder in folders:
        if _is_there(folder / SETTINGS_FILE):
            return folder
    return next((folder for folder in folders if (folder / EVALS_DIR).is_dir()), start)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def open_places(project: Path, settings: Settings, home: Path) -> Places:
    """Lay a project's settings out as paths; a relative one is relative to the project."""

    def place(written: str) -> Path:
        if written == "~" or written.startswith("~/"):
            return home / written[2:]
        return project / written

    return Places(
        project=project,
        evals_dir=place(settings.evals_dir),
        plugin_dirs=(project / PLUGINS_DIR, *(place(entry) for entry in settings.plugin_dirs)),
        output_dir=place(settings.output_dir),
        home=home,
        metrics=settings.metrics,
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # not to be looked into: for us it is not there
        return False


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if _is_folder(path) and path.name[0] != ".")
    except OSError:
        return []
