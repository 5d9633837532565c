"""Answers an improver's prompt without a model: takes the brief out, writes by the rewriter."""

import json
import re
from typing import Final

from pydantic import TypeAdapter, ValidationError

from skillwalker.datatypes.improver import Brief
from skillwalker.errors import CompletionError
from skillwalker.simulation.rewriter import rewrite

_BRIEF: Final = re.compile(r"^<brief>[^\S\n]*$(.*?)^</brief>[^\S\n]*$", re.MULTILINE | re.DOTALL)
_REFUSED: Final = re.compile(
    r"^<refused>[^\S\n]*$(.*?)^</refused>[^\S\n]*$", re.MULTILINE | re.DOTALL
)


def simulated_reply(prompt: str) -> str:
    """Write the reply to an improver's prompt: a JSON object with description and reason.

    The prompt holds the brief as JSON between the lines `<brief>` and `</brief>`, and what was
    refused as a JSON list between `<refused>` and `</refused>`; each refusal gives the next
    variation. The same prompt always has the same reply.

    Raises:
        CompletionError: the prompt holds no brief.
    """
    brief = read_brief(prompt)
    reply = {
        "description": rewrite(brief, skip=_count_refused(prompt)),
        "reason": f"simulated {brief.operator.value}: words of the body and of failing prompts",
    }
    return json.dumps(reply, ensure_ascii=False)


def read_brief(prompt: str) -> Brief:
    """Take the brief out of an improver's prompt.

    Raises:
        CompletionError: there is none, or it is not a brief.
    """
    found = _BRIEF.search(prompt)
    if found is None:
        raise CompletionError(
            "the simulated improver found no lines <brief> and </brief> in its prompt; it answers"
            " the prompts of the improve step only, so choose another --improver"
        )
    try:
        return TypeAdapter(Brief).validate_json(found.group(1))
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"]) or "its start"
        raise CompletionError(
            f"the simulated improver cannot read the brief in its prompt: {fault['msg']} at {place}"
        ) from error


def _count_refused(prompt: str) -> int:
    """Count the replies that were refused before; 0 when that part is not readable."""
    found = _REFUSED.search(prompt)
    try:
        refused = json.loads(found.group(1)) if found else []
    except ValueError:
        return 0
    return len(refused) if isinstance(refused, list) else 0
