"""How Claude Code 2.1.332 shows a text in a line of its listing, and how much room that takes."""

import re
import unicodedata

__all__ = ["columns", "cut", "flattened", "unescaped", "utf16_units"]

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
_FLAG, _TAGS = "\U0001f3f4", frozenset(map(chr, range(0xE0020, 0xE0080)))
_TEXT_EMOJI_RANGES = (
    "a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 2328 23cf 23ed-23ef 23f1-23f2 23f8-23fa "
    "24c2 25aa-25ab 25b6 25c0 25fb-25fc 2600-2604 260e 2611 2618 261d 2620 2622-2623 2626 "
    "262a 262e-262f 2638-263a 2640 2642 265f-2660 2663 2665-2666 2668 267b 267e 2692 "
    "2694-2697 2699 269b-269c 26a0 26a7 26b0-26b1 26c8 26cf 26d1 26d3 26e9 26f0-26f1 26f4 "
    "26f7-26f9 2702 2708-2709 270c-270d 270f 2712 2714 2716 271d 2721 2733-2734 2744 2747 "
    "2763-2764 27a1 2934-2935 2b05-2b07 3030 303d 3297 3299 1f170-1f171 1f17e-1f17f 1f202 "
    "1f237 1f321 1f324-1f32c 1f336 1f37d 1f396-1f397 1f399-1f39b 1f39e-1f39f 1f3cb-1f3ce "
    "1f3d4-1f3df 1f3f3 1f3f5 1f3f7 1f43f 1f441 1f4fd 1f549-1f54a 1f56f-1f570 1f573-1f579 "
    "1f587 1f58a-1f58d 1f590 1f5a5 1f5a8 1f5b1-1f5b2 1f5bc 1f5c2-1f5c4 1f5d1-1f5d3 "
    "1f5dc-1f5de 1f5e1 1f5e3 1f5e8 1f5ef 1f5f3 1f5fa 1f6cb 1f6cd-1f6cf 1f6e0-1f6e5 1f6e9 "
    "1f6f0 1f6f3 "
)


def _characters(ranges: str) -> frozenset[str]:
    """Take ranges of code points as the characters in them."""
    ends = (part.partition("-") for part in ranges.split())
    spans = ((int(first, 16), int(last or first, 16)) for first, _, last in ends)
    return frozenset(chr(code) for first, last in spans for code in range(first, last + 1))


_TEXT_EMOJI = _characters(_TEXT_EMOJI_RANGES)
"""Characters that the style selector turns into an emoji; seen in requests of 2.1.332."""
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


def unescaped(text: str) -> str:
    """Write the entities of `flattened` as the signs that they stand for."""
    return text.replace("&lt;", "<").replace("&gt;", ">")


def _is_hidden_space(text: str, place: int) -> bool:
    """Whether the space that was just written stands for a hidden character before this one."""
    return place > 0 and _is_hidden(text[place - 1])


def _is_hidden(char: str) -> bool:
    return char in _HIDDEN or unicodedata.category(char) in _HIDDEN_CATEGORIES


def _is_spelled(text: str, place: int) -> bool:
    """Whether a hidden character is part of an emoji or of a word."""
    char, before = text[place], text[place - 1] if place else " "
    after = text[place + 1] if place + 1 < len(text) else " "
    if char == _EMOJI_STYLE:
        return before in _TEXT_EMOJI or after == _KEYCAP
    if char in _TAGS:
        return text[:place].rstrip("".join(_TAGS)).endswith(_FLAG)
    if char not in {_JOINER, _NON_JOINER}:
        return False
    if char == _JOINER and (_is_pictured(before) or before in {_EMOJI_STYLE, *_SKIN_TONES}):
        return _is_pictured(after)
    arabic = char == _NON_JOINER and _is_arabic(before) and _is_arabic(after)
    return arabic or (unicodedata.combining(before) == _VIRAMA and after.isalpha())


def _is_arabic(char: str) -> bool:
    return unicodedata.bidirectional(char) == "AL"


def _is_pictured(char: str) -> bool:
    """Whether a character can be joined in an emoji."""
    return unicodedata.category(char) == "So" or char in _TEXT_EMOJI


def columns(text: str) -> int:
    """Measure a text in terminal columns, the unit of Claude Code's listing budget.

    Source: behaviour of Claude Code 2.1.332 and 2.1.197, which count with Bun's `stringWidth`.
    """
    if text.isascii():
        return sum(char >= " " and char != "\x7f" for char in text)
    total = 0
    for place, char in enumerate(text):
        before = text[place - 1] if place else " "
        if char == _EMOJI_STYLE and before in _TEXT_EMOJI:
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
