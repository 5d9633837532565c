"""Unicode's normal forms in linear time: Python sorts the marks of one letter in quadratic time."""

import unicodedata
from typing import Final, Literal

MOST_MARKS: Final = 30
"""Marks on one letter that count. Source: the Stream-Safe Text Format of UAX #15."""
_HIDDEN_MARKS: Final = frozenset("\u0f73\u0f75\u0f81\uff9e\uff9f")
"""Characters that are no marks themselves, but become marks in a normal form."""


def normal_form(form: Literal["NFC", "NFD", "NFKC"], text: str) -> str:
    """Bring a text into a normal form; marks beyond what a letter of any script has are dropped."""
    return unicodedata.normalize(form, text if text.isascii() else _stream_safe(text))


def _stream_safe(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) or char in _HIDDEN_MARKS else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)
