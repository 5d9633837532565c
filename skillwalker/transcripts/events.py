"""Reads one line of Claude Code's stream-json as a typed event.

Whatever is not known is None and never an error: versions add events and fields, and a line can
be torn or hold no JSON at all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from skillwalker.transcripts.written import written_in_blocks, written_in_delta

Json = Mapping[str, object]

SYNTHETIC_MODEL = "<synthetic>"
"""The model of messages that the CLI made up itself, mostly from errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The first event: what was loaded."""

    cli_version: str
    commands: tuple[str, ...]
    plugin_errors: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that a model called."""

    id: str
    tool: str
    input: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What a message cost so far; None where the event does not say."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A block of a model's message; a message of several blocks comes as several events."""

    id: str
    model: str
    parent: str | None
    """The tool call whose subagent this is; None for the main thread."""
    text: str
    uses: tuple[ToolUse, ...]
    tokens: Tokens
    error: str | None
    is_whole: bool
    written: int
    """Characters in its blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A message began (`id` is set), got its final usage, or went on."""

    parent: str | None
    id: str | None = None
    model: str | None = None
    tokens: Tokens | None = None
    is_whole: bool = False
    written: int = 0
    """Characters that a piece of a block adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswers:
    """What the CLI told the model: results of tools, or a text of its own."""

    parent: str | None
    refused: frozenset[str]
    """Ids of calls that were answered with an error."""
    synthetic_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A system event that matters: a retry, another model, background tasks, a new request."""

    kind: str
    detail: str = ""
    tasks: int | None = None
    delay_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """The state of a subscription's limit."""

    status: str
    resets_at: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A result: one a turn of the conversation, so a run with a background agent has two."""

    subtype: str
    is_error: bool
    terminal_reason: str
    status: int | None
    text: str
    turns: int | None
    tokens: Mapping[str, Tokens] = field(default_factory=dict)
    """What the whole run used so far by model, also in requests that the stream does not show."""


Event = Started | Message | Progress | ToolAnswers | Notice | RateLimit | Ended


def read_json(line: bytes) -> Json | None:
    """Read a line as a JSON object; None when it is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_event(data: Json) -> Event | None:
    """Read an event; None when it is of no kind that matters."""
    match data.get("type"):
        case "assistant":
            return _message(data)
        case "stream_event":
            return _progress(data)
        case "user":
            return _answers(data)
        case "system":
            return _system(data)
        case "rate_limit_event":
            return _rate_limit(data)
        case "result":
            return _ended(data)
        case _:
            return None


def _message(data: Json) -> Message | None:
    message = _object(data.get("message"))
    if not _text(message.get("id")) or not _text(message.get("model")):
        return None
    blocks = _blocks(message)
    return Message(
        id=_text(message.get("id")),
        model=_text(message.get("model")),
        parent=_parent(data),
        text="".join(_text(block.get("text")) for block in blocks if block.get("type") == "text"),
        uses=tuple(_tool_use(block) for block in blocks if block.get("type") == "tool_use"),
        tokens=_tokens(message),
        error=_text(data.get("error")) or None,
        is_whole=isinstance(message.get("stop_reason"), str),
        written=written_in_blocks(blocks),
    )


def _tool_use(block: Json) -> ToolUse:
    return ToolUse(
        id=_text(block.get("id")),
        tool=_text(block.get("name")),
        input=_object(block.get("input")),
    )


def _progress(data: Json) -> Progress:
    event = _object(data.get("event"))
    parent = _parent(data)
    if event.get("type") == "message_start":
        message = _object(event.get("message"))
        return Progress(
            parent=parent,
            id=_text(message.get("id")),
            model=_text(message.get("model")) or None,
            tokens=_tokens(message),
        )
    if event.get("type") == "message_delta":
        stop = _object(event.get("delta")).get("stop_reason")
        return Progress(parent=parent, tokens=_tokens(event), is_whole=isinstance(stop, str))
    return Progress(parent=parent, written=written_in_delta(_object(event.get("delta"))))


def _answers(data: Json) -> ToolAnswers:
    message = _object(data.get("message"))
    blocks = _blocks(message)
    refused = frozenset(
        _text(block.get("tool_use_id")) for block in blocks if block.get("is_error") is True
    )
    text = ""
    if data.get("isSynthetic") is True:
        content = message.get("content")
        parts = [_text(block.get("text")) for block in blocks]
        text = content if isinstance(content, str) else "".join(parts)
    return ToolAnswers(parent=_parent(data), refused=refused, synthetic_text=text)


def _system(data: Json) -> Event | None:
    match data.get("subtype"):
        case "init":
            return Started(
                cli_version=_text(data.get("claude_code_version")),
                commands=tuple(_text(name) for name in _list(data.get("slash_commands"))),
                plugin_errors=tuple(_flat(item) for item in _list(data.get("plugin_errors"))),
            )
        case "api_retry":
            status, delay = _flat(data.get("error_status")), _number(data.get("retry_delay_ms"))
            return Notice(kind="retry", detail=status, delay_ms=delay)
        case "status":
            return Notice(kind="status", detail=_text(data.get("status")))
        case "model_fallback":
            return Notice(kind="fallback", detail=_text(data.get("content")))
        case "background_tasks_changed":
            return Notice(kind="background", tasks=len(_list(data.get("tasks"))))
        case _:
            return None


def _rate_limit(data: Json) -> RateLimit:
    info = _object(data.get("rate_limit_info"))
    return RateLimit(status=_text(info.get("status")), resets_at=_number(info.get("resetsAt")))


def _ended(data: Json) -> Ended:
    errors = _list(data.get("errors"))
    text = data.get("result")
    return Ended(
        subtype=_text(data.get("subtype")),
        is_error=data.get("is_error") is True,
        terminal_reason=_text(data.get("terminal_reason")),
        status=_integer(data.get("api_error_status")),
        text=text if isinstance(text, str) else "; ".join(_flat(error) for error in errors),
        turns=_integer(data.get("num_turns")),
        tokens={
            model: Tokens(
                input=_integer(used.get("inputTokens")),
                output=_integer(used.get("outputTokens")),
                cache_read=_integer(used.get("cacheReadInputTokens")),
                cache_write=_integer(used.get("cacheCreationInputTokens")),
            )
            for model, used in _object(data.get("modelUsage")).items()
            if isinstance(used, dict)
        },
    )


def _tokens(message: Json) -> Tokens:
    usage = _object(message.get("usage"))
    return Tokens(
        input=_integer(usage.get("input_tokens")),
        output=_integer(usage.get("output_tokens")),
        cache_read=_integer(usage.get("cache_read_input_tokens")),
        cache_write=_integer(usage.get("cache_creation_input_tokens")),
    )


def _blocks(message: Json) -> list[Json]:
    return [block for block in _list(message.get("content")) if isinstance(block, dict)]


def _parent(data: Json) -> str | None:
    return _text(data.get("parent_tool_use_id")) or None


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _flat(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
