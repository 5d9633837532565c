"""The lexical chooser: which skill or agent a simulated Claude would call for a prompt.

It compares words instead of understanding them, so it says nothing about the real Claude. What
it shares with it is what a loop needs to be tried on: descriptions that name a request's words
win, boundaries hold back, siblings compete, vague texts waver, and a repeat may fall otherwise.
Everything here is a pure function; the noise is a hash of what the trial is.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.simulation.lexical.statements import read_statements
from skillwalker.simulation.lexical.stems import near_keys
from skillwalker.simulation.lexical.words import (
    CONCEPT_WEIGHT,
    LONGEST_WORD,
    Term,
    fullest_match,
    is_concept,
    match,
    terms,
    weights,
)
from skillwalker.simulation.naming import Naming, bonus, naming_of

# Set by trial on hand-written suites, not taken from the real Claude: two matching topic words
# call a skill, one leaves it open, none never does.
_THRESHOLD: Final = 1.3
_TEMPERATURE: Final = 0.3
_CERTAIN: Final = 1.2
"""Beyond this margin, either way, a repeat never falls otherwise.

It is less than the threshold, so no noise makes a prompt call what has nothing in common with it.
"""
_LONG_PROMPT: Final = 10
"""Topic words from which on further ones count against each other."""
_NAME_FACTOR: Final = 0.5
_SAYS_FACTOR: Final = 0.9
_ASKS_FACTOR: Final = 1.1
_MEMORABLE: Final = 30
"""Words from which on further ones make each weigh less: a list of everything stands for little."""
_DILUTION: Final = 0.4
_NEAR_FACTOR: Final = 0.75
_PART_FACTOR: Final = 0.6
_CLEAR: Final = 0.75
"""Match from which on no better one is looked for."""
_COMPOUND: Final = 8
"""Letters from which on a word may be a compound."""
_COVERAGE_BONUS: Final = 0.6
"""For a prompt all of whose words match: what makes "changelog please" enough."""
_CATCH_ALL_BONUS: Final = 0.8
_CATCH_ALL_MOST: Final = 2.8
_FENCED: Final = re.compile(r"```(\w*).*?(?:```|\Z)", re.DOTALL)
"""Pasted code: the request is in the words around it."""
_PATH: Final = re.compile(r"[\w.~/-]+", re.ASCII)
_CHUNK: Final = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class ListingEntry:
    """A line of the listing."""

    name: str
    """As listed: `plugin:name` or a bare name."""
    kind: TargetKind
    text: str
    """What follows the name; empty when nothing does."""


@dataclass(frozen=True, slots=True)
class _Profile:
    """An entry, cut up once."""

    wanted: dict[str, float]
    excluded: dict[str, float]
    near: dict[str, float]
    """Spelling with a slip -> weight of the wanted word."""
    bonus: float
    naming: Naming | None


def _strongest(parts: Iterable[tuple[dict[str, float], float]]) -> dict[str, float]:
    """Join weighed keys, each with its greatest weight."""
    joined: dict[str, float] = {}
    for weighed, factor in parts:
        for key, weight in weighed.items():
            joined[key] = max(joined.get(key, 0.0), weight * factor)
    return joined


@lru_cache(maxsize=4096)
def _profile(entry: ListingEntry) -> _Profile:
    """Cut an entry up."""
    statements = read_statements(entry.text)
    said, asked = weights(statements.says), weights(statements.asks)
    salience = min(1.0, (_MEMORABLE / max(1, len(said.keys() | asked.keys()))) ** _DILUTION)
    wanted = _strongest(
        (
            (weights(entry.name.rsplit(":", 1)[-1]), _NAME_FACTOR),
            (said, _SAYS_FACTOR * salience),
            (asked, _ASKS_FACTOR * salience),
        )
    )
    excluded = {
        key: weight for key, weight in weights(statements.excludes).items() if key not in wanted
    }
    return _Profile(
        wanted=wanted,
        excluded=excluded,
        near=_strongest(
            (dict.fromkeys(near_keys(key), weight), 1.0)
            for key, weight in wanted.items()
            if not is_concept(key)
        ),
        bonus=min(_CATCH_ALL_MOST, _CATCH_ALL_BONUS * max(0, statements.catch_alls - 1)),
        naming=naming_of(entry.name, entry.kind) if entry.name else None,
    )


@lru_cache(maxsize=16_384)
def _ends(key: str) -> frozenset[str]:
    """Give the beginnings and ends of a long word: compounds, and stems that were cut unlike."""
    if len(key) < _COMPOUND:
        return frozenset()
    return frozenset(part for size in range(5, len(key) - 1) for part in (key[:size], key[-size:]))


def _best(keys: frozenset[str], weighed: dict[str, float]) -> float:
    """Give the greatest weight of any of the keys, 0 when there is none."""
    shared = keys & weighed.keys()
    return max(weighed[key] for key in shared) if shared else 0.0


def _match(term: Term, profile: _Profile) -> float:
    """Say how well an entry's wanted words hold a term of the prompt, 0 when not at all."""
    found = match(term, profile.wanted)
    if found > _CLEAR or len(term.keys) > 1:
        return found
    key = term.keys[0]
    near = _NEAR_FACTOR * _best(near_keys(key), profile.near)
    return max(found, near or _PART_FACTOR * _best(_ends(key), profile.wanted))


def _evidence(prompt: str, profile: _Profile) -> tuple[float, float, float]:
    """Add up what speaks for an entry, what against it, and what the prompt asks in all."""
    found = against = total = 0.0
    meant: set[str] = set()
    for term in _distinct_terms(prompt):
        total += fullest_match(term)
        against += match(term, profile.excluded)
        matched = _match(term, profile)
        if matched <= CONCEPT_WEIGHT and term.concepts:
            if term.concepts <= meant:
                continue
            meant |= term.concepts
        found += matched
    return found, against, total


@lru_cache(maxsize=4096)
def _distinct_terms(prompt: str) -> tuple[Term, ...]:
    """Cut a prompt into terms, each once."""
    told = _CHUNK.sub(_if_prose, _PATH.sub(_last_part, _FENCED.sub(r"\1", prompt)))
    return tuple({term.keys: term for term in terms(told)}.values())


def _last_part(path: re.Match[str]) -> str:
    """Give what a path ends in; a run without a slash is given whole."""
    return path.group().rstrip("/").rpartition("/")[2]


def _if_prose(chunk: re.Match[str]) -> str:
    """Leave out what is longer than any word with the marks around it: pasted data."""
    return chunk.group() if len(chunk.group()) <= LONGEST_WORD else " "


@lru_cache(maxsize=65_536)
def margin(prompt: str, entry: ListingEntry) -> float:
    """Say how far a prompt is from the line between calling an entry and not; above 0 calls it."""
    profile = _profile(entry)
    evidence, against, total = _evidence(prompt, profile)
    lexical = (evidence - against) / math.sqrt(max(1.0, total / _LONG_PROMPT))
    coverage = _COVERAGE_BONUS * min(1.0, evidence / total) if total else 0.0
    # A few broad words help a text that has something in common with the prompt, and no other.
    broad = profile.bonus if evidence or profile.bonus > _THRESHOLD else 0.0
    named = bonus(prompt, profile.naming) if profile.naming is not None else 0.0
    return lexical + coverage + broad - _THRESHOLD + named


def probability(prompt: str, entry: ListingEntry) -> float:
    """Say how likely a prompt calls an entry that has no rival.

    Logistic in the margin, and certain far from the line.
    """
    distance = margin(prompt, entry)
    if abs(distance) >= _CERTAIN:
        return 1.0 if distance > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-distance / _TEMPERATURE))


def draw(purpose: str, prompt: str, entry: ListingEntry, *, seed: int, run_index: int) -> float:
    """Give a number in (0, 1) that depends on nothing but its purpose and what this trial is."""
    words = (purpose, str(seed), str(run_index), entry.kind, entry.name, entry.text, prompt)
    key = "\0".join(words)
    digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 0.5) / 2**64


def _noisy_margin(prompt: str, entry: ListingEntry, *, seed: int, run_index: int) -> float:
    """Move the margin by logistic noise; above 0 as often as `probability` says."""
    distance = margin(prompt, entry)
    if abs(distance) >= _CERTAIN:
        return distance
    share = draw("call", prompt, entry, seed=seed, run_index=run_index)
    return distance + _TEMPERATURE * math.log(share / (1.0 - share))


def choose_entry(
    prompt: str, catalog: Sequence[ListingEntry], *, seed: int, run_index: int
) -> ListingEntry | None:
    """Choose the entry that a prompt calls: the strongest of those above the line.

    Args:
        prompt: what the user wrote.
        catalog: the listing; its order changes nothing.
        seed: of the run.
        run_index: which repeat this is.
    """
    best: tuple[float, str, str] | None = None
    chosen: ListingEntry | None = None
    for entry in catalog:
        strength = _noisy_margin(prompt, entry, seed=seed, run_index=run_index)
        rank = (strength, entry.name, str(entry.kind))
        if strength > 0 and (best is None or rank > best):
            best, chosen = rank, entry
    return chosen


def choose(
    prompt: str, catalog: Sequence[ListingEntry], *, seed: int, run_index: int
) -> str | None:
    """Choose as `choose_entry` and give the listed name."""
    entry = choose_entry(prompt, catalog, seed=seed, run_index=run_index)
    return entry.name if entry is not None else None
