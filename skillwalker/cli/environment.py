"""The environment variables that Skillwalker reads; no other module reads any."""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillwalker.config import Login


LOGIN_VARIABLES = frozenset(
    {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
)

COLUMNS, LEAST_COLUMNS = 80, 20
CUT = "_SKILLWALKER_CUT"


def read_login() -> "Login":
    """Read the login variables; an empty one counts as unset."""
    from skillwalker.config import Login

    return Login(
        api_key=os.environ.get("ANTHROPIC_API_KEY") or None,
        auth_token=os.environ.get("ANTHROPIC_AUTH_TOKEN") or None,
        oauth_token=os.environ.get("CLAUDE_CODE_OAUTH_TOKEN") or None,
        base_url=os.environ.get("ANTHROPIC_BASE_URL") or None,
    )


def home_folder() -> Path:
    """The user's home, where `user:` targets lie."""
    return Path(os.environ.get("HOME") or Path.home()).absolute()


def is_completing(program: str) -> bool:
    """Whether a shell asks a console script what could come next on its line."""
    return f"_{program.upper()}_COMPLETE" in os.environ


def bash_line() -> tuple[str, int] | None:
    """The words of the line that bash completes, and which of them; None in other shells."""
    words, at = os.environ.get("COMP_WORDS"), os.environ.get("COMP_CWORD", "")
    return (words, int(at)) if words is not None and at.isdecimal() else None


def set_bash_line(words: str, at: int, before: str) -> None:
    """Put other words in their place.

    Args:
        words: of the line.
        at: which of them is completed.
        before: what bash took for words of their own and is a part of it.
    """
    os.environ |= {"COMP_WORDS": words, "COMP_CWORD": str(at), CUT: before}


def cut_by_bash() -> str:
    """What of the word that is completed is not to be offered, since bash has it already."""
    return os.environ.get(CUT, "")


def temporary_folder() -> Path:
    """Where throw-away copies are made (TMPDIR, else the system's).

    A TMPDIR that cannot be written is not passed over, as `tempfile` does: the paths of trials
    stand in what Claude is sent.

    Raises:
        EngineUnavailableError: there is no such folder.
    """
    if named := os.environ.get("TMPDIR"):
        return Path(named).absolute()
    try:
        return Path(tempfile.gettempdir())
    except OSError as error:
        from skillwalker.errors import EngineUnavailableError

        raise EngineUnavailableError(f"{error.strerror}; set TMPDIR to one") from error


def plain_width() -> int:
    """Columns of what is written off a terminal: COLUMNS, else 80."""
    written = os.environ.get("COLUMNS", "")
    columns = int(written) if written.isascii() and written.isdecimal() else 0
    return columns if columns >= LEAST_COLUMNS else COLUMNS


def can_ask() -> bool:
    """Whether a person can be asked: questions go to stderr, answers come from stdin."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def read_editor() -> str | None:
    """The command that opens a text for the user to edit; None where EDITOR names none."""
    return os.environ.get("EDITOR") or None


def read_docker_host() -> str | None:
    """Where the Docker daemon listens; None leaves it to the user's Docker context."""
    return os.environ.get("DOCKER_HOST") or None


def search_path() -> str:
    """Where programs are looked for."""
    return os.environ.get("PATH") or os.defpath


def command_environment(allowed: Iterable[str]) -> dict[str, str]:
    """The environment of a user's own verification command: everything but the login.

    Args:
        allowed: variables that the user lets through all the same (`engine-env`).
    """
    kept = frozenset(allowed)
    return {k: v for k, v in os.environ.items() if k not in LOGIN_VARIABLES or k in kept}


def read_variables(names: Iterable[str]) -> dict[str, str]:
    """Read the variables that the user lets through to a trial (`engine-env`), where set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def in_github_actions() -> bool:
    """Whether the command runs in a job of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def job_summary() -> Path | None:
    """Where GitHub Actions takes a step's summary from, as Markdown."""
    named = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(named) if named else None
