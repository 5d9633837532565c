"""The prompt of the judge, and the form of its answer."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillwalker.completers.data_block import as_json, cut
from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.judging import Question

if TYPE_CHECKING:
    from jinja2 import Template

LONGEST_REPLY = 4_000
VERDICTS = (Status.PASSED.value, Status.FAILED.value, Status.UNKNOWN.value)
ANSWER_SCHEMA = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "verdicts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        # Before the verdict, so that it is a reason and no excuse.
                        "reasoning": {"type": "string"},
                        "verdict": {"type": "string", "enum": list(VERDICTS)},
                    },
                    "required": ["id", "reasoning", "verdict"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["verdicts"],
        "additionalProperties": False,
    }
)
"""What the judge answers with."""


def write_prompt(
    shown: Mapping[str, object],
    questions: Sequence[Question],
    *,
    refused: tuple[str, str] | None = None,
) -> str:
    """Write what the judge is asked.

    The criteria stand between the lines `<criteria>` and `</criteria>`, the material between
    `<material>` and `</material>`, each as JSON that no text in it can close.

    Args:
        shown: the material.
        questions: the criteria, the canary among them.
        refused: an earlier reply, and why it was not taken.
    """
    criteria = [
        {"id": one.id, "criterion": one.criterion.text}
        | ({} if one.criterion.file is None else {"file": one.criterion.file})
        for one in questions
    ]
    return _template().render(
        criteria=as_json(criteria),
        material=as_json(shown),
        refused="" if refused is None else as_json(_told(refused)),
    )


def _told(refused: tuple[str, str]) -> dict[str, str]:
    reply, fault = refused
    return {"reply": cut(reply, LONGEST_REPLY), "fault": fault}


@cache
def _template() -> "Template":
    """Read the template; values are put in once and never read as a template."""
    from jinja2 import Environment, StrictUndefined, select_autoescape

    environment = Environment(
        autoescape=select_autoescape(default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    source = files("skillwalker.judge").joinpath("judge.md.j2").read_text(encoding="utf-8")
    return environment.from_string(source)
