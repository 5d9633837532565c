"""A recorded trial as a text that a reader follows: what Claude said, called and was told."""

import json
from collections.abc import Iterable, Iterator, Mapping

from skillwalker.completers.data_block import cut_middle
from skillwalker.datatypes.trials import Call

LONGEST_INPUT = 2_000
"""Characters of a tool's input."""
LONGEST_RESULT = 4_000
"""Characters of what a tool gave back."""

Event = Mapping[str, object]
KINDS = ("assistant", "user")
"""Types of the events that are read."""


def readable(events: Iterable[Event]) -> str:
    """Write the events of a trial as a text; what a subagent did is indented."""
    return "\n".join(line for event in events for line in _event(event))


def readable_calls(calls: Iterable[Call]) -> str:
    """Write the calls of a trial that left no events."""
    return "\n".join(f"[turn {call.step}] Claude calls {call.kind} {call.name}" for call in calls)


def _event(event: Event) -> Iterator[str]:
    if event.get("type") not in KINDS:
        return
    indent = "    " if event.get("parent_tool_use_id") else ""
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    speaker = "Claude" if event.get("type") == "assistant" else "To Claude"
    for block in _blocks(content):
        yield from (f"{indent}{line}" for line in _block(block, speaker).split("\n"))


def _blocks(content: object) -> Iterator[Event]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def _block(block: Event, speaker: str) -> str:
    match block.get("type"):
        case "text":
            return f"{speaker}: {block.get('text')}"
        case "tool_use":
            given = json.dumps(block.get("input"), ensure_ascii=False)
            return f"{speaker} calls {block.get('name')}: {cut_middle(given, LONGEST_INPUT)}"
        case "tool_result":
            failed = " (an error)" if block.get("is_error") is True else ""
            text = "".join(str(part.get("text", "")) for part in _blocks(block.get("content")))
            return f"Result{failed}: {cut_middle(text, LONGEST_RESULT)}"
        case kind:
            return f"{speaker}: [{kind}]"
