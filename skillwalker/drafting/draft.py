"""Asks for cases until there are enough of each kind, at most three times.

What is told of the target is data: it reaches the prompt as one JSON object that nothing in it
can close. A prompt that does not hold is dropped with its reason and asked for again.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING

from skillwalker.completers.data_block import as_json, cut
from skillwalker.completers.protocol import Completer, UnusableReplyError, paid_without_reply
from skillwalker.datatypes.drafts import Draft, DraftedCase, DraftKind, DraftRequest, RefusedCase
from skillwalker.datatypes.improver import Completion, Exchange
from skillwalker.datatypes.inputs import Target
from skillwalker.drafting.taking import take
from skillwalker.errors import BudgetReached, CompletionError

if TYPE_CHECKING:
    from jinja2 import Template

MAX_CALLS = 3
LONGEST_BODY = 20_000
LONGEST_TEXT = 1_536
"""What Claude Code shows of a skill. Source: skillListingMaxDescChars of Claude Code 2.1.332."""
LONGEST_TOLD = 300
"""Characters of a prompt that the next question repeats."""
PER_SIBLING = 2
SIBLING_SHARE = 3
"""Every how many-eth negative is a sibling's job, where there are siblings."""
FEWEST = 4

ANSWER_SCHEMA = MappingProxyType(
    {
        "type": "object",
        "properties": {
            "cases": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string", "enum": [str(kind) for kind in DraftKind]},
                        "prompt": {"type": "string"},
                        "sibling": {"type": "string"},
                    },
                    "required": ["kind", "prompt", "sibling"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["cases"],
        "additionalProperties": False,
    }
)
"""What is answered."""


def make_request(target: Target, siblings: Sequence[Target], *, count: int) -> DraftRequest:
    """Say what is wanted for a target: as many positives as negatives.

    Args:
        target: the skill or agent.
        siblings: what stands beside it.
        count: cases in all, at least `FEWEST`.
    """
    negatives = count // 2
    jobs = min(PER_SIBLING * len(siblings), negatives // SIBLING_SHARE)
    return DraftRequest(
        kind=target.kind,
        name=target.id,
        description=target.description,
        body=target.body,
        siblings=tuple((each.id, each.description) for each in siblings),
        positives=count - negatives,
        near_misses=negatives - jobs,
        sibling_jobs=jobs,
    )


async def draft_cases(request: DraftRequest, *, completer: Completer) -> Draft:
    """Ask for cases until all are there or three replies came.

    Returns:
        What held, in the order of the replies; of each label at least one.

    Raises:
        CompletionError: nothing came, or no reply held both labels.
        BudgetReached: a limit came before there were both.
    """
    draft = Draft(cases=())
    for _ in range(MAX_CALLS):
        try:
            draft = await _ask(request, draft, completer)
        except (CompletionError, BudgetReached) as error:
            if not _has_both(draft.cases):
                raise
            if (paid := paid_without_reply(error)) is not None:
                prompt = write_prompt(request, draft.cases, draft.refused)
                draft = _added(draft, prompt, paid, (), ())
            return replace(draft, cut=str(error))
        if not missing(request, draft.cases):
            return replace(draft, cut=None)
    if not _has_both(draft.cases):
        last = draft.refused[-1].fault if draft.refused else "they held no cases"
        raise CompletionError(
            f"none of {MAX_CALLS} replies held cases of both labels that could be taken, the last "
            f"because {last}; try another --model, or write the cases by hand"
        )
    lacks = ", ".join(f"{n} {kind}" for kind, n in missing(request, draft.cases).items())
    return replace(draft, cut=f"after {MAX_CALLS} replies there are still missing: {lacks}")


def missing(request: DraftRequest, cases: Sequence[DraftedCase]) -> dict[DraftKind, int]:
    """Count what is still to be asked for, of each kind that lacks some."""
    lacks = {
        kind: request.wanted(kind) - sum(case.kind is kind for case in cases) for kind in DraftKind
    }
    return {kind: count for kind, count in lacks.items() if count > 0}


def write_prompt(
    request: DraftRequest,
    taken: Sequence[DraftedCase] = (),
    refused: Sequence[RefusedCase] = (),
) -> str:
    """Write the question.

    The request stands between the lines `<request>` and `</request>` as one JSON object with the
    numbers that are still missing, earlier cases as lists in `<taken>` and `<refused>`.
    """
    lacks = missing(request, taken)
    told = replace(
        request,
        body=cut(request.body, LONGEST_BODY),
        description=cut(request.description, LONGEST_TEXT),
        siblings=tuple((name, cut(text, LONGEST_TEXT)) for name, text in request.siblings),
        positives=lacks.get(DraftKind.POSITIVE, 0),
        near_misses=lacks.get(DraftKind.NEAR_MISS, 0),
        sibling_jobs=lacks.get(DraftKind.SIBLING, 0),
    )
    return _template().render(
        kind=request.kind.value,
        request=as_json(asdict(told)),
        taken=as_json([cut(case.prompt, LONGEST_TOLD) for case in taken]) if taken else "",
        refused=as_json(
            [{"prompt": cut(case.prompt, LONGEST_TOLD), "fault": case.fault} for case in refused]
        )
        if refused
        else "",
    )


async def _ask(request: DraftRequest, draft: Draft, completer: Completer) -> Draft:
    """Ask once and add what holds."""
    prompt = write_prompt(request, draft.cases, draft.refused)
    try:
        completion = await completer.complete(prompt, schema=ANSWER_SCHEMA)
    except UnusableReplyError as error:
        fault = RefusedCase(prompt="", fault=str(error))
        return _added(draft, prompt, error.completion, (), (fault,))
    try:
        values = json.loads(completion.text)
        proposed = values["cases"]
        new, refused = take(proposed, request, draft.cases)
    except (ValueError, RecursionError, KeyError, TypeError):
        fault = RefusedCase(prompt="", fault="the reply is no JSON object with a list of cases")
        return _added(draft, prompt, completion, (), (fault,))
    return _added(draft, prompt, completion, new, refused)


def _added(
    draft: Draft,
    prompt: str,
    completion: Completion,
    new: Sequence[DraftedCase],
    refused: Sequence[RefusedCase],
) -> Draft:
    exchange = Exchange(
        prompt=prompt,
        reply=completion.text,
        fault="; ".join(case.fault for case in refused) or None,
        model=completion.model,
        usage=completion.usage,
    )
    return replace(
        draft,
        cases=(*draft.cases, *new),
        refused=(*draft.refused, *refused),
        exchanges=(*draft.exchanges, exchange),
    )


def _has_both(cases: Sequence[DraftedCase]) -> bool:
    return {case.should_trigger for case in cases} == {True, False}


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
    source = files("skillwalker.drafting").joinpath("draft.md.j2").read_text(encoding="utf-8")
    return environment.from_string(source)
