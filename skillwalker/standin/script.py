"""Reads the replies of a stand-in from a JSON file: what it says and calls, turn by turn.

    [
      {"text": "Let me look."},
      {"text": "On it.", "tool": "Skill", "input": {"skill": "demo:review"}, "delay": 2},
      {"fault": "529"}
    ]

Every conversation gets them in order, by its turns; the last one is repeated for ever.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pydantic

from skillwalker.errors import ConfigError
from skillwalker.standin.behaviour import BRIEF_LINE
from skillwalker.standin.fault_words import parse_faults
from skillwalker.standin.replies import Block, Reply, Say, Use
from skillwalker.standin.request import message_texts, turn_number
from skillwalker.standin.server import Asked, Behaviour


class _Written(pydantic.BaseModel):
    """A reply as people write it."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    text: str | None = None
    tool: str | None = None
    input: dict[str, object] = {}
    delay: Annotated[float, pydantic.Field(ge=0, strict=False)] = 0.0
    fault: str | None = None


_REPLIES = pydantic.TypeAdapter(Annotated[list[_Written], pydantic.Field(min_length=1)])


def read_script(path: Path) -> tuple[Reply, ...]:
    """Read a script.

    Raises:
        ConfigError: the file cannot be read or holds no replies; the message names the place.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"--script: {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--script: {path} is no JSON: {error}") from error
    try:
        written = _REPLIES.validate_python(value)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        place = ", ".join(_place(part) for part in first["loc"]) or "the whole file"
        raise ConfigError(
            f"--script: {path}: {place}: {first['msg']}; a script is a list of replies with text,"
            " tool and input, delay, fault"
        ) from error
    return tuple(_reply(one, number, path) for number, one in enumerate(written, start=1))


def by_turn(replies: Sequence[Reply], *, otherwise: Behaviour) -> Behaviour:
    """Answer the turns of every conversation from a script.

    Args:
        replies: in the order of the turns.
        otherwise: answers an improver, which a script of trials has no words for.
    """

    def answer(asked: Asked) -> Reply:
        if any(BRIEF_LINE in text for text in message_texts(asked.body)):
            return otherwise(asked)
        return replies[min(turn_number(asked.body), len(replies)) - 1]

    return answer


def _place(part: int | str) -> str:
    return f"reply {part + 1}" if isinstance(part, int) else part


def _reply(written: _Written, number: int, path: Path) -> Reply:
    """Make a reply of what was written."""
    blocks: list[Block] = []
    if written.text is not None:
        blocks.append(Say(written.text))
    if written.tool is not None:
        blocks.append(Use(written.tool, written.input))
    elif written.input:
        raise ConfigError(f"--script: {path}: reply {number}: input needs the tool that takes it")
    try:
        faults = parse_faults(written.fault or "")
    except ConfigError as error:
        raise ConfigError(f"{path}: reply {number}: {error}") from error
    if len(faults) > 1:
        raise ConfigError(f"--script: {path}: reply {number}: one reply has one fault")
    fault = faults[0] if faults else None
    return Reply(blocks=tuple(blocks), fault=fault, delay=written.delay)
