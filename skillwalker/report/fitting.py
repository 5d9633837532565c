"""Lines for people, broken at the width of what shows them (pure)."""

import re

from rich.cells import cell_len

LONGEST_LABEL = 24
"""Columns up to which what follows a label stands under its text."""
REPORT_WIDTH = 100
"""Columns of a report off a terminal, where nobody knows how wide it will be shown."""

_LABEL = re.compile(r" *(?:->? |\S.*? {2,}(?=\S))")
_COMMAND = re.compile(
    r"(?:(?<=: )|(?<=or )|(?<=then ))(?:skillwalker|scil|acil) [^;()]*?(?= {2,}|[;()]|,? then |$)"
)
_BLANK, _KEPT = " ", "\0"


def fitted(text: str, width: int) -> str:
    """Break each line of a text; what follows stands under the line's own text.

    A word that is too long stays whole, and so does a command behind a colon: what is copied from
    a terminal must run. A line break inside it would end it.

    Args:
        text: one or more lines.
        width: columns that there are.
    """
    return "\n".join(row for line in text.split("\n") for row in _rows(line, width))


def _rows(line: str, width: int) -> list[str]:
    """Break one line between words."""
    if cell_len(line) <= width:
        return [line]
    hanging = _BLANK * _hang(line, width)
    whole = _COMMAND.sub(lambda found: found[0].replace(_BLANK, _KEPT), line)
    rows = [""]
    for blanks, word in re.findall(r"( *)([^ ]+)", whole):
        longer = f"{rows[-1]}{blanks}{word}".replace(_KEPT, _BLANK)
        is_full = rows[-1].strip() and cell_len(longer) > width
        if is_full:
            rows.append(f"{hanging}{word}")
        else:
            rows[-1] += f"{blanks}{word}"
    return [row.replace(_KEPT, _BLANK) for row in rows]


def _hang(line: str, width: int) -> int:
    """Say in which column the further rows of a line begin."""
    label = _LABEL.match(line)
    if label is not None and len(label[0]) <= min(LONGEST_LABEL, width // 2):
        return len(label[0])
    indent = len(line) - len(line.lstrip(_BLANK))
    return min(indent + 2, width // 2)
