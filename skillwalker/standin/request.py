"""Reads a request of the Claude CLI: the prompt, and the listing of skills and agents.

Where the listing stands depends on the model: for older ones in the first message, before the
prompt; for newer ones in a message of role `system` behind it. So every text of every message is
searched for the sentences that begin the two lists.

Source: requests of Claude Code 2.1.197 and 2.1.332 as a loopback server received them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skillwalker.datatypes.vocabulary import TargetKind

Body = Mapping[str, object]

_SKILLS = "The following skills are available for use with the Skill tool:"
_AGENTS = "Available agent types for the Agent tool:"
_AGENTS_END = "\n\nWhen you launch multiple agents"
_REMINDER = "<system-reminder>"
_REMINDER_END = "</system-reminder>"
_BEHIND_SKILLS = re.compile(r"\n\n(?=<total_tokens>|Today's date is|# |Available agent types)")
_SKILL_LINE = re.compile(
    r"^- (?P<name>[^\n]+?)(?: \((?P<alias>[^()\n]*)\))?(?:: (?P<text>[^\n]*(?:\n(?!- )[^\n]*)*))?$",
    re.MULTILINE,
)
_AGENT_LINE = re.compile(
    r"^- (?P<name>[^\n]+?): (?P<text>.*?) ?(?P<tools>\(Tools: [^\n]*\))$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntry:
    """One line of the listing, as it was sent."""

    kind: TargetKind
    name: str
    alias: str | None
    text: str | None
    """What follows the name, escaped as sent; None when only the name was sent."""


def read_listing(body: Body) -> tuple[ListedEntry, ...]:
    """Find what the model is told of skills and agents, skills first."""
    skills: list[ListedEntry] = []
    agents: list[ListedEntry] = []
    for text in message_texts(body):
        if _SKILLS in text:
            skills.extend(_skills(text.partition(_SKILLS)[2]))
        if _AGENTS in text:
            agents.extend(_agents(text.partition(_AGENTS)[2]))
    return (*skills, *agents)


def read_prompt(body: Body) -> str:
    """Find what the user asked: the last text of the first message that is no reminder."""
    messages = _messages(body)
    if not messages:
        return ""
    texts = [text for text in _texts(messages[0]) if not text.lstrip().startswith(_REMINDER)]
    return texts[-1] if texts else ""


def turn_number(body: Body) -> int:
    """Say which answer of this conversation is asked for, from 1."""
    return 1 + sum(message.get("role") == "assistant" for message in _messages(body))


def tool_names(body: Body) -> frozenset[str]:
    """Name the tools that the model may call."""
    return frozenset(str(tool.get("name")) for tool in _objects(body.get("tools")))


def message_texts(body: Body) -> Iterator[str]:
    """Give every text of every message, whatever its role and shape."""
    for message in _messages(body):
        yield from _texts(message)


def _skills(section: str) -> Iterator[ListedEntry]:
    section = section.rpartition(_REMINDER_END)[0] or section
    last = section.rfind("\n- ")
    behind = _BEHIND_SKILLS.search(section, max(last, 0))
    for match in _SKILL_LINE.finditer(section[: behind.start()] if behind else section):
        text = match["text"]
        yield ListedEntry(
            kind=TargetKind.SKILL,
            name=match["name"],
            alias=match["alias"],
            text=None if text is None else text.rstrip("\n"),
        )


def _agents(section: str) -> Iterator[ListedEntry]:
    section = section.partition(_AGENTS_END)[0].partition(_SKILLS)[0]
    for match in _AGENT_LINE.finditer(section):
        yield ListedEntry(kind=TargetKind.AGENT, name=match["name"], alias=None, text=match["text"])


def _messages(body: Body) -> list[Body]:
    return _objects(body.get("messages"))


def _texts(message: Body) -> list[str]:
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [str(block["text"]) for block in _objects(content) if block.get("type") == "text"]


def _objects(value: object) -> list[Body]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
