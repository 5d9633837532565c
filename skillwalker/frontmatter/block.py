"""A file's frontmatter as Claude Code finds, parses and, where it does not parse, repairs it.

The frontmatter ends at the first `---` behind the opening line, wherever that stands. When the YAML
between does not compose, each one-line value with a special character in it is put into double
quotes and the whole is parsed once more; when that fails too, there is no frontmatter.

Source: behaviour of Claude Code 2.1.332, docs/how-claude-code-reads-files.md.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import yaml

from skillwalker.frontmatter.source_text import SourceText, decode
from skillwalker.frontmatter.yaml_nodes import YamlError, compose
from skillwalker.frontmatter.yaml_values import Value, js_text, node_value

__all__ = ["JS_SPACE", "Block", "BlockState", "FrontmatterEntry", "quoted_line", "read_block"]

JS_SPACE = "\t\n\v\f\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
JS_SPACE += "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript calls white space: what is trimmed, and what may stand behind a fence."""

_SPACE = f"[{JS_SPACE}]"
_FENCED = re.compile(f"---{_SPACE}*\n(?P<inner>.*?)---(?P<behind>{_SPACE}*\n?)", re.DOTALL)
_ONE_LINE = re.compile(f"([a-zA-Z_-]+):{_SPACE}+([^{JS_SPACE}][^\n\r\u2028\u2029]*)")
_SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_INDENTING_TABS = re.compile("\t+")
_BLANK_LINES_BEHIND = re.compile(r"(?:\r?\n|\r)(?:[ \t]*(?:\r?\n|\r))*[ \t]*\Z")


class BlockState(StrEnum):
    """How Claude Code came by the entries."""

    ABSENT = "absent"
    VALID = "valid"
    REPAIRED = "repaired"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontmatterEntry:
    """A key of the frontmatter; offsets are characters of the file's text."""

    key: str
    value: Value
    is_map: bool
    style: str
    """`plain`, `'`, `"`, `|`, `>`, `line` (a line that was repaired) or `` (list, map, alias)."""
    decorated: bool
    """Whether an anchor or a tag stands before the value, or the value is an alias."""
    start: int
    """Of the key."""
    value_start: int
    value_end: int
    """End of the value's text, without blank lines behind a block scalar."""
    end: int
    """End of all that belongs to the value, before the break of its last line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The frontmatter of one file and the text it stands in."""

    source: SourceText
    state: BlockState
    start: int
    """Where the text between the fences begins."""
    end: int
    """Where the closing fence begins."""
    body_start: int
    entries: tuple[FrontmatterEntry, ...]
    in_flow: bool = False
    """Whether the entries stand in one `{…}`."""
    error: YamlError | None = None

    @property
    def body(self) -> str:
        """All behind the frontmatter."""
        return self.source.text[self.body_start :]

    def last(self, key: str) -> FrontmatterEntry | None:
        """Find the entry that counts: of duplicate keys the last."""
        return next((entry for entry in reversed(self.entries) if entry.key == key), None)


def read_block(content: bytes) -> Block:
    """Read a file's frontmatter, whatever the bytes."""
    source = decode(content)
    fenced = _FENCED.match(source.text)
    if fenced is None:
        state = BlockState.ABSENT
        return Block(source=source, state=state, start=0, end=0, body_start=0, entries=())
    start, end, inner = fenced.start("inner"), fenced.end("inner"), fenced["inner"]
    state, places = BlockState.VALID, _Places(((0, start),), {})
    root = first = compose(inner)
    if isinstance(first, YamlError):
        state = BlockState.REPAIRED
        repaired, places = _repaired(inner, start)
        root = compose(repaired)
    failed = isinstance(root, YamlError)
    return Block(
        source=source,
        state=BlockState.UNREADABLE if failed else state,
        start=start,
        end=end,
        body_start=fenced.end(),
        entries=tuple(_entries(root, places, source.text[:end])),
        in_flow=isinstance(root, yaml.MappingNode) and bool(root.flow_style),
        error=first if isinstance(first, YamlError) else None,
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the characters of a parsed text stand in the file."""

    runs: tuple[tuple[int, int], ...]
    """(offset in the parsed text, offset in the file) where each unchanged run begins."""
    quoted: dict[int, tuple[int, int]]
    """Where a value that was put in quotes begins in the parsed text: its span in the file."""

    def of(self, offset: int) -> int:
        parsed, there = self.runs[bisect_right(self.runs, (offset, 1 << 62)) - 1]
        return there + offset - parsed


def _repaired(inner: str, start: int) -> tuple[str, _Places]:
    """Put one-line values with special characters in quotes, and spaces for indenting tabs."""
    quoted: dict[int, tuple[int, int]] = {}
    runs: list[tuple[int, int]] = []
    out: list[str] = []
    parsed, there = 0, start
    for line in inner.split("\n"):
        runs.append((parsed, there))
        new = line
        if (value := _needs_quotes(line)) is not None:
            new = f"{line[: value[0]]}{quoted_line(line[value[0] : value[1]])}"
            quoted[parsed + value[0]] = (there + value[0], there + value[1])
        elif tabs := _INDENTING_TABS.match(line):
            new = "  " * tabs.end() + line[tabs.end() :]
            runs.append((parsed + 2 * tabs.end(), there + tabs.end()))
        out.append(new)
        parsed += len(new) + 1
        there += len(line) + 1
    return "\n".join(out), _Places(tuple(runs), quoted)


def quoted_line(text: str) -> str:
    """Put a one-line value in double quotes as the repair does."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _needs_quotes(line: str) -> tuple[int, int] | None:
    """Span of the value in a line that the repair changes."""
    found = _ONE_LINE.fullmatch(line)
    if found is None:
        return None
    text = found[2]
    in_quotes = text[0] == text[-1] and text[0] in "\"'"
    if in_quotes or (text[0] == "[" and text[-1] == "]" and _is_list(text)):
        return None
    return found.span(2) if _SPECIAL.search(text) else None


def _is_list(text: str) -> bool:
    return isinstance(compose(text), yaml.SequenceNode)


def _entries(
    root: yaml.Node | YamlError | None, places: _Places, text: str
) -> Iterator[FrontmatterEntry]:
    if not isinstance(root, yaml.MappingNode):
        return
    for key, value in root.value:
        start = key.start_mark.index
        alias = value.start_mark.index < key.end_mark.index
        value_start = key.end_mark.index if alias else value.start_mark.index
        value_end = key.end_mark.index if alias else value.end_mark.index
        span = places.quoted.get(value_start)
        first, last = span or (places.of(value_start), min(places.of(value_end), len(text)))
        style = "line" if span else _style(value, alias=alias)
        behind = _BLANK_LINES_BEHIND.search(text, first, last) if style in {"|", ">"} else None
        yield FrontmatterEntry(
            key=js_text(node_value(key)),
            value=node_value(value),
            is_map=isinstance(value, yaml.MappingNode),
            style=style,
            decorated=alias or (style != "line" and text[first:last][:1] in {"&", "!"}),
            start=places.of(start),
            value_start=first,
            value_end=behind.start() if behind else last,
            end=last,
        )


def _style(value: yaml.Node, *, alias: bool) -> str:
    if alias or not isinstance(value, yaml.ScalarNode):
        return ""
    return value.style or "plain"
