"""What the stand-in answers: content blocks or a fault, and their bytes on the wire."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Say:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """A tool call."""

    tool: str
    input: dict[str, object]


Block = Say | Use


class FaultKind(StrEnum):
    """The ways in which an answer can go wrong."""

    STATUS = "status"
    SILENT = "silent"
    """Nothing is sent for `seconds`, then the answer."""
    STALL = "stall"
    """The first bytes are sent, then nothing for `seconds`, then the connection is closed."""
    CUT = "cut"
    """The connection is closed after `after` events of the stream."""
    MALFORMED = "malformed"
    """An event of the stream is no JSON."""
    ERROR_EVENT = "error"
    """The stream holds an error event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedFault:
    """One thing that goes wrong."""

    kind: FaultKind
    status: int = 529
    message: str = ""
    retry_after: float | None = None
    seconds: float = 3600.0
    after: int = 3
    """Stream events that are sent before a stream goes wrong."""
    pause: float = 0.3
    """Seconds between the last event and a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the stand-in."""

    blocks: tuple[Block, ...] = ()
    fault: InjectedFault | None = None
    output_tokens: int = 20
    delay: float = 0.0
    """Seconds before the first byte, as a model would think."""


ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
"""Error types of the Messages API by status. Source: the API's error reference."""


def error_body(fault: InjectedFault) -> bytes:
    """Write the JSON body of a refused request."""
    kind = ERROR_TYPES.get(fault.status, "api_error")
    message = fault.message or f"stand-in answers {fault.status}"
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()


def message_body(reply: Reply, *, number: int, model: str, input_tokens: int) -> bytes:
    """Write the whole message, for a request without streaming."""
    message = _message(number, model, input_tokens)
    message["content"] = [_whole(block, number, at) for at, block in enumerate(reply.blocks)]
    message["stop_reason"] = _stop_reason(reply)
    message["usage"] = _usage(input_tokens, reply.output_tokens)
    return json.dumps(message).encode()


def stream_events(
    reply: Reply, *, number: int, model: str, input_tokens: int
) -> Iterator[tuple[str, dict[str, object]]]:
    """Give the events of a streamed message in order, each with its name."""
    yield "message_start", {"message": _message(number, model, input_tokens)}
    for at, block in enumerate(reply.blocks):
        yield from _block_events(block, number, at)
    usage = {"output_tokens": reply.output_tokens}
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield "message_delta", {"delta": delta, "usage": usage}
    yield "message_stop", {}


def event_bytes(name: str, data: dict[str, object]) -> bytes:
    """Write one server-sent event."""
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def _block_events(block: Block, number: int, at: int) -> Iterator[tuple[str, dict[str, object]]]:
    start: dict[str, object]
    if isinstance(block, Say):
        start = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": part} for part in _halves(block.text)]
    else:
        start = {
            "type": "tool_use",
            "id": _tool_id(number, at),
            "name": block.tool,
            "input": {},
        }
        parts = _halves(json.dumps(block.input))
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
    yield "content_block_start", {"index": at, "content_block": start}
    for delta in deltas:
        yield "content_block_delta", {"index": at, "delta": delta}
    yield "content_block_stop", {"index": at}


def _halves(text: str) -> tuple[str, str]:
    """Split a text as a stream would, so that no reader may count on whole words."""
    middle = len(text) // 2
    return text[:middle], text[middle:]


def _whole(block: Block, number: int, at: int) -> dict[str, object]:
    if isinstance(block, Say):
        return {"type": "text", "text": block.text}
    return {
        "type": "tool_use",
        "id": _tool_id(number, at),
        "name": block.tool,
        "input": block.input,
    }


def _tool_id(number: int, at: int) -> str:
    return f"toolu_standin_{number:06d}_{at}"


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if any(isinstance(block, Use) for block in reply.blocks) else "end_turn"


def _usage(input_tokens: int, output_tokens: int) -> dict[str, object]:
    return {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }


def _message(number: int, model: str, input_tokens: int) -> dict[str, object]:
    return {
        "id": f"msg_standin_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(input_tokens, 1),
    }
