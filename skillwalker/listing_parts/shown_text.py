"""How Claude Code 2.1.332 shows a text in a line of its listing, and how much room that takes."""

import re
import unicodedata

__all__ = ["columns", "cut", "flattened", "utf16_units"]

_ANSI = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_HIDDEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)
_JOINER = "\u200d"
_NON_JOINER = "\u200c"
_EMOJI_STYLE = "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_KEYCAP = "\u20e3"
_VIRAMA = 9
"""Canonical combining class of the signs that a joiner may follow in Indic scripts."""


def flattened(text: str) -> str:
    """Write a skill's text as one line: hidden characters are a space, `<` and `>` entities.

    A joiner or style selector inside an emoji stays, and a joiner that spells a word does. Which
    those are is close to Claude Code's own rule, not the same list.
    """
    text = _ANSI.sub("", text)
    shown: list[str] = []
    for place, char in enumerate(text):
        if not _is_hidden(char) or _is_spelled(text, place):
            shown.append(char)
        elif not (shown and shown[-1] == " " and _is_hidden_space(text, place)):
            shown.append(" ")
    return "".join(shown).replace("<", "&lt;").replace(">", "&gt;")


def _is_hidden_space(text: str, place: int) -> bool:
    """Whether the space that was just written stands for a hidden character before this one."""
    return place > 0 and _is_hidden(text[place - 1])


def _is_hidden(char: str) -> bool:
    return char in _HIDDEN or unicodedata.category(char) in _HIDDEN_CATEGORIES


def _is_spelled(text: str, place: int) -> bool:
    char, before = text[place], text[place - 1] if place else " "
    after = text[place + 1] if place + 1 < len(text) else " "
    if char == _EMOJI_STYLE:
        return _is_pictured(before) or after == _KEYCAP
    if char not in {_JOINER, _NON_JOINER}:
        return False
    if char == _JOINER and (_is_pictured(before) or before in {_EMOJI_STYLE, *_SKIN_TONES}):
        return _is_pictured(after)
    arabic = char == _NON_JOINER and _is_arabic(before) and _is_arabic(after)
    return arabic or (unicodedata.combining(before) == _VIRAMA and after.isalpha())


def _is_arabic(char: str) -> bool:
    return unicodedata.bidirectional(char) == "AL"


def _is_pictured(char: str) -> bool:
    """Whether a character can begin an emoji."""
    return unicodedata.category(char) == "So" or char in "\u203c\u2049\u2139\u2194\u3030\u303d"


def columns(text: str) -> int:
    """Measure a text in terminal columns, the unit of Claude Code's listing budget.

    Source: behaviour of Claude Code 2.1.332 and 2.1.197, which count with Bun's `stringWidth`.
    """
    if text.isascii():
        return sum(char >= " " and char != "\x7f" for char in text)
    total = 0
    for place, char in enumerate(text):
        before = text[place - 1] if place else " "
        if char == _EMOJI_STYLE and _is_pictured(before):
            total += unicodedata.east_asian_width(before) not in "WF"
        elif before != _JOINER and not (char in _SKIN_TONES and _is_pictured(before)):
            total += _char_columns(char)
    return total


def _char_columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cc", "Cf"} or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def utf16_units(text: str) -> int:
    """Measure a text as JavaScript does."""
    return len(text) + sum(char > "\uffff" for char in text)


def cut(text: str, most: int) -> str:
    """Cut a text to so many UTF-16 units, the last of which is then an ellipsis."""
    if utf16_units(text) <= most:
        return text
    kept = text.encode("utf-16-le")[: 2 * (most - 1)]
    return kept.decode("utf-16-le", errors="replace") + "\u2026"
