"""Chooses prompts that may become cases of a target, and labels them by what was called."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.mining import Candidate, Fired, MiningCoverage, TypedPrompt
from skillwalker.mining.redaction import redact
from skillwalker.mining.sessions import Reader
from skillwalker.simulation.lexical.words import match, terms, weights
from skillwalker.suites.near_duplicates import group_near_duplicates, normalise
from skillwalker.transcripts.outcome import plain_name

LONGEST_PROMPT = 4_000
FEWEST_WORDS = 4
"""Words of a prompt that is no first one: "yes, go on" means nothing by itself."""
FEWEST_LETTERS = 8
NEAR = 0.9
"""Weight of shared words from which on a prompt that called something else is worth a look.
Source: the simulated rewriter's threshold of a near miss."""


def mine(
    claude_home: Path,
    *,
    target: Target | None,
    rivals: Sequence[Target],
    since: datetime | None,
    most: int,
) -> tuple[tuple[Candidate, ...], MiningCoverage]:
    """Search the history.

    Args:
        claude_home: the user's `.claude`.
        target: whose cases are looked for; None lists prompts by what was called.
        rivals: the other targets of the project, which may have been called instead.
        since: nothing earlier; what has no moment is left out then.
        most: candidates in all.

    Returns:
        Those that called the target, then those near it that did not, each the newest or nearest
        first; and what was read.
    """
    reader = Reader()
    asked = _distinct(
        (each for each in chain(reader.conversations(claude_home), reader.typed(claude_home))),
        since,
    )
    coverage = MiningCoverage(
        files=reader.files,
        prompts=len(asked),
        unread_lines=reader.unread_lines,
        unread_files=reader.unread_files,
    )
    useful = [each for each in asked if _stands_alone(each)]
    chosen = _newest(useful) if target is None else _about(useful, target, most)
    candidates = [_candidate(each, target, rivals) for each in chosen]
    return _without_twins(candidates)[:most], coverage


def _distinct(asked: Iterable[TypedPrompt], since: datetime | None) -> list[TypedPrompt]:
    """Join what was asked more than once; what was called once counts as called."""
    found: dict[str, TypedPrompt] = {}
    for each in asked:
        if len(each.prompt) > LONGEST_PROMPT:
            continue
        if since is not None and (each.when is None or each.when < since):
            continue
        key = normalise(each.prompt)
        known = found.get(key)
        found[key] = each if known is None else _joined(known, each)
    return list(found.values())


def _joined(known: TypedPrompt, other: TypedPrompt) -> TypedPrompt:
    fired = known.fired
    if other.fired is not None:
        fired = tuple(dict.fromkeys((*(known.fired or ()), *other.fired)))
    return replace(known, fired=fired, is_first=known.is_first or other.is_first)


def _stands_alone(asked: TypedPrompt) -> bool:
    """Say whether a prompt means something without what was said before it."""
    letters = sum(map(str.isalnum, asked.prompt))
    words = len(asked.prompt.split())
    unspaced = not asked.prompt.isascii() and letters >= FEWEST_LETTERS
    return letters >= FEWEST_LETTERS and (asked.is_first or words >= FEWEST_WORDS or unspaced)


def _newest(asked: Sequence[TypedPrompt]) -> list[TypedPrompt]:
    """Order by what is known and when it was asked."""
    return sorted(asked, key=lambda each: (not each.fired, each.when is None, -_seconds(each.when)))


def _seconds(when: datetime | None) -> float:
    return 0.0 if when is None else when.timestamp()


def _about(asked: Sequence[TypedPrompt], target: Target, most: int) -> list[TypedPrompt]:
    """Take up to half that called the target, and fill up with those that are near it."""
    called = [each for each in asked if _called(each, target)]
    others = [each for each in asked if each.fired is not None and not _called(each, target)]
    known = weights(f"{target.name}\n{target.description}\n{target.body}")
    near = [(each, _nearness(each.prompt, known)) for each in others]
    near = [pair for pair in near if pair[1] >= NEAR or pair[0].fired]
    near.sort(key=lambda pair: (-pair[1], not pair[0].is_first))
    positive = sorted(called, key=lambda each: (not each.is_first, -_seconds(each.when)))
    room = max(most // 2, most - len(near))
    return [*positive[:room], *(each for each, _ in near)]


def _nearness(prompt: str, known: dict[str, float]) -> float:
    distinct = {term.keys: term for term in terms(prompt)}
    return sum(match(term, known) for term in distinct.values())


def _called(asked: TypedPrompt, target: Target) -> bool:
    return any(is_call_of(fired, target) for fired in asked.fired or ())


def is_call_of(fired: Fired, target: Target) -> bool:
    """Say whether a recorded call means a target: by its whole name, or by its bare one."""
    name = plain_name(fired.name)
    names = {target.id, target.name, *([target.alias] if target.alias else [])}
    return fired.kind is target.kind and name in names


def _candidate(asked: TypedPrompt, target: Target | None, rivals: Sequence[Target]) -> Candidate:
    prompt, kinds = redact(asked.prompt)
    fired = asked.fired or ()
    triggered = None
    if target is not None and asked.fired is not None:
        triggered = _called(asked, target)
    rival = None
    if triggered is False:
        rival = next((r.id for r in rivals for call in fired if is_call_of(call, r)), None)
    return Candidate(
        prompt=prompt,
        triggered=triggered,
        fired=tuple(dict.fromkeys(call.name for call in fired)),
        preferred=rival,
        redacted=kinds,
        when=asked.when,
        is_first=asked.is_first,
    )


def _without_twins(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Leave out what says nearly the same as an earlier one, whatever its label."""
    groups = group_near_duplicates([each.prompt for each in candidates])
    return tuple(each for place, each in enumerate(candidates) if groups[place] == place)
