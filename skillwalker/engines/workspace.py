"""Fills the working folder of a trial: the scaffold as a git repository, and the project's files.

What could run on its own or change what is measured stays out of every copy: settings, hooks and
servers. Author and dates of the commit are fixed, so that the same scaffold gives the same commit
and the same request in every trial.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from skillwalker.user_files import real_path

_LEFT_OUT = (".git", ".mcp.json")
_ACTING = ("settings", "hooks")
"""Beginnings of names in a `.claude` folder that act by themselves."""

_GIT_ENV = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Skillwalker",
    "GIT_AUTHOR_EMAIL": "skillwalker@example.invalid",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00+0000",
    "GIT_COMMITTER_NAME": "Skillwalker",
    "GIT_COMMITTER_EMAIL": "skillwalker@example.invalid",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00+0000",
    "GIT_TERMINAL_PROMPT": "0",
}
_GIT_COMMANDS = (
    ("init", "--quiet", "--template=", "--initial-branch=main"),
    ("add", "--all"),
    ("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "--message", "Start"),
)


def fill_workspace(
    work: Path, *, scaffold: Path | None, project_dir: Path | None, env: Mapping[str, str]
) -> None:
    """Copy a scaffold and a project's `.claude` into an empty working folder.

    Args:
        work: the empty folder.
        scaffold: copied and committed to a new git repository; None leaves a plain folder.
        project_dir: its `.claude` is laid into the folder, unseen by git.
        env: environment for git, with PATH and HOME.

    Raises:
        OSError: something cannot be read or written, or there is no git.
        subprocess.CalledProcessError: git failed.
    """
    if scaffold is not None:
        _copy(scaffold, work)
        _commit(work, env)
    if project_dir is not None and (project_dir / ".claude").is_dir():
        _copy(project_dir / ".claude", work / ".claude")


def _copy(source: Path, target: Path) -> None:
    inside = source.resolve(strict=True)

    def left_out(folder: str, names: Iterable[str]) -> set[str]:
        return {name for name in names if _is_left_out(Path(folder) / name, inside)}

    shutil.copytree(source, target, symlinks=True, ignore=left_out, dirs_exist_ok=True)


def _is_left_out(path: Path, inside: Path) -> bool:
    """Say whether a file must not reach a trial: it acts by itself, or it leads out."""
    in_claude = path.parent.name == ".claude"
    if path.name in _LEFT_OUT or (in_claude and path.name.startswith(_ACTING)):
        return True
    if path.is_symlink():
        return path.readlink().is_absolute() or not real_path(path).is_relative_to(inside)
    return not (path.is_file() or path.is_dir())


def _commit(work: Path, env: Mapping[str, str]) -> None:
    # A project's `.claude` changes with the candidate; kept out of git's sight, it leaves the
    # repository, and so the part of the request that describes it, the same for all.
    for command in _GIT_COMMANDS:
        subprocess.run(
            ["git", *command],
            cwd=work,
            env={**env, **_GIT_ENV},
            check=True,
            capture_output=True,
            timeout=60,
        )
    (work / ".git" / "info").mkdir(exist_ok=True)
    (work / ".git" / "info" / "exclude").write_text("/.claude/\n", encoding="utf-8")
