"""A text written as a YAML scalar: in the style that stands there, else in double quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from skillwalker.frontmatter.yaml_nodes import compose
from skillwalker.frontmatter.yaml_values import node_value

__all__ = ["Scalar", "double_quoted", "in_styles"]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\ufeff": "\\uFEFF"}
_LEAST_WIDTH = 76
"""Rows of a wrapped text are not made narrower than this."""
_HEADER = re.compile(r"[|>][0-9+-]*")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_WORD_BREAK = re.compile(r"(?<=[^ \t]) (?=[^ \t])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A scalar as it stands in a file.

    Attributes:
        written: its text in the file, from the first character of the value to the last.
        style: one of `Entry.style`.
        column: of its key.
        newline: how the file ends a line.
        escapes_breaks: whether Claude Code reads backslash-n in it as a line break.
        keeps_last_break: whether the break behind a block scalar is part of what is shown.
    """

    written: str
    style: str
    column: int
    newline: str
    escapes_breaks: bool
    keeps_last_break: bool


def in_styles(text: str, old: Scalar) -> Iterator[str]:
    """Write a text in every style worth trying, best first; not each of them need read back."""
    if old.style in {"|", ">"}:
        yield from _block(text, old)
    elif old.style == "'":
        yield "'" + _on_one_line(text, old).replace("'", "''") + "'"
    elif old.style in {"plain", "line"}:
        yield from _plain(text, old)
    yield double_quoted(text)
    if old.style == "line":
        yield _on_one_line(text, old)


def double_quoted(text: str) -> str:
    r"""Write a text on one line in double quotes; never with three dashes in a row."""
    escaped = "".join(_ESCAPES.get(char, char) for char in text)
    return '"' + escaped.replace("---", r"-\x2d-") + '"'


def _on_one_line(text: str, old: Scalar) -> str:
    shown = old.escapes_breaks and "\\n" in old.written
    return text.replace("\n", "\\n") if shown else text


def _plain(text: str, old: Scalar) -> Iterator[str]:
    """A plain scalar holds no line break: a fold would make a space of it."""
    line = _on_one_line(text, old)
    if not _is_plain(line):
        return
    rows = _LINE_BREAK.split(old.written)
    if len(rows) > 1:
        indent = " " * _indent_of(rows[1])
        yield f"{old.newline}{indent}".join(_wrapped(line, _width(rows)))
    yield line


def _is_plain(line: str) -> bool:
    """Whether a line means itself as the plain value of a key, without any repair."""
    root = compose(f"key: {line}")
    if not isinstance(root, yaml.MappingNode) or len(root.value) != 1:
        return False
    value = root.value[0][1]
    return node_value(value) == line and value.style is None


def _width(rows: list[str]) -> int:
    return max(_LEAST_WIDTH, *map(len, rows))


def _block(text: str, old: Scalar) -> Iterator[str]:
    header, *rows = _LINE_BREAK.split(old.written)
    indicator = _HEADER.match(header)
    shape = indicator[0] if indicator else old.style
    indent = _block_indent(shape, rows, old.column)
    lines = text.removesuffix("\n").split("\n")
    if old.style == ">":
        lines = _folded(lines, _width(["", *rows]) - indent)
    chomped = _chomped(shape, text) if old.keeps_last_break else shape
    yield old.newline.join(
        [chomped + header[len(shape) :], *(" " * indent + line if line else "" for line in lines)]
    )


def _folded(lines: list[str], width: int) -> list[str]:
    """Rows that fold to the lines: one blank row for each break between them."""
    rows: list[str] = []
    for line in lines:
        if rows or not line:
            rows.append("")
        rows += _wrapped(line, width) if line else []
    return rows


def _block_indent(shape: str, rows: list[str], column: int) -> int:
    explicit = re.search("[0-9]", shape)
    if explicit:
        return column + int(explicit[0])
    return next((_indent_of(row) for row in rows if row.strip()), column + 2)


def _chomped(shape: str, text: str) -> str:
    """Set the chomping indicator to what the text's end asks for."""
    bare = shape.replace("-", "").replace("+", "")
    return bare if text.endswith("\n") else bare + "-"


def _indent_of(row: str) -> int:
    return len(row) - len(row.lstrip(" "))


def _wrapped(line: str, width: int) -> list[str]:
    """Break a line at single spaces so that folding it gives the line again."""
    rows, rest = [], line
    while len(rest) > width:
        breaks = [found.start() for found in _WORD_BREAK.finditer(rest)]
        fitting = [place for place in breaks if place <= width] or breaks[:1]
        if not fitting:
            break
        rows.append(rest[: fitting[-1]])
        rest = rest[fitting[-1] + 1 :]
    return [*rows, rest]
