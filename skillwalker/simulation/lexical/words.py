"""Cuts a text into terms that can be compared: stemmed words, n-grams where there are no spaces.

No dictionary and no model: stems are good enough when both sides are cut the same way.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from skillwalker.normal_form import normal_form
from skillwalker.simulation.lexical.stems import stem
from skillwalker.simulation.lexical.stopwords import GENERIC_WORDS, STOP_WORDS
from skillwalker.simulation.lexical.thesaurus import CONCEPT_MARK, concepts_of_run, concepts_of_stem

GENERIC_WEIGHT: Final = 0.35
SHORT_WEIGHT: Final = 0.7

LONGEST_WORD: Final = 64
"""Letters from which on a run is no word of any language, but pasted data."""

CONCEPT_WEIGHT: Final = 0.6
_MOST_OF_A_TERM: Final = 1.2

_HAN = r"\u3400-\u9fff\uf900-\ufaff\u3005\U00020000-\U0003ffff"
_KATAKANA = r"\u30a1-\u30fa\u30fc"
_HIRAGANA = r"\u3041-\u309f"
_HANGUL = r"\uac00-\ud7a3"
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_INDIC = r"\u0900-\u0dff"
_NO_WORDS = _HAN + _KATAKANA + _HIRAGANA + _HANGUL + _UNSPACED + _INDIC

_TOKEN: Final = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<kana>[{_KATAKANA}]{{2,}})|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<unspaced>[{_UNSPACED}]+)|(?P<hiragana>[{_HIRAGANA}]+)"
    rf"|(?P<word>(?:[^\W\d_{_NO_WORDS}]|[{_INDIC}])(?:[^\W_{_NO_WORDS}]|[{_INDIC}\u0300-\u036f])*)"
)
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NGRAM: Final = {"han": (2, 0.9), "kana": (2, 0.5), "hangul": (2, 0.6), "unspaced": (3, 0.5)}
"""Size and weight by script: two Han characters are mostly a word, two of kana are a piece."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word as it stands in a text, and what it is compared by."""

    surface: str
    """Case-folded, otherwise as written."""
    keys: tuple[str, ...]
    """One stem, or the n-grams of a run in a script without spaces."""
    weight: float
    """Of each key: 1 for a word that names a topic, less for one that hardly does."""
    concepts: frozenset[str] = frozenset()
    """What it means nearly, as keys too."""


def fullest_match(term: Term) -> float:
    """Say the most a term can match."""
    return min(_MOST_OF_A_TERM, term.weight * len(term.keys))


_GENERIC_STEMS: Final = frozenset(stem(word) for word in GENERIC_WORDS)


def _word_term(word: str) -> Term | None:
    """Make a term of a word; None for a stop word, a single letter and pasted data."""
    if word in STOP_WORDS or not 2 <= len(word) <= LONGEST_WORD:
        return None
    key = stem(word)
    if key in _GENERIC_STEMS:
        return Term(word, (key,), GENERIC_WEIGHT)
    weight = SHORT_WEIGHT if len(word) == 2 else 1.0
    return Term(word, (key,), weight, concepts_of_stem(key))


def _run_term(run: str, size: int, weight: float) -> Term:
    """Make a term of the n-grams of a run without spaces; a shorter run is one n-gram."""
    last = max(1, len(run) - size + 1)
    grams = tuple(run[start : start + size] for start in range(last))
    return Term(run, grams, weight, concepts_of_run(run))


def _cut(text: str) -> Iterator[Term]:
    """Yield the terms of a text in order."""
    folded = normal_form("NFKC", _CAMEL.sub(" ", text)).casefold()
    for match in _TOKEN.finditer(folded):
        kind = match.lastgroup or "word"
        if kind == "word":
            term = _word_term(match.group())
            if term is not None:
                yield term
        elif kind != "hiragana":  # inflections and particles
            yield _run_term(match.group(), *_NGRAM[kind])


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[Term, ...]:
    """Cut a text into its terms, in order, without stop words."""
    return tuple(_cut(text))


def weights(text: str) -> dict[str, float]:
    """Weigh every key of a text, the concepts less than the words."""
    found: dict[str, float] = {}
    for term in terms(text):
        for key in term.keys:
            found[key] = max(found.get(key, 0.0), term.weight)
        for concept in term.concepts:
            found[concept] = CONCEPT_WEIGHT
    return found


def is_concept(key: str) -> bool:
    """Say whether a key names a concept instead of a word."""
    return key.startswith(CONCEPT_MARK)


def match(term: Term, known: Mapping[str, float]) -> float:
    """Say how well a text of those weights holds a term: by its keys, else by what it means."""
    found = 0.0
    for key in term.keys:
        found += known.get(key, 0.0)
    for concept in term.concepts:
        meant = known.get(concept, 0.0)
        if meant > found:
            found = meant
    return min(_MOST_OF_A_TERM, found)
