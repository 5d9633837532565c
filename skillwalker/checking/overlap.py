"""How much two descriptions share, in any script, apart from what many share (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from skillwalker.suites.near_duplicates import normalise

GRAM = 3
"""Characters of a sequence: a stem in most scripts, a word in those without spaces."""
OVERLAP = 0.4
"""Share of sequences from which two descriptions are taken to ask for the same prompts.

Source: of 1,455 pairs of siblings in 32 public collections one is above it, and it is two skills
with one wording; 1 in 1,000 is above 0.32. Rewordings of one description are at 0.45.
"""
COMMON = 5
"""A sequence that more than one in so many descriptions hold is a phrase of the house."""
LEAST_COMMON = 3
"""Descriptions that may hold a sequence in any case: in few there is no house."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two descriptions by their places in what was compared, and what they share."""

    first: int
    second: int
    share: float


def find_overlaps(texts: Sequence[str], least: float = OVERLAP) -> Iterator[Overlap]:
    """Find the pairs of descriptions that share most of what is their own.

    Phrases that many of them have, as in "Use when the user asks for", do not count; texts that
    are the same are a pair whatever they are made of.

    Args:
        texts: descriptions of things that Claude may choose between.
        least: of the sequences of either, the share that both must hold.
    """
    normal = [normalise(text) for text in texts]
    grams = [_grams(text) for text in normal]
    counts = Counter(gram for own in grams for gram in own)
    limit = max(LEAST_COMMON, len(texts) / COMMON)
    own = [frozenset(gram for gram in each if counts[gram] <= limit) for each in grams]
    shared = _shared(own)
    for first, second in _same(normal):
        shared.pop((first, second), None)
        yield Overlap(first=first, second=second, share=1.0)
    for (first, second), common in sorted(shared.items()):
        share = common / (len(own[first]) + len(own[second]) - common)
        if share >= least:
            yield Overlap(first=first, second=second, share=share)


def _grams(text: str) -> frozenset[str]:
    return frozenset(text[at : at + GRAM] for at in range(max(0, len(text) - GRAM + 1)))


def _shared(sets: Sequence[frozenset[str]]) -> Counter[tuple[int, int]]:
    """Count what each pair has in common, by who holds each sequence."""
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own in enumerate(sets):
        for gram in own:
            holders[gram].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for who in holders.values():
        shared.update(combinations(who, 2))
    return shared


def _same(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        other = first.setdefault(text, index)
        if other != index and text:
            yield other, index
