"""Step 6: takes a brief on the train cases, gives a candidate that passed every check, or none.

The brief is the only way in, and no field of it can carry what the improver must not see. What
it holds is data: it reaches the prompt as one JSON object that nothing in it can close.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillwalker.completers.data_block import as_json, cut
from skillwalker.completers.protocol import Completer, UnusableReplyError, paid_without_reply
from skillwalker.datatypes.improver import Answer, Brief, Completion, Exchange, TrainCase
from skillwalker.errors import BudgetReached, CompletionError

if TYPE_CHECKING:
    from jinja2 import Template

MAX_CALLS = 3
"""The first question and two more when a reply is refused."""
LONGEST_BODY = 20_000
LONGEST_PROMPT = 2_000
LONGEST_REPLY = 4_000
LONGEST_SIBLING = 1_536
"""What Claude Code shows of a skill. Source: skillListingMaxDescChars of Claude Code 2.1.332."""

ANSWER_SCHEMA = MappingProxyType(
    {
        "type": "object",
        "properties": {"description": {"type": "string"}, "reason": {"type": "string"}},
        "required": ["description", "reason"],
        "additionalProperties": False,
    }
)
"""What the improver answers with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A reply that was not taken, as the next prompt tells it."""

    reply: str
    """The description, or the whole reply when there is none in it."""
    faults: tuple[str, ...]


async def improve(
    brief: Brief,
    *,
    completer: Completer,
    check: Callable[[str], tuple[str, ...]],
    keep: Callable[[Exchange], None] = lambda _call: None,
) -> Answer:
    """Ask for a better description until one passes, at most three times.

    Args:
        brief: all that the improver may know.
        completer: who is asked.
        check: gives the faults of a text; none lets it pass. Its words reach the improver.
        keep: is given at once each call behind which there is no answer yet: it was paid for,
            whatever becomes of the next.

    Returns:
        The text exactly as it was given, with every call; without a text when each reply was
        refused or the model would not answer.

    Raises:
        CompletionError: the completer gave nothing after its retries.
        BudgetReached: a limit forbids another call, or cut one.
    """
    exchanges: list[Exchange] = []
    refused: list[Refused] = []
    for _ in range(MAX_CALLS):
        prompt = write_prompt(brief, refused)
        try:
            completion = await completer.complete(prompt, schema=ANSWER_SCHEMA)
        except UnusableReplyError as error:
            exchanges.append(_exchange(prompt, error.completion, (str(error),)))
            return Answer(description=None, reason=str(error), exchanges=tuple(exchanges))
        except (CompletionError, BudgetReached) as error:
            if (paid := paid_without_reply(error)) is not None:
                keep(_exchange(prompt, paid, (str(error),)))
            raise
        text, reason, faults = _read_reply(completion.text)
        faults = faults or check(text)
        exchanges.append(_exchange(prompt, completion, faults))
        if not faults:
            return Answer(description=text, reason=reason, exchanges=tuple(exchanges))
        refused.append(Refused(reply=text, faults=faults))
        if len(refused) < MAX_CALLS:
            keep(exchanges[-1])
    last = "; ".join(refused[-1].faults)
    return Answer(
        description=None,
        reason=f"each of {MAX_CALLS} replies was refused, the last because {last}",
        exchanges=tuple(exchanges),
    )


def write_prompt(brief: Brief, refused: Sequence[Refused] = ()) -> str:
    """Write what the improver is asked.

    The brief stands between the lines `<brief>` and `</brief>` as one JSON object with the fields
    of the record, what was refused as a list between `<refused>` and `</refused>`.
    """
    return _template().render(
        kind=brief.kind.value,
        operator=brief.operator.value,
        current=brief.current,
        when_to_use=brief.when_to_use,
        max_chars=brief.max_chars,
        has_estimates=any(attempt.estimate is not None for attempt in brief.history),
        brief=as_json(_as_data(_shorten(brief))),
        refused=as_json([_told(reply) for reply in refused]) if refused else "",
    )


@cache
def _template() -> "Template":
    """Read the prompt's template; values are put in once and never read as a template."""
    from jinja2 import Environment, StrictUndefined, select_autoescape

    environment = Environment(
        autoescape=select_autoescape(default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    source = files("skillwalker.steps").joinpath("improve.md.j2").read_text(encoding="utf-8")
    return environment.from_string(source)


def _as_data(brief: Brief) -> dict[str, object]:
    """Take a brief apart, without the estimates where there are none."""
    data = asdict(brief)
    for attempt in data["history"]:
        if attempt["estimate"] is None:
            del attempt["estimate"]
    return data


def _shorten(brief: Brief) -> Brief:
    """Cut what may be very long; the description and its history stay whole."""
    return replace(
        brief,
        body=cut(brief.body, LONGEST_BODY),
        failures=tuple(_cut_case(case) for case in brief.failures),
        successes=tuple(_cut_case(case) for case in brief.successes),
        siblings=tuple((name, cut(text, LONGEST_SIBLING)) for name, text in brief.siblings),
    )


def _told(refused: Refused) -> dict[str, object]:
    """Tell a refused reply; one that is no answer at all may be of any length."""
    return asdict(replace(refused, reply=cut(refused.reply, LONGEST_REPLY)))


def _cut_case(case: TrainCase) -> TrainCase:
    return replace(case, prompt=cut(case.prompt, LONGEST_PROMPT))


def _read_reply(reply: str) -> tuple[str, str, tuple[str, ...]]:
    """Take description and reason out of a reply, or say why there are none."""
    try:
        value = json.loads(reply)
    except (ValueError, RecursionError):
        return reply, "", ("it is no JSON; reply with one JSON object and nothing else",)
    description = value.get("description") if isinstance(value, dict) else None
    reason = value.get("reason") if isinstance(value, dict) else None
    if not isinstance(description, str) or not isinstance(reason, str):
        return reply, "", ("it is no JSON object with the texts description and reason",)
    return description, reason, ()


def _exchange(prompt: str, completion: Completion, faults: Sequence[str]) -> Exchange:
    """Record one call."""
    return Exchange(
        prompt=prompt,
        reply=completion.text,
        fault="; ".join(faults) or None,
        model=completion.model,
        usage=completion.usage,
    )
