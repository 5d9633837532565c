"""What a file looks like to Claude, and a change of it, as text for people."""

import difflib
import os
import shutil
import sys
import textwrap
import unicodedata
from pathlib import Path

from skillwalker.cli.environment import plain_width
from skillwalker.datatypes.edits import WrittenFile
from skillwalker.datatypes.inputs import Listed, Target
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.faults import BIDI
from skillwalker.frontmatter.text import read_frontmatter
from skillwalker.paths import Places

INDENT = "    "
DIFFERS = "yaml-differs"
"""Rule of the finding that Claude reads something else than a YAML parser."""


def short_path(path: Path, project: Path) -> str:
    """Write a path from the project on where it lies in it."""
    return (path.relative_to(project) if path.is_relative_to(project) else path).as_posix()


def _path_from(path: Path, places: Places) -> str:
    """Write a path from the project on, or from the home; else whole."""
    whole = Path(os.path.normpath(path))
    if not whole.is_relative_to(places.project) and whole.is_relative_to(places.home):
        return f"~/{whole.relative_to(places.home).as_posix()}"
    return short_path(path, places.project)


def listed_record(listed: Listed, project: Path) -> dict[str, object]:
    """Make the JSON of one file for `show --json`."""
    return {
        "path": short_path(listed.path, project),
        "kind": listed.kind,
        "position": listed.position,
        "listed": listed.listed,
        "name": listed.name,
        "alias": listed.alias,
        "text": listed.own_text,
        "yaml_text": listed.yaml_text,
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.severity,
                "line": finding.line,
                "message": finding.message,
            }
            for finding in listed.findings
        ],
    }


def listed_text(listed: Listed, written: str, places: Places, *, name: str | None) -> str:
    """Write what Claude is shown of one file, first of all where that is not what was written.

    Args:
        listed: what Claude Code makes of the file.
        written: the description as it stands in the file.
        places: paths are shown from the project on, or from the home.
        name: as the target is written on a command line; None where only its path finds it.
    """
    path = _path_from(listed.path, places)
    lines = [f"{name or path} ({listed.kind}, read as in a {listed.position})"]
    if name is not None:
        lines.append(f"  {path}")
    if any(finding.rule == DIFFERS for finding in listed.findings):
        lines += ["  the author wrote:", _indented(written)]
    if not listed.listed:
        lines.append("  Claude does not see it: it is not listed")
    elif listed.own_text is None:
        lines.append(f"  Claude sees {_name(listed)}, and nothing of the file's own text")
    else:
        lines += [
            f"  Claude sees {_name(listed)}, {len(listed.own_text):,} characters:",
            _indented(listed.own_text),
        ]
    for finding in listed.findings:
        where = "" if finding.line is None else f" line {finding.line}:"
        lines.append(
            wrapped(plain(f"  {finding.severity}:{where} {finding.message} [{finding.rule}]"))
        )
    return "\n".join(plain(line) for line in lines)


def is_sound(listed: Listed) -> bool:
    """Say whether Claude Code lists a file, and nothing of it is an error."""
    return listed.listed and not any(each.severity is Severity.ERROR for each in listed.findings)


def written_text(target: Target) -> str:
    """Give the value of the description as it stands in the file."""
    reading = read_frontmatter(target.content, target.kind, target.position)
    first, last = reading.span or (0, 0)
    return target.content[first:last].decode("utf-8", "replace")


def diff_text(written: WrittenFile, path: str) -> str:
    """Write a change as a unified diff; empty where there is none."""
    before, after = (
        content.decode("utf-8", "backslashreplace").split("\n")
        for content in (written.before, written.after)
    )
    path = path.lstrip("/")  # as in git's diffs, which patch -p1 reads
    rows = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="", n=2)
    return "".join(plain(row.removesuffix("\r")) + "\n" for row in rows)


def plain(text: str) -> str:
    """Escape what would steer a terminal instead of being printed on it."""
    return "".join(
        char
        if char in "\n\t" or (char not in BIDI and unicodedata.category(char) not in {"Cc", "Cs"})
        else f"\\u{ord(char):04x}"
        for char in text
    )


def text_width() -> int:
    """Columns of a text: those of the terminal, off a terminal those of COLUMNS or 80."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return plain_width()


def wrapped(line: str) -> str:
    """Break a line of text at the terminal's width; what follows stands under its text."""
    indent = len(line) - len(line.lstrip())
    rows = textwrap.wrap(
        line,
        text_width(),
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(rows)


def _name(listed: Listed) -> str:
    return f"{listed.name}" + (f" ({listed.alias})" if listed.alias is not None else "")


def _indented(text: str) -> str:
    width = text_width() - len(INDENT)
    wrapped = [
        row
        for line in text.split("\n")
        for row in textwrap.wrap(line, width, break_on_hyphens=False) or [""]
    ]
    return "\n".join(f"{INDENT}{row}" for row in wrapped)
