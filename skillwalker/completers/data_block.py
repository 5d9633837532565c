"""Data in a prompt: JSON that no text in it can close, and cuts that are said."""

import json
import re

_UNSAFE = re.compile("[<>\x7f-\x9f\u2028\u2029]")
"""Could close the block or, for a reader that cuts lines, end a line of it."""
_LONE = re.compile("[\ud800-\udfff]")


def as_json(value: object) -> str:
    """Write data so that no text in it can look like the end of its block."""
    text = _LONE.sub("\ufffd", json.dumps(value, ensure_ascii=False, indent=1))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cut(text: str, longest: int) -> str:
    """Cut a text and say how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[{len(text) - longest} more characters are not shown]"


def cut_middle(text: str, longest: int) -> str:
    """Cut the middle out of a text and say how much is missing."""
    if len(text) <= longest:
        return text
    half = longest // 2
    missing = len(text) - 2 * half
    return f"{text[:half]}\n[{missing} characters are not shown here]\n{text[-half:]}"
