"""Is a text really sent as it was computed? What a request lists, beside what it should list.

A description that Claude Code drops, cuts or shows under another's name cannot be measured,
whatever the trials would say; and where a request differs from what was computed, this Claude
Code is not the one that Skillwalker knows.
"""

import unicodedata
from collections.abc import Awaitable, Callable, Sequence

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.trials import BuiltPlugin
from skillwalker.datatypes.vocabulary import ListingState
from skillwalker.errors import PreflightError
from skillwalker.listing.budget import KNOWN_VERSIONS
from skillwalker.listing.shown_text import unescaped
from skillwalker.plan import Plan, place
from skillwalker.preflight import check_listing
from skillwalker.standin.request import ListedEntry

Probe = Callable[[BuiltPlugin, str], Awaitable[tuple[ListedEntry, ...]]]
"""Gives what the first request of a trial of a copy lists, for a model; nothing is paid.

Raises:
    PreflightError: no request was sent.
    EngineUnavailableError: no trial can run.
"""

_BEFORE, _EXCERPT = 20, 100
"""Characters that a message quotes before the place where two texts part, and in all."""


async def check_shown(plan: Plan, text: str, built: BuiltPlugin, probe: Probe) -> None:
    """See that the requests of every model list a candidate as it was computed, and with its text.

    Args:
        plan: the target and the models.
        text: the candidate.
        built: the copy that holds it.
        probe: shows what is sent.

    Raises:
        PreflightError: the text is not sent, or not as it was computed.
        EngineUnavailableError: no trial can run.
    """
    for model in plan.models:
        expected = place(plan, text, model=model)
        fault = difference(expected, await probe(built, model))
        if fault is not None:
            raise PreflightError(
                f"Claude Code {plan.cli_version} does not list {expected.listed.name} for {model}"
                f" as Skillwalker computed: {fault}"
            )
        check_listing(expected)


def difference(expected: ListingPlace, sent: Sequence[ListedEntry]) -> str | None:
    """Say how a listing that was sent differs from what was computed of the target, if it does.

    Line breaks, spaces and invisible characters do not count: versions write them differently.
    """
    listed = expected.listed
    lines = [one for one in sent if one.kind is listed.kind and one.name == listed.name]
    wanted = None if expected.state is ListingState.NAME_ONLY else listed.text
    if len(lines) == 1 and _visible(lines[0].text) == _visible(wanted):
        return None
    if not lines:
        names = ", ".join(sorted(one.name for one in sent)) or "nothing"
        found = f"there is no line of that name (listed: {names})"
    elif len(lines) > 1:
        found = f"{len(lines)} lines have that name: " + "; ".join(
            _quoted(line.text, wanted) for line in lines
        )
    else:
        found = f"sent was {_quoted(lines[0].text, wanted)}"
    first = lines[0].text if lines else None
    return (
        f"expected was {_quoted(wanted, first)}, {found}; see that nothing else has its name, or"
        f" use a Claude Code that Skillwalker knows: {', '.join(KNOWN_VERSIONS)}"
    )


def _visible(text: str | None) -> str | None:
    """Leave only what a reader sees."""
    if text is None:
        return None
    return "".join(char for char in unescaped(text) if unicodedata.category(char)[0] not in "CZ")


def _quoted(text: str | None, other: str | None) -> str:
    """Quote a text from shortly before the place where it parts from another."""
    if text is None:
        return "its name only"
    pairs = zip(text, other or "", strict=False)
    parting = next(
        (at for at, (a, b) in enumerate(pairs) if a != b), min(len(text), len(other or ""))
    )
    start = max(0, parting - _BEFORE)
    piece = text[start : start + _EXCERPT]
    dots = ("…" if start else "", "…" if start + _EXCERPT < len(text) else "")
    return f"{len(text)} characters {dots[0]}{piece!r}{dots[1]}"
