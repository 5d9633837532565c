"""Wrong usage in one line and in our words: what was wrong, and where the right way is listed."""

import math
from collections.abc import Mapping, Sequence

import typer

RESERVED_VALUES = {"--engine": frozenset({"api"})}
NOT_YET = "is reserved for a later version"

_NUMBERS = {
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of fewer digits",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
}
_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
_LONGEST = 60


def wrong_usage(error: typer.TyperException) -> str:
    """Say in one line what was wrong with a command line; empty where help was shown instead."""
    reserved = _reserved(error)
    if reserved:
        return reserved
    if isinstance(error, typer.BadParameter):
        error.message = _plainly(error)
    message = _one_line(error.format_message()).rstrip(".")
    if not message:
        return ""
    message = message.removeprefix("Invalid value: ")  # said of several options together
    message = message[:1].lower() + message[1:]
    ctx: typer.Context | None = getattr(error, "ctx", None)
    where = f"; see '{ctx.command_path} --help'" if ctx is not None else ""
    return f"{message}{where}"


def one_value(flag: str, values: Sequence[str] | None) -> str | None:
    """Give the value of an option that may be repeated one day, and not yet.

    Raises:
        BadParameter: exit code 2; it was given twice, or without a value.
    """
    if not values:
        return None
    if len(values) > 1:
        raise typer.BadParameter(f"more than one {NOT_YET}; give it once", param_hint=f"'{flag}'")
    return named(flag, values[0])


def named(flag: str, value: str | None) -> str | None:
    """Check that an option was given something, if it was given.

    Raises:
        BadParameter: exit code 2; it is empty.
    """
    if value is not None and not value.strip():
        raise typer.BadParameter("it is empty; name something", param_hint=f"'{flag}'")
    return value


def _reserved(error: typer.TyperException) -> str | None:
    """Say that a value is none yet, where that is so."""
    for detail in _details(error):
        for flag, values in RESERVED_VALUES.items():
            if detail.get("input") in values and flag in _options(error):
                return f"{flag} {detail['input']} {NOT_YET}"
    return None


def _plainly(error: typer.BadParameter) -> str:
    """Say what is wrong with a value; a number's checker speaks of its own insides."""
    for detail in _details(error):
        kind, context, value = str(detail["type"]), detail.get("ctx"), _shown(detail["input"])
        bounds = context if isinstance(context, Mapping) else {}
        if kind in _NUMBERS:
            return f"{value} is not {_NUMBERS[kind]}"
        if kind in _BOUNDS:
            words, key = _BOUNDS[kind]
            return f"must be {words} {_number(bounds[key])}; got {detail['input']}"
        if kind == "value_error":
            return str(bounds["error"])
        return f"{value} cannot be read: {str(detail['msg']).lower()}"
    return error.message


def _details(error: typer.TyperException) -> Sequence[Mapping[str, object]]:
    """Give what pydantic found, if it was pydantic; typer validates values by it."""
    errors = getattr(error.__cause__, "errors", None)
    found = errors() if callable(errors) else ()
    return found[:1] if isinstance(found, list) else ()


def _options(error: typer.TyperException) -> Sequence[str]:
    return getattr(getattr(error, "param", None), "opts", ())


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…'"


def _number(value: object) -> str:
    is_whole = isinstance(value, float) and math.isfinite(value) and value == int(value)
    return f"{value:.0f}" if is_whole else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
