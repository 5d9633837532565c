"""Which keys mean something in a frontmatter, and which one a misspelt key was meant to be.

Source: https://code.claude.com/docs/en/skills, https://code.claude.com/docs/en/sub-agents and
https://agentskills.io/specification.
"""

import difflib

from skillwalker.datatypes.vocabulary import Position, TargetKind

__all__ = ["known_keys", "meant_key"]

_SKILL_KEYS = (
    "name, description, when_to_use, argument-hint, arguments, disable-model-invocation,"
    " user-invocable, allowed-tools, disallowed-tools, model, effort, context, agent, background,"
    " hooks, paths, shell, version, license, compatibility, metadata"
)
_AGENT_KEYS = (
    "name, description, tools, disallowedTools, model, permissionMode, maxTurns, skills,"
    " mcpServers, hooks, memory, background, effort, isolation, color, initialPrompt"
)
_IN_PLUGIN_AGENTS = ", when_to_use, when-to-use"


def known_keys(kind: TargetKind, position: Position) -> frozenset[str]:
    """List the documented keys of a kind of file."""
    match kind:
        case TargetKind.SKILL:
            return frozenset(_SKILL_KEYS.split(", "))
        case TargetKind.AGENT:
            in_plugin = position is Position.PLUGIN
            keys = _AGENT_KEYS + (_IN_PLUGIN_AGENTS if in_plugin else "")
            return frozenset(keys.split(", "))


def meant_key(key: str, known: frozenset[str]) -> str | None:
    """Find the key that was meant: the same but for case and dashes, else a close one."""
    same = sorted(name for name in known if _bare(name) == _bare(key))
    return next(iter(same or difflib.get_close_matches(key, sorted(known), n=1)), None)


def _bare(key: str) -> str:
    return key.replace("-", "").replace("_", "").casefold()
