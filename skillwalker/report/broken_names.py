"""Long names of targets in the narrow column of a table (pure)."""

import re
from collections.abc import Iterator

_PARTS_OF_A_NAME = (r".+?(?= \(|$)", r"\s*\S+", r"[^:/]*[:/]+|[^:/]+", r"[^-]*-+|[^-]+")
"""Where a name is broken, the best place first: target and suite, words, and behind marks."""


def break_name(name: str, most: int) -> str:
    """Break a name that is too long into lines, within its parts only where one fits on none.

    Args:
        name: of a target with its suite, as `engineering:review (suite reviews)`.
        most: columns of a line.
    """
    lines = [""]
    for part in _parts(name, most):
        if lines[-1] and len(lines[-1] + part) > most:
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return "\n".join(lines)


def _parts(text: str, most: int, patterns: tuple[str, ...] = _PARTS_OF_A_NAME) -> Iterator[str]:
    """Take a name apart until each part fits on a line."""
    if not patterns or len(text.lstrip()) <= most:
        yield text
        return
    for part in re.findall(patterns[0], text):
        yield from _parts(part, most, patterns[1:])
