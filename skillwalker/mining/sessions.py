"""Reads the files that Claude Code keeps of conversations, line by line and whatever they hold.

Source: files of Claude Code 2.1.332: `projects/<folder>/<session>.jsonl` with a `user` or
`assistant` event a line, and `history.jsonl` with one typed line each (`display`, `timestamp` in
milliseconds).
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from skillwalker.datatypes.mining import Fired, TypedPrompt
from skillwalker.datatypes.vocabulary import Mode
from skillwalker.transcripts.calls import call_of
from skillwalker.transcripts.events import ToolUse

PROJECTS = "projects"
HISTORY = "history.jsonl"
LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of a line that is read; a longer one holds pasted files or pictures."""
Event = Mapping[str, object]

_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_NOT_TYPED = re.compile(
    r"\s*(?:/[\w:-]+(?:\s|\Z)|!|<[a-z]+(?:-[a-z]+)+>|Caveat: |\[Request interrupted"
    r"|This session is being continued)"
)
"""Commands, and what Claude Code writes in the user's name."""
_PLACEHOLDER = re.compile(r"\[(?:Pasted text|Image) #\d+")


class Reader:
    """Reads files and counts what it could not read."""

    def __init__(self) -> None:
        self.files = 0
        self.unread_lines = 0
        self.unread_files = 0

    def conversations(self, claude_home: Path) -> Iterator[TypedPrompt]:
        """Yield every prompt of the kept conversations with what was called after it.

        Args:
            claude_home: the user's `.claude`.
        """
        for path in sorted((claude_home / PROJECTS).glob("*/*.jsonl")):
            yield from _asked(self._events(path))

    def typed(self, claude_home: Path) -> Iterator[TypedPrompt]:
        """Yield the typed lines, of which nobody recorded what was called."""
        path = claude_home / HISTORY
        for event in self._events(path) if path.exists() else ():
            text = _typed_text(event.get("display"))
            if text is not None and not _PLACEHOLDER.search(text):
                yield TypedPrompt(prompt=text, when=_moment(event.get("timestamp")))

    def _events(self, path: Path) -> Iterator[Event]:
        """Yield the JSON objects of a file; the rest is counted."""
        self.files += 1
        try:
            with path.open("rb") as file:
                while line := file.readline(LONGEST_LINE):
                    event = _object(line)
                    if event is not None:
                        yield event
                    elif line.strip():
                        self.unread_lines += 1
                    while not line.endswith(b"\n") and line:  # the rest of a line that is too long
                        line = file.readline(LONGEST_LINE)
        except OSError:
            self.unread_files += 1


def _object(line: bytes) -> Event | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _asked(events: Iterator[Event]) -> Iterator[TypedPrompt]:
    """Join each prompt with the calls before the next one."""
    current: TypedPrompt | None = None
    is_first = True
    for event in events:
        if event.get("isSidechain") is True or event.get("isMeta") is True:
            continue
        if event.get("type") == "assistant" and current is not None:
            current = replace(current, fired=(*(current.fired or ()), *_fired(event)))
        prompt = _prompt(event)
        if prompt is None:
            continue
        if current is not None:
            yield current
        text = _typed_text(prompt)
        current = None
        if text is not None:
            when = _moment(event.get("timestamp"))
            current = TypedPrompt(prompt=text, when=when, fired=(), is_first=is_first)
        is_first = False
    if current is not None:
        yield current


def _prompt(event: Event) -> str | None:
    """Give what a user's event says; None where it is no prompt but a tool's result."""
    if event.get("type") != "user" or event.get("isCompactSummary") is True:
        return None
    content = _content(event)
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)]
    if any(block.get("type") == "tool_result" for block in blocks):
        return None
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str)) or None


def _content(event: Event) -> str | list[object]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str | list) else []


def _typed_text(said: object) -> str | None:
    """Give a prompt as it was typed; None for a command or words that are not the user's."""
    if not isinstance(said, str) or _NOT_TYPED.match(said):
        return None
    return _REMINDER.sub("", said).strip() or None


def _fired(event: Event) -> Iterator[Fired]:
    content = _content(event)
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict) or block.get("type") != "tool_use":
            continue
        tool, given = block.get("name"), block.get("input")
        if not isinstance(tool, str) or not isinstance(given, dict):
            continue
        call = call_of(ToolUse(id="", tool=tool, input=given), step=0, is_nested=False)
        if call is not None and call.mode is Mode.TOOL:
            yield Fired(kind=call.kind, name=call.name)


def _moment(written: object) -> datetime | None:
    """Read a moment: ISO 8601, or milliseconds since 1970."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(written, str):
            moment = datetime.fromisoformat(written)
            return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        if isinstance(written, int | float) and not isinstance(written, bool):
            return datetime.fromtimestamp(written / 1000, UTC)
    return None
