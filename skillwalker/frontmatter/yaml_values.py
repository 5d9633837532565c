"""What a YAML node means to Claude Code, and how JavaScript writes that as text."""

import re

import yaml

__all__ = ["NOT_BREAKS", "PLAIN_TAG", "STRING_TAG", "Value", "js_text", "node_value"]

Value = str | bool | int | float | None | tuple["Value", ...]
"""What a node means; a mapping is told by its node and has no value of its own."""
PLAIN_TAG = "plain"
"""Of a plain scalar without a tag, whose text decides what it is."""
STRING_TAG = "tag:yaml.org,2002:str"
NOT_BREAKS = str.maketrans("\x85\u2028\u2029", "\ufdd0\ufdd1\ufdd2")
"""One for one, so that offsets stay: YAML 1.1 breaks lines at these characters, 1.2 does not."""
_BREAKS_BACK = str.maketrans("\ufdd0\ufdd1\ufdd2", "\x85\u2028\u2029")
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True}
_BOOLEANS |= {"false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"([-+]?)0(?:o([0-7]+)|x([0-9a-fA-F]+))")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)")
_NOT_A_NUMBER = frozenset({".nan", ".NaN", ".NAN"})


def node_value(node: yaml.Node) -> Value:
    """Say what a scalar or a list means in the 1.2 core schema; a mapping is `[object Object]`."""
    if isinstance(node, yaml.SequenceNode):
        return tuple(node_value(item) for item in node.value)
    if not isinstance(node, yaml.ScalarNode):
        return "[object Object]"
    text = str(node.value).translate(_BREAKS_BACK)
    if node.tag == PLAIN_TAG or (node.tag in _CORE_TAGS and node.style is None):
        return _core_value(text)
    return None if not text and node.style is None and node.tag != STRING_TAG else text


def _core_value(text: str) -> Value:
    """Source: https://yaml.org/spec/1.2.2/#103-core-schema."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NOT_A_NUMBER:
        return float("nan")
    if _DECIMAL.fullmatch(text):
        return int(text)
    if based := _BASED.fullmatch(text):
        number = int(based[2], 8) if based[2] else int(based[3], 16)
        return -number if based[1] == "-" else number
    if infinite := _INFINITE.fullmatch(text):
        return float(f"{infinite[1]}inf")
    return float(text) if _FLOAT.fullmatch(text) else text


def js_text(value: Value) -> str:
    """Write a value as JavaScript's `String()` does, which is how Claude Code shows it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return ",".join("" if item is None else js_text(item) for item in value)
    if isinstance(value, str):
        return value
    return _js_number(value)


def _js_number(number: float) -> str:
    """Source: ECMA-262, Number::toString."""
    try:
        number = float(number)
    except OverflowError:
        number = float("inf") if number > 0 else float("-inf")
    if number != number or number in {float("inf"), float("-inf")}:
        return "NaN" if number != number else ("Infinity" if number > 0 else "-Infinity")
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    mantissa, _, exponent = repr(number).partition("e")
    if exponent and -7 < int(exponent) < 0:
        return f"{number:.{len(mantissa.replace('.', '').lstrip('-')) - 1 - int(exponent)}f}"
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}" if exponent else mantissa
