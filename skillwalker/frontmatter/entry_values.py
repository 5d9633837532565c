"""What Claude Code makes of the value behind a key: a text, a switch, names."""

import re

import yaml

from skillwalker.frontmatter.block import JS_SPACE, Block, FrontmatterEntry
from skillwalker.frontmatter.yaml_values import Value, js_text

__all__ = ["is_true", "names_of", "other_reading", "shown_text", "text_of"]

_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_NAME = re.compile(r"(?:\([^)]*\)?|[^, (])+")


def shown_text(value: Value) -> str | None:
    """Take a value as a description: trimmed text, or the text of a number or boolean."""
    if value is None or isinstance(value, tuple):
        return None
    return js_text(value).strip(JS_SPACE) or None


def text_of(block: Block, key: str) -> str | None:
    """Take the value of a key as JavaScript's `String()` does; None without one."""
    entry = block.last(key)
    return None if entry is None or entry.value is None else js_text(entry.value)


def is_true(entry: FrontmatterEntry | None) -> bool:
    """Say whether a switch is on: true, yes, on or 1, in any case, with or without quotes."""
    if entry is None or isinstance(entry.value, tuple | None):
        return False
    return js_text(entry.value).lower().strip(JS_SPACE) in _TRUE_WORDS


def names_of(block: Block, key: str) -> tuple[str, ...]:
    """Take the names in a list, or in a text by commas or spaces outside of brackets."""
    entry = block.last(key)
    value = None if entry is None or entry.is_map else entry.value
    items = value if isinstance(value, tuple) else (value,)
    found = (_NAME.findall(item) for item in items if isinstance(item, str))
    return tuple(name.strip(JS_SPACE) for names in found for name in names)


def other_reading(block: Block) -> str | None:
    """Read the description with a plain YAML 1.1 parser; None where that does not compose."""
    try:
        root = yaml.compose(block.source.text[block.start : block.end], Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    values = [value for key, value in pairs if key.value == "description"]
    if not values or not isinstance(values[-1], yaml.ScalarNode):
        return None
    is_text = values[-1].tag == "tag:yaml.org,2002:str"
    return str(values[-1].value) if is_text else f"a {values[-1].tag}"
