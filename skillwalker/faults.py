"""What is wrong with a file that a user wrote, in words that say where and what to do (pure)."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Loc = tuple[int | str, ...]

BOOLEAN, OBJECT = "\x00boolean", "\x00object"
"""Tags of a union's members: pydantic puts them into places, where no user wrote them."""

MOST_NAMES = 20
"""Names that a message lists before it says how many more there are."""

LONGEST = 120
"""Characters of a text that a message quotes; a name is told by fewer."""

BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of what follows on a terminal: a name could look like another."""
_TYPES = {
    "bool_type": "true or false",
    "dict_type": "an object of keys and values",
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "an object of keys and values",
    "string_type": "a text in quotes",
}
_LIMITS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than_equal": ("at most", "le"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, at a place in the file."""

    loc: Loc
    message: str


def quoted(text: str) -> str:
    """Quote a text for a message, cut if long; what would garble a terminal is escaped."""
    brief = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return "".join(_visible(char) for char in json.dumps(brief, ensure_ascii=False))


def shown(value: object) -> str:
    """Show a value of JSON or TOML in a message, briefly."""
    match value:
        case str():
            return quoted(value if len(value) <= 60 else value[:59] + "…")
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            return _brief(value)


def closest(word: str, known: Iterable[str]) -> str:
    """Finish a message about an unknown word: the one that was meant, else all there are."""
    folded = {_folded(name): name for name in known}
    match = get_close_matches(_folded(word), folded, n=1)
    if match:
        return f"did you mean {quoted(folded[match[0]])}?"
    if not folded:
        return "there is none"
    names = [quoted(name) for name in folded.values()]
    rest = len(names) - MOST_NAMES
    more = f" and {rest} more" if rest > 0 else ""
    return f"known: {', '.join(names[:MOST_NAMES])}{more}"


def find_faults(
    error: ValidationError, form: type[BaseModel], *, whole: str = "the file"
) -> tuple[Fault, ...]:
    """Translate what pydantic found into our words, in its order.

    Args:
        error: what pydantic found.
        form: what was asked for; its keys are suggested for unknown ones.
        whole: what to call the value that was checked.
    """
    found = []
    for item in error.errors(include_url=False):
        unknown = item["loc"][-1:] if item["type"] == "extra_forbidden" else ()  # a user's word
        known = item["loc"][: len(item["loc"]) - len(unknown)]
        loc = (*(part for part in known if part not in {BOOLEAN, OBJECT}), *unknown)
        found.append(Fault(loc=loc, message=_message(item, loc, form, whole)))
    return tuple(found)


def place(loc: Loc) -> str:
    """Write a place as a quoted path: `"expect[0].llm-judge.threshold"`."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return quoted(text.removeprefix("."))


def _message(item: ErrorDetails, loc: Loc, form: type[BaseModel], whole: str) -> str:
    kind, value = item["type"], item["input"]
    where = place(loc) if loc else whole
    if kind == "missing":
        return f"{where} is missing; add it"
    if kind == "extra_forbidden":
        return f"unknown key {where}; {closest(str(loc[-1]), _known_keys(form, loc[:-1]))}"
    rule = f"{where} {_rule(kind, item.get('ctx', {}), item['msg'])}"
    if kind.endswith("_short") or (kind not in _TYPES and isinstance(value, dict | list)):
        return rule
    return f"{rule}, not {shown(value)}"


def _rule(kind: str, context: dict[str, object], fallback: str) -> str:
    if kind in _TYPES:
        return f"must be {_TYPES[kind]}"
    if kind in _LIMITS:
        words, bound = _LIMITS[kind]
        return f"must be {words} {_brief(context[bound])}"
    if kind == "literal_error":
        return f"must be {str(context['expected']).replace(chr(39), chr(34))}"
    if kind in {"string_too_short", "too_short"}:
        return "must not be empty"
    if kind == "string_unicode":
        return "must be valid Unicode"
    return f"must be {fallback}"


def _known_keys(form: type[BaseModel], loc: Sequence[int | str]) -> tuple[str, ...]:
    for part in loc:
        fields = {field.alias or name: field for name, field in form.model_fields.items()}
        inner = _forms_in(fields[part].annotation) if part in fields else ()
        form = inner[0] if inner else form
    return tuple(field.alias or name for name, field in form.model_fields.items())


def _forms_in(annotation: object) -> tuple[type[BaseModel], ...]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    return tuple(form for part in get_args(annotation) for form in _forms_in(part))


def _folded(word: str) -> str:
    return "".join(char for char in word.casefold() if char not in "-_ ")


def _brief(value: object) -> str:
    try:
        text = f"{value:g}" if isinstance(value, float) else str(value)
    except ValueError:  # more digits than Python prints
        return "a number with thousands of digits"
    return text if len(text) <= 60 else text[:59] + "…"


def _visible(char: str) -> str:
    if char in BIDI or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
        return f"\\u{ord(char):04x}"
    return char
