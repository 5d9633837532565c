"""What is wrong with a description's text, whoever wrote it: faults in words, nothing is mended."""

import re
import unicodedata
from collections.abc import Sequence

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.quotes import find_quote

MAX_UNITS = 1024
"""UTF-16 units. Source: the upload limit of Agent Skills (agentskills.io)."""
MIN_CHARS = 20
"""Below this a description says nothing that a model could choose by."""

_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_REMINDER = re.compile(r"<\s*(?:/\s*)?system-reminder\b[^>]*>?", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][\w.-]*(?:\s[^<>]*)?/?>")
_LEAD_IN = re.compile(
    r"(?:here(?:'s|’s| is| are)|sure|certainly|of course|okay|hier ist|voici|aquí (?:está|tienes)"
    r"|ecco)(?=[\s,!:.]).{0,120}?[:!]"
    r"|(?:(?:new|improved|revised|updated|final) )?(?:description|beschreibung)\s*:"
    r"|(?:以下|こちら)[はが].{0,60}?[:：。]",
    re.IGNORECASE | re.DOTALL,
)
_WRAPPERS = (
    ('"', '"'),
    ("'", "'"),
    ("`", "`"),
    ("**", "**"),
    ("“", "”"),
    ("‘", "’"),
    ("„", "“"),
    ("«", "»"),
    ("「", "」"),
    ("『", "』"),
)
_INVISIBLE = frozenset("\u2028\u2029\u2060\ufeff") | frozenset(
    chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080))
)
"""Separators, direction overrides and tags that no reader sees; joiners of scripts are not here."""


def lint_description(
    text: str,
    *,
    kind: TargetKind,
    max_units: int = MAX_UNITS,
    queries: Sequence[str] = (),
    earlier: Sequence[str] = (),
) -> tuple[str, ...]:
    """Say everything that is wrong with a description.

    Whether Claude Code can be made to read the text from a file is not asked here.

    Args:
        text: the description as it would be written.
        kind: an agent's description may have several lines and tags, a skill's may not.
        max_units: most UTF-16 units it may have.
        queries: prompts that it must not quote; only such as its author may see, for a fault
            repeats the words in question.
        earlier: descriptions that were measured before.

    Returns:
        One sentence a fault, for people and for the improver; empty when nothing is wrong.

    Source:
        The length and the ban on tags in a skill: the specification of Agent Skills
        (agentskills.io). The others: what Claude Code 2.1.332 flattens, escapes or ends by.
    """
    faults = (
        _length(text, max_units),
        _characters(text, kind),
        _markup(text, kind),
        _wrapping(text),
        _repeats(text, earlier),
        _quotes(text, queries),
    )
    return tuple(fault for group in faults for fault in group)


def count_units(text: str) -> int:
    """Count UTF-16 units, as the limits do: a character outside the first plane has two."""
    return len(text) + sum(char > "\uffff" for char in text)


def _length(text: str, max_units: int) -> tuple[str, ...]:
    units, chars = count_units(text), len(text.strip())
    if units > max_units:
        over = units - max_units
        return (
            f"it has {units} UTF-16 units, {over} over the limit of {max_units};"
            " shorten it, the least important part first",
        )
    if chars < MIN_CHARS:
        return (f"it has {chars} characters, at least {MIN_CHARS} are needed; say what it is for",)
    return ()


def _characters(text: str, kind: TargetKind) -> tuple[str, ...]:
    lone = next((char for char in text if "\ud800" <= char <= "\udfff"), None)
    faults = [] if lone is None else [f"it holds half of a character ({_code(lone)}); remove it"]
    line_breaks = "\n" if kind is TargetKind.AGENT else ""
    control = next((char for char in text if _is_control(char) and char not in line_breaks), None)
    if control is not None:
        what = {"\n": "a line break", "\r": "a carriage return", "\t": "a tab"}.get(control)
        faults.append(f"it holds {what or f'the control character {_code(control)}'}; use spaces")
    hidden = next((char for char in text if char in _INVISIBLE), None)
    if hidden is not None:
        faults.append(f"it holds the invisible character {_code(hidden)}; remove it")
    if text != text.strip():
        faults.append("it begins or ends with white space; remove that")
    return tuple(faults)


def _is_control(char: str) -> bool:
    return unicodedata.category(char) == "Cc"


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"


def _markup(text: str, kind: TargetKind) -> tuple[str, ...]:
    if _FENCE.search(text):
        return ("it has a line of --- or ..., which ends the file's frontmatter; remove it",)
    reminder = _REMINDER.search(text)
    if reminder is not None:
        return (f"it holds {reminder[0][:40]!r}, Claude Code's own mark; remove it",)
    tag = _TAG.search(text) if kind is TargetKind.SKILL else None
    if tag is not None:
        return (f"it holds the tag {tag[0][:40]!r}; a skill has no tags: say it in words",)
    return ()


def _wrapping(text: str) -> tuple[str, ...]:
    inner = text.strip()
    if inner.startswith(("```", "~~~")):
        return ("it begins with a code fence; give the bare text",)
    if any(_wraps(opening, closing, inner) for opening, closing in _WRAPPERS):
        return ("it stands in quotation marks or markup; give the bare text",)
    lead_in = _LEAD_IN.match(inner)
    if lead_in is not None:
        return (f"it begins with {lead_in[0]!r}, which is about the text; give the text alone",)
    return ()


def _wraps(opening: str, closing: str, text: str) -> bool:
    """Say whether one pair of marks holds the whole text, not only its first and last words."""
    if not (text.startswith(opening) and text.endswith(closing)):
        return False
    inner = text[len(opening) : -len(closing)]
    return opening not in inner and closing not in inner


def _repeats(text: str, earlier: Sequence[str]) -> tuple[str, ...]:
    if _spaced(text) in {_spaced(old) for old in earlier}:
        return ("it equals a description that was tried before; write another one",)
    return ()


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _quotes(text: str, queries: Sequence[str]) -> tuple[str, ...]:
    quote = find_quote(text, queries)
    if quote is None:
        return ()
    return (f"it repeats the words {quote!r} of a test prompt; say it in general words",)
