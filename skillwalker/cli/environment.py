"""The environment variables that Skillwalker reads; no other module reads any."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How requests are paid for; a secret is never part of a message or a file."""

    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    oauth_token: str | None = field(default=None, repr=False)
    base_url: str | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not stand in any file we write."""
        return tuple(s for s in (self.api_key, self.auth_token, self.oauth_token) if s)


def read_login() -> Login:
    """Read the login variables; an empty one counts as unset."""
    return Login(
        api_key=os.environ.get("ANTHROPIC_API_KEY") or None,
        auth_token=os.environ.get("ANTHROPIC_AUTH_TOKEN") or None,
        oauth_token=os.environ.get("CLAUDE_CODE_OAUTH_TOKEN") or None,
        base_url=os.environ.get("ANTHROPIC_BASE_URL") or None,
    )


def home_folder() -> Path:
    """The user's home, where `user:` targets lie."""
    return Path(os.environ.get("HOME") or Path.home())
