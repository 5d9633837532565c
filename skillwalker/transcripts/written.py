"""Counts the characters that a model wrote, for messages whose final token count never came."""

import json
from collections.abc import Iterable, Mapping

_DELTAS = ("text", "thinking", "partial_json")
"""Keys of a delta under which something written stands; a signature is none."""


def written_in_delta(delta: Mapping[str, object]) -> int:
    """Count what a streamed piece of a block adds."""
    return sum(_length(delta.get(key)) for key in _DELTAS)


def written_in_blocks(blocks: Iterable[Mapping[str, object]]) -> int:
    """Count the text, the thinking and the tools' input in blocks of a message."""
    return sum(_written(block) for block in blocks)


def _written(block: Mapping[str, object]) -> int:
    given = block.get("input")
    tool = len(json.dumps(given, ensure_ascii=False)) if given else 0
    return _length(block.get("text")) + _length(block.get("thinking")) + tool


def _length(value: object) -> int:
    return len(value) if isinstance(value, str) else 0
