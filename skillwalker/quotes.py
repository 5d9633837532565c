"""Finding verbatim runs of a prompt in a text, in scripts with and without spaces."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from skillwalker.normal_form import normal_form

_WORD = 10
_CHAR = 3
"""A letter of a script without spaces weighs three tenths of a word: 20 of them are six words."""
LONGEST_RUN = 6 * _WORD
"""A run above this weight is a quotation. Source: the sixth word, as skill optimizers draw it."""
SHORTEST_WHOLE = 4 * _WORD
"""A whole prompt from this weight on may not stand in the text either."""

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x20000, 0x3FFFF),  # Han, further planes
)
_STARTS = tuple(start for start, _ in _UNSPACED)
_APOSTROPHES = frozenset("'’ʼ")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word, or one letter of a script without spaces; compared by its folded text alone."""

    folded: str
    start: int
    end: int
    weight: int


def find_quote(text: str, queries: Sequence[str]) -> str | None:
    """Find the first verbatim run of a query in a text.

    Case, punctuation and the width of letters make no difference.

    Returns:
        The words as they stand in the text: more than six of a query in a row (more than 20
        letters of a script without spaces), or a whole query of four to six; None if there are
        none.
    """
    tokens = _tokens(text)
    if not tokens:
        return None
    runs = dict(_long_runs(tokens))
    for query in queries:
        asked = _tokens(query)
        place = next((runs[run] for run, _ in _long_runs(asked) if run in runs), None)
        place = place or _whole(asked, tokens)
        if place is not None:
            return normal_form("NFKC", text)[place[0] : place[1]]
    return None


def _long_runs(tokens: Sequence[_Token]) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """Give the shortest run above the limit from each token on, with its place."""
    end, weight = 0, 0
    for start, token in enumerate(tokens):
        while end < len(tokens) and weight <= LONGEST_RUN:
            weight += tokens[end].weight
            end += 1
        if weight <= LONGEST_RUN:
            return
        yield (
            tuple(part.folded for part in tokens[start:end]),
            (token.start, tokens[end - 1].end),
        )
        weight -= token.weight


def _whole(asked: Sequence[_Token], tokens: Sequence[_Token]) -> tuple[int, int] | None:
    """Find a short query that stands in the text from its first to its last word."""
    weight = sum(token.weight for token in asked)
    if not SHORTEST_WHOLE <= weight <= LONGEST_RUN:  # a longer one stands there as a long run
        return None
    wanted = [token.folded for token in asked]
    given = [token.folded for token in tokens]
    for start in range(len(given) - len(wanted) + 1):
        if given[start : start + len(wanted)] == wanted:
            return tokens[start].start, tokens[start + len(wanted) - 1].end
    return None


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[_Token, ...]:
    """Cut a text into words; places are those in its NFKC form."""
    return tuple(_cut(normal_form("NFKC", text)))


def _cut(normal: str) -> Iterator[_Token]:
    word: list[str] = []
    begun = 0
    for place, char in enumerate(normal):
        unspaced = _is_unspaced(char)
        if _belongs_to_word(char) and not unspaced:
            begun = begun if word else place
            word.append(char)
            continue
        if word and char in _APOSTROPHES:
            continue
        if word:
            yield _Token("".join(word).casefold(), begun, place, _WORD)
            word = []
        if unspaced and char.isalnum():
            yield _Token(char.casefold(), place, place + 1, _CHAR)
    if word:
        yield _Token("".join(word).casefold(), begun, len(normal), _WORD)


def _belongs_to_word(char: str) -> bool:
    """Take letters, digits and marks: words of many scripts hold marks, which are no letters."""
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def _is_unspaced(char: str) -> bool:
    """Say whether a character is of a script that is written without spaces."""
    code = ord(char)
    if code < _STARTS[0]:
        return False
    index = bisect_right(_STARTS, code) - 1
    return code <= _UNSPACED[index][1]
