"""Cuts a text into terms that can be compared: stemmed words, n-grams where there are no spaces.

No dictionary and no model: stems are good enough when both sides are cut the same way.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from skillwalker.lexical.stopwords import GENERIC_WORDS, STOP_WORDS

GENERIC_WEIGHT: Final = 0.35
SHORT_WEIGHT: Final = 0.7
NGRAM_WEIGHT: Final = 0.6
"""Of one n-gram; a word of such a script has about two."""

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
_NGRAM: Final = {"han": 2, "kana": 2, "hangul": 2, "unspaced": 3}
_SUFFIXES: Final = (
    *("ierungen", "ierung", "ungen", "ments", "ment", "ings", "ions"),
    *("ing", "ion", "ung", "ers", "ies", "ied", "er", "es", "ed", "en", "ly", "e", "n", "y"),
)


@dataclass(frozen=True, slots=True)
class Term:
    """A word as it stands in a text, and what it is compared by."""

    surface: str
    """Case-folded, otherwise as written."""
    keys: tuple[str, ...]
    """One stem, or the n-grams of a run in a script without spaces."""
    weight: float
    """Of each key: 1 for a word that names a topic, less for one that hardly does."""


def _plain(word: str) -> str:
    """Drop the accents of a word."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Reduce a case-folded word to what its inflections share, roughly, in English and German."""
    word = _plain(word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "es")):
        word = word[:-1]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
    else:
        if len(word) > 4 and word.endswith("es"):
            word = word[:-1]
    if len(word) > 6 and word.endswith("at"):
        word = word[:-2]
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word


_GENERIC_STEMS: Final = frozenset(stem(word) for word in GENERIC_WORDS)


def _word_term(word: str) -> Term | None:
    """Make a term of a word; None for a stop word and a single letter."""
    if word in STOP_WORDS or len(word) < 2:
        return None
    key = stem(word)
    if key in _GENERIC_STEMS:
        return Term(word, (key,), GENERIC_WEIGHT)
    return Term(word, (key,), SHORT_WEIGHT if len(word) == 2 else 1.0)


def _run_term(run: str, size: int) -> Term:
    """Make a term of the n-grams of a run without spaces; a shorter run is one n-gram."""
    last = max(1, len(run) - size + 1)
    return Term(run, tuple(run[start : start + size] for start in range(last)), NGRAM_WEIGHT)


def _cut(text: str) -> Iterator[Term]:
    """Yield the terms of a text in order."""
    folded = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text)).casefold()
    for match in _TOKEN.finditer(folded):
        kind = match.lastgroup or "word"
        if kind == "word":
            term = _word_term(match.group())
            if term is not None:
                yield term
        elif kind != "hiragana":  # inflections and particles
            yield _run_term(match.group(), _NGRAM[kind])


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[Term, ...]:
    """Cut a text into its terms, in order, without stop words."""
    return tuple(_cut(text))


def weights(text: str) -> dict[str, float]:
    """Weigh every key of a text."""
    found: dict[str, float] = {}
    for term in terms(text):
        for key in term.keys:
            found[key] = max(found.get(key, 0.0), term.weight)
    return found


def near_keys(key: str) -> frozenset[str]:
    """Give the spellings under which two keys one typing slip apart meet.

    Two words that differ by a letter too many, too few, wrong or swapped share a spelling with
    one letter deleted.

    Source: the symmetric delete idea of SymSpell, github.com/wolfgarbe/SymSpell.
    """
    if len(key) < 5:
        return frozenset()
    return frozenset((key, *(key[:at] + key[at + 1 :] for at in range(len(key)))))
