"""Reads the replies of a stand-in from a JSON file: what it says and calls, turn by turn.

    [
      {"text": "Let me look."},
      {"text": "On it.", "tool": "Skill", "input": {"skill": "demo:review"}, "delay": 2},
      {"fault": "529"}
    ]

Every conversation gets them in order, by its turns; the last one is repeated for ever. A reply
with `judge` answers a judge instead of a trial: the first judge gets the first of them and so on.
It is an object from criteria to passed, failed or unknown; `*` stands for the others, which fail
without it. Without such replies, and for the improver, the stand-in answers as without a script.
"""

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pydantic

from skillwalker.errors import ConfigError
from skillwalker.simulation.grading import is_judging, scripted_grades
from skillwalker.standin.behaviour import completion_prompt, structured
from skillwalker.standin.fault_words import parse_faults
from skillwalker.standin.replies import Block, Reply, Say, Use
from skillwalker.standin.request import turn_number
from skillwalker.standin.server import Behaviour, MessageRequest


class _Written(pydantic.BaseModel):
    """A reply as people write it."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True)

    text: str | None = None
    tool: str | None = None
    input: dict[str, object] = {}
    delay: Annotated[float, pydantic.Field(ge=0, strict=False)] = 0.0
    fault: str | None = None
    judge: dict[str, Literal["passed", "failed", "unknown"]] | None = None


_REPLIES = pydantic.TypeAdapter(Annotated[list[_Written], pydantic.Field(min_length=1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What a stand-in says."""

    replies: tuple[Reply, ...]
    """To trials, by turn."""
    judgements: tuple[Mapping[str, str], ...] = ()
    """To judges, in order."""


def read_script(path: Path) -> Script:
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
            " tool and input, delay, fault, or judge"
        ) from error
    numbered = list(enumerate(written, start=1))
    return Script(
        replies=tuple(_reply(one, n, path) for n, one in numbered if one.judge is None)
        or (Reply(blocks=(Say("Done."),)),),
        judgements=tuple(_judgement(one, n, path) for n, one in numbered if one.judge is not None),
    )


def by_turn(script: Script, *, otherwise: Behaviour) -> Behaviour:
    """Answer the turns of every conversation from a script.

    Args:
        script: what is said.
        otherwise: answers an improver, and a judge that the script has no words for.
    """
    replies, judgements = script.replies, script.judgements
    judged = itertools.count()  # one step of it is whole, whatever thread takes it

    def answer(asked: MessageRequest) -> Reply:
        prompt = completion_prompt(asked)
        if prompt is None:
            return replies[min(turn_number(asked.body), len(replies)) - 1]
        if not judgements or not is_judging(prompt):
            return otherwise(asked)
        # Where the CLI asks, a second turn only ends the conversation.
        at = len(judgements) - 1 if turn_number(asked.body) > 1 else next(judged)
        verdicts = judgements[min(at, len(judgements) - 1)]
        return structured(scripted_grades(prompt, verdicts), asked)

    return answer


def _judgement(written: _Written, number: int, path: Path) -> Mapping[str, str]:
    """Take the answer to a judge, which has nothing beside it."""
    if written != _Written(judge=written.judge):
        raise ConfigError(f"--script: {path}: reply {number}: judge stands alone in its reply")
    return written.judge or {}


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
