"""Builds the one command line and environment by which every real trial runs Claude Code.

Hermetic: nothing of the host's settings, hooks, servers, memory or environment gets in. Faithful:
the real tools, the real system prompt and Claude Code's own skills stay, because a description
has to win against them. The prompt goes in by stdin, so that no leading dash, length or line
break can change it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skillwalker.claude_code.endpoint import NO_ENDPOINT, PUBLIC_API, split_endpoint

MAX_RETRIES = 3
"""Retries of one request inside the CLI. Its default of 10 takes about three minutes to fail;
three take about four seconds, and a trial that still fails is run once more by the loop."""

PLAIN_LANGUAGE = "C.UTF-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How requests are paid for and where they go; secrets never show in a repr."""

    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    oauth_token: str | None = field(default=None, repr=False)
    """A subscription's token, made by `claude setup-token`."""
    base_url: str | None = None
    """None is the public API."""

    @property
    def is_set(self) -> bool:
        """Whether there is anything to log in with."""
        return any((self.api_key, self.auth_token, self.oauth_token))

    @property
    def endpoint(self) -> str:
        """Where requests go, without a name or password, fit to be recorded; empty if nowhere."""
        parts = split_endpoint(self.base_url or PUBLIC_API)
        return "" if parts is None else parts.geturl()

    @property
    def fault(self) -> str | None:
        """Why requests can go nowhere, with what to do about it; None if they can."""
        return None if self.endpoint else NO_ENDPOINT

    @property
    def payer(self) -> str:
        """Who pays, for people."""
        if self.api_key or self.auth_token:
            return "API key" if self.api_key else "auth token"
        return "Claude subscription" if self.oauth_token else "nobody: no login is set"


def build_arguments(
    *,
    binary: str,
    plugin_dirs: Sequence[str],
    has_project: bool,
    model: str,
    max_turns: int,
    permission_mode: str = "dontAsk",
    allowed_tools: Sequence[str] = (),
) -> tuple[str, ...]:
    """Build the arguments of one trial.

    Args:
        binary: the Claude CLI.
        plugin_dirs: as the CLI will see them, which in a container is not where they are here.
        has_project: whether the working folder's `.claude` is part of what is measured.
        model: a full id; an alias means something else in each version.
        max_turns: the CLI's own limit.
        permission_mode: `dontAsk` denies whatever would need a question.
        allowed_tools: tools that need no question whatever the mode says.
    """
    plugins = [part for folder in plugin_dirs for part in ("--plugin-dir", folder)]
    return (
        binary,
        "-p",
        *plugins,
        *("--model", model),
        *("--setting-sources", "project" if has_project else ""),
        "--strict-mcp-config",
        "--no-session-persistence",
        *("--permission-mode", permission_mode),
        *(("--allowedTools", ",".join(allowed_tools)) if allowed_tools else ()),
        *("--max-turns", str(max_turns)),
        *("--output-format", "stream-json"),
        "--verbose",
        # Shows that the model is at work, where a message ends, and its true output tokens; the
        # request is the same byte for byte.
        "--include-partial-messages",
    )


def build_environment(
    access: Access,
    *,
    home: str,
    temp: str,
    path: str,
    extra: Mapping[str, str] | None = None,
    listing_budget: int | None = None,
) -> dict[str, str]:
    """Build the whole environment of one trial; nothing of ours is inherited.

    Args:
        access: login and endpoint.
        home: the trial's own home, at a path that is the same for every trial.
        temp: where the CLI may put sockets and temporary files.
        path: search path for the programs that the model's tools run.
        extra: variables that the user asked for by name; they cannot replace ours.
        listing_budget: characters for the skill listing, in place of the CLI's own formula.
    """
    logins = {
        "ANTHROPIC_API_KEY": access.api_key,
        "ANTHROPIC_AUTH_TOKEN": access.auth_token,
        "CLAUDE_CODE_OAUTH_TOKEN": access.oauth_token,
        "ANTHROPIC_BASE_URL": access.base_url,
        "SLASH_COMMAND_TOOL_CHAR_BUDGET": None if listing_budget is None else str(listing_budget),
    }
    return {
        **(extra or {}),
        "PATH": path,
        "HOME": home,
        "TMPDIR": temp,
        "LANG": PLAIN_LANGUAGE,
        "CLAUDE_CODE_MAX_RETRIES": str(MAX_RETRIES),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # This system block changes with the prompt and would end the shared prefix before the
        # tools' cache point.
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
        **{name: value for name, value in logins.items() if value},
    }
