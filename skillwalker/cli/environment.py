"""The environment variables that Skillwalker reads; no other module reads any."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillwalker.config import Login


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
    return Path(os.environ.get("HOME") or Path.home())


def temporary_folder() -> Path:
    """Where throw-away copies are made (TMPDIR, else the system's)."""
    return Path(tempfile.gettempdir())


def can_ask() -> bool:
    """Whether a person can be asked: questions go to stderr, answers come from stdin."""
    return sys.stdin.isatty() and sys.stderr.isatty()
