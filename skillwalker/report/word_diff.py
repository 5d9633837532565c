"""What a text loses and gains, word by word where much is common (pure)."""

import difflib
import re
from dataclasses import dataclass
from typing import Literal

MUCH_COMMON = 0.5
"""Share of words and blanks from which on a word diff reads better than two paragraphs."""

_WORDS = re.compile(r"\s+|[^\s]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of words that is in both texts, or in one."""

    kind: Literal["same", "lost", "gained"]
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...] | None:
    """Compare two texts by words; None where too little is common to be read so."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < MUCH_COMMON:
        return None
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces.append(Piece(kind="same", text="".join(old[i1:i2])))
            continue
        if i1 != i2:
            pieces.append(Piece(kind="lost", text="".join(old[i1:i2])))
        if j1 != j2:
            pieces.append(Piece(kind="gained", text="".join(new[j1:j2])))
    return tuple(pieces)
