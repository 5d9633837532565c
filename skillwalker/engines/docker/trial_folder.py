"""Writes the folder that a trial's container sees, read-only: prompt, working folder, plugins."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from skillwalker.datatypes.trials import Invocation
from skillwalker.engines.docker.hardening import INPUT
from skillwalker.engines.workspace import fill_workspace
from skillwalker.errors import TrialError
from skillwalker.scratch import is_full, no_place
from skillwalker.user_files import read_regular

_MANIFEST = Path(".claude-plugin") / "plugin.json"


def write_trial(folder: Path, invocation: Invocation, *, path: str) -> None:
    """Write what an invocation shows.

    Args:
        folder: not there yet.
        invocation: what is to be run.
        path: PATH for git.

    Raises:
        TrialError: something of it cannot be read or written.
        EngineUnavailableError: the disk is full.
    """
    try:
        (folder / "work").mkdir(parents=True)
        (folder / "prompt").write_bytes(invocation.prompt.encode(errors="surrogatepass"))
        fill_workspace(
            folder / "work",
            scaffold=invocation.scaffold,
            project_dir=invocation.project_dir,
            env={"PATH": path, "HOME": str(folder)},
        )
        for number, plugin in enumerate(invocation.plugin_dirs):
            target = folder / _plugin_place(number, plugin)
            # Links stay links: one that leads out of the plugin leads nowhere inside.
            shutil.copytree(plugin, target, symlinks=True, ignore=_leave_out_unreadable)
        _let_all_read(folder)
    except subprocess.SubprocessError as error:
        raise TrialError("set_up", f"{invocation.scaffold}: git failed: {error}") from error
    except OSError as error:
        if is_full(error):
            raise no_place(folder, error) from error
        place = error.filename or invocation.scaffold or folder
        detail = f"{place}: cannot set up the container's folder: {error.strerror or error}"
        raise TrialError("set_up", detail) from error


def inner_plugin_dirs(invocation: Invocation) -> tuple[str, ...]:
    """Name the plugin folders as the container sees them."""
    return tuple(
        f"{INPUT}/{_plugin_place(number, plugin).as_posix()}"
        for number, plugin in enumerate(invocation.plugin_dirs)
    )


def _plugin_place(number: int, plugin: Path) -> Path:
    """Choose a place that is the same for every candidate; without a manifest the name counts."""
    return Path("plugins") / str(number) / ("plugin" if _has_name(plugin) else plugin.name)


def _has_name(plugin: Path) -> bool:
    try:
        manifest = json.loads(read_regular(plugin / _MANIFEST))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and bool(manifest.get("name"))


def _leave_out_unreadable(folder: str, names: Iterable[str]) -> set[str]:
    """Name what is no file, folder or link: sockets and pipes."""
    paths = ((name, Path(folder) / name) for name in names)
    return {
        name for name, path in paths if not (path.is_symlink() or path.is_file() or path.is_dir())
    }


def _let_all_read(folder: Path) -> None:
    """Let the container's user read everything; the folder around it stays closed."""
    for place, _folders, files in os.walk(folder):
        Path(place).chmod(0o755)
        for path in (Path(place) / name for name in files):
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(0o755 if mode & 0o100 else 0o644)
