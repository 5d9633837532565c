"""A recorded stream as people read it: what Claude said, which tools it called, what they answered.

Unlike `stream`, which reads for the outcome, it keeps every word; what the CLI only streams in
pieces is left out, as the whole message follows.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from skillwalker.datatypes.recorded import Dialogue, Said, Speaker
from skillwalker.transcripts.events import SYNTHETIC_MODEL, Json
from skillwalker.transcripts.torn_lines import TornLines


def read_dialogue(lines: Iterable[bytes]) -> Dialogue:
    """Read the stream of a trial, a line each, whatever the bytes."""
    torn, turns = TornLines(), _Turns()
    said: list[Said] = []
    for line in lines:
        data = torn.read(line) if line.strip() else None
        if data is not None:
            said += _said(data, turns)
    return tuple(said)


class _Turns:
    """Counts the messages of the main thread; a subagent speaks within the turn that called it."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def of(self, message: str, *, is_nested: bool) -> int:
        """Number the turn of a message."""
        if not is_nested and message:
            self._seen.setdefault(message, len(self._seen) + 1)
        return self._seen.get(message, len(self._seen))


def _said(data: Json, turns: _Turns) -> Iterator[Said]:
    match data.get("type"):
        case "assistant":
            yield from _claude(data, turns)
        case "user":
            yield from _answers(data, turns)
        case "result":
            yield _end(data, turns)
        case _:
            return


def _claude(data: Json, turns: _Turns) -> Iterator[Said]:
    message = _object(data.get("message"))
    is_nested = bool(data.get("parent_tool_use_id"))
    is_made_up = message.get("model") == SYNTHETIC_MODEL
    turn = turns.of("" if is_made_up else str(message.get("id") or ""), is_nested=is_nested)
    for block in _blocks(message.get("content")):
        if block.get("type") == "text" and str(block.get("text") or "").strip():
            yield Said(
                speaker=Speaker.END if is_made_up else Speaker.CLAUDE,
                turn=turn,
                text=str(block["text"]),
                is_nested=is_nested,
                is_error=is_made_up,
            )
        elif block.get("type") == "tool_use":
            yield Said(
                speaker=Speaker.TOOL,
                turn=turn,
                text=_flat(block.get("input")),
                tool=str(block.get("name") or ""),
                is_nested=is_nested,
            )


def _answers(data: Json, turns: _Turns) -> Iterator[Said]:
    content = _object(data.get("message")).get("content")
    is_nested = bool(data.get("parent_tool_use_id"))
    turn = turns.of("", is_nested=is_nested)
    if isinstance(content, str):
        yield Said(speaker=Speaker.ANSWER, turn=turn, text=content, is_nested=is_nested)
        return
    for block in _blocks(content):
        text = _text(block.get("content") if block.get("type") == "tool_result" else block)
        if text.strip():
            yield Said(
                speaker=Speaker.ANSWER,
                turn=turn,
                text=text,
                is_nested=is_nested,
                is_error=block.get("is_error") is True,
            )


def _end(data: Json, turns: _Turns) -> Said:
    failed = data.get("is_error") is True
    kind = str(data.get("subtype") or "ended")
    words = "failed" if failed and kind == "success" else kind.replace("_", " ")
    detail = _text(data.get("result") or data.get("errors")) if failed else ""
    return Said(
        speaker=Speaker.END,
        turn=turns.of("", is_nested=False),
        text=f"{words}: {detail}" if detail else words,
        is_error=failed,
    )


def _text(value: object) -> str:
    """Take the readable words out of a block, a list of blocks or a text."""
    match value:
        case str():
            return value
        case dict():
            text = value.get("text")
            return text if isinstance(text, str) else f"[{value.get('type') or 'something else'}]"
        case list():
            return "\n".join(_text(item) for item in value)
        case _:
            return ""


def _flat(value: object) -> str:
    """Write a tool's input, a line a key."""
    if not isinstance(value, Mapping):
        return ""
    return "\n".join(
        f"{key}: {one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)}"
        for key, one in value.items()
    )


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _blocks(value: object) -> list[Json]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]
