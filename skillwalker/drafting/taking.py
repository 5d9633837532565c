"""Which of the proposed prompts are taken, and what is wrong with the others (pure)."""

import unicodedata
from collections.abc import Sequence

from skillwalker.datatypes.drafts import DraftedCase, DraftKind, DraftRequest, RefusedCase
from skillwalker.faults import shown
from skillwalker.quotes import find_quote
from skillwalker.suites.near_duplicates import group_near_duplicates, is_rewording, normalise

LONGEST_PROMPT = 4_000
"""Characters of a drafted prompt; a longer one is a person's to write."""


def take(
    proposed: Sequence[object], request: DraftRequest, taken: Sequence[DraftedCase]
) -> tuple[tuple[DraftedCase, ...], tuple[RefusedCase, ...]]:
    """Take what holds of a reply's cases, in order, up to the numbers that are asked for.

    Args:
        proposed: the entries of the reply.
        request: what was asked for.
        taken: what was taken of earlier replies.

    Returns:
        The cases that are taken now, and those that are not, with the reasons.
    """
    new: list[DraftedCase] = []
    refused: list[RefusedCase] = []
    for entry in proposed:
        case = read_case(entry)
        if isinstance(case, RefusedCase):
            refused.append(case)
            continue
        have = (*taken, *new)
        if sum(each.kind is case.kind for each in have) >= request.wanted(case.kind):
            continue
        fault = find_fault(case, request, have)
        if fault is None:
            new.append(case)
        else:
            refused.append(RefusedCase(prompt=case.prompt, fault=fault))
    return tuple(new), tuple(refused)


def read_case(entry: object) -> DraftedCase | RefusedCase:
    """Read one entry of a reply; what is none is refused with the reason."""
    values = entry if isinstance(entry, dict) else {}
    prompt, kind, sibling = (values.get(key) for key in ("prompt", "kind", "sibling"))
    if not isinstance(prompt, str):
        return RefusedCase(prompt=shown(entry), fault="it has no text under prompt")
    if kind not in list(DraftKind):
        known = ", ".join(DraftKind)
        return RefusedCase(prompt=prompt, fault=f"kind is {shown(kind)}; it must be one of {known}")
    return DraftedCase(
        kind=DraftKind(kind),
        prompt=prompt.strip(),
        sibling=sibling if isinstance(sibling, str) and kind == DraftKind.SIBLING else None,
    )


def find_fault(case: DraftedCase, request: DraftRequest, have: Sequence[DraftedCase]) -> str | None:
    """Say why a proposed prompt is not taken; None when it is."""
    return (
        _form_fault(case.prompt)
        or _sibling_fault(case, request)
        or _told_fault(case.prompt, request)
        or _twin_fault(case, have)
    )


def _form_fault(prompt: str) -> str | None:
    if not prompt:
        return "it is empty"
    if len(prompt) > LONGEST_PROMPT:
        return f"it has {len(prompt)} characters; {LONGEST_PROMPT} is the most"
    odd = [char for char in prompt if _is_odd(char)]
    return f"it holds the control character U+{ord(odd[0]):04X}" if odd else None


def _is_odd(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cs"}


def _sibling_fault(case: DraftedCase, request: DraftRequest) -> str | None:
    names = [name for name, _ in request.siblings]
    if case.kind is DraftKind.SIBLING and case.sibling not in names:
        return f"sibling is {shown(case.sibling)}; it must be one of the siblings' names"
    return None


def _told_fault(prompt: str, request: DraftRequest) -> str | None:
    """Find what would give the answer away: the target's name, or its description's words."""
    own = request.name.rpartition(":")[2]
    names = [request.name, *([own] if not own.isalnum() else []), f"/{own}"]
    said = next((name for name in names if normalise(name) in normalise(prompt)), None)
    if said is not None:
        return f"it names the {request.kind} ({said}); users who know the name need no description"
    quote = find_quote(request.description, [prompt])
    return None if quote is None else f"it quotes the description: {shown(quote)}"


def _twin_fault(case: DraftedCase, have: Sequence[DraftedCase]) -> str | None:
    """Find a prompt that says nearly the same; a near miss may be near, but no rewording."""
    same = [each.prompt for each in have if each.should_trigger is case.should_trigger]
    other = [each.prompt for each in have if each.should_trigger is not case.should_trigger]
    groups = group_near_duplicates([*same, case.prompt])
    if groups[-1] != len(same):
        return f"it asks nearly the same as {shown(same[groups[-1]])}"
    for prompt in other:
        if normalise(prompt) == normalise(case.prompt) or is_rewording(prompt, case.prompt):
            return f"it is but another wording of {shown(prompt)}, which has the other label"
    return None
