"""Reduces words to what inflections and typing slips leave of them, roughly and without a list."""

import unicodedata
from functools import lru_cache
from typing import Final

from skillwalker.normal_form import normal_form

_SUFFIXES: Final = (
    *("ierungen", "ierung", "ungen", "ments", "ment", "ings", "ions"),
    *("ing", "ion", "ung", "ers", "ies", "ied", "er", "es", "ed", "en", "ly", "e", "n", "y"),
)


def _plain(word: str) -> str:
    """Drop the accents of a word."""
    if word.isascii():
        return word
    decomposed = normal_form("NFD", word)
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


@lru_cache(maxsize=16_384)
def near_keys(key: str) -> frozenset[str]:
    """Give the spellings under which two keys one typing slip apart meet.

    Two words that differ by a letter too many, too few, wrong or swapped share a spelling with
    one letter deleted.

    Source: the symmetric delete idea of SymSpell, github.com/wolfgarbe/SymSpell.
    """
    if len(key) < 5:
        return frozenset()
    return frozenset((key, *(key[:at] + key[at + 1 :] for at in range(len(key)))))
