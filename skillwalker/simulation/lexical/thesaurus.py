"""Words of software work that mean nearly the same, in English, German and Japanese.

Without it a simulated Claude would not know that "langsam" and "スロー" are "slow", and no
description could reach beyond its own words. A line of thesaurus.txt is a group of words.
"""

from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final

from skillwalker.simulation.lexical.stems import near_keys, stem

CONCEPT_MARK: Final = "~"
"""Begins the key of a group; no word does."""
_COMPOUND: Final = 8
"""Letters from which on a word may hold another."""


def _groups() -> Iterator[tuple[str, str]]:
    """Yield each listed word with the key of its group."""
    text = (
        files("skillwalker.simulation.lexical")
        .joinpath("thesaurus.txt")
        .read_text(encoding="utf-8")
    )
    for line in text.splitlines():
        words = line.split()
        for word in words:
            yield word, f"{CONCEPT_MARK}{words[0]}"


@lru_cache(maxsize=1)
def listed_words() -> str:
    """Give every listed word, as one text."""
    return " ".join(word for word, _ in _groups())


@lru_cache(maxsize=1)
def _by_stem() -> dict[str, frozenset[str]]:
    """Map stems, and stems with a typing slip, to the keys of their groups."""
    found: dict[str, set[str]] = {}
    for word, group in _groups():
        for key in {stem(word), *near_keys(stem(word))}:
            found.setdefault(key, set()).add(group)
    return {key: frozenset(groups) for key, groups in found.items()}


@lru_cache(maxsize=1)
def _unspaced() -> tuple[tuple[str, str], ...]:
    """List the words of scripts without spaces."""
    return tuple((word, group) for word, group in _groups() if word[0] > "\u2fff")


@lru_cache(maxsize=16_384)
def concepts_of_stem(key: str) -> frozenset[str]:
    """Name the groups that a stem belongs to; of a compound those of its first and last part."""
    listed = _by_stem()
    exact = listed.get(key)
    if exact is not None:
        return exact
    slipped = [listed[slip] for slip in near_keys(key) if slip in listed]
    if slipped or len(key) < _COMPOUND:
        return frozenset().union(*slipped)
    parts = (part for size in range(5, len(key) - 1) for part in (key[:size], key[-size:]))
    return frozenset().union(*(listed.get(part, frozenset()) for part in parts))


def concepts_of_run(run: str) -> frozenset[str]:
    """Name the groups of the listed words that a run without spaces holds."""
    return frozenset(group for word, group in _unspaced() if word in run)
