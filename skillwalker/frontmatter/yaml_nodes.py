"""YAML as Claude Code's parser reads it: version 1.2, with the place of every node in the text.

PyYAML speaks YAML 1.1. What differs for frontmatters is overridden here: tabs may separate tokens,
only CR and LF break lines, every character may be printed, and plain scalars have the types of the
1.2 core schema. Offsets are characters of the text that was given.

Source: behaviour of Claude Code 2.1.332 (Bun 1.4.6), compared by fuzzing.
"""

import re
from dataclasses import dataclass

import yaml
from yaml.composer import Composer
from yaml.error import Mark
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner, ScannerError

from skillwalker.frontmatter.yaml_values import NOT_BREAKS, PLAIN_TAG, STRING_TAG

__all__ = ["YamlError", "compose"]

_BLANK = " \t"
_BREAK = "\r\n"
_HALF = re.compile("[\ud800-\udfff]")
_HALVED = "an escape stands for half a character"
_BEHIND_INDICATOR = "a text stands behind its indicator"
_NOT_INDENTED = "its next line is not indented"
_BEHIND_PLAIN = "\0 \t\r\n"
_BEHIND_LINE = "\0\r\n#"


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlError:
    """Why a text is not YAML.

    Attributes:
        line: from 0, in the text that was given.
    """

    line: int
    problem: str


class _Loader(Reader, Scanner, Parser, Composer, BaseResolver):
    """A composer of nodes for one text."""

    def __init__(self, text: str) -> None:
        # A last line without its break would end a block scalar without one.
        ended = text if text.endswith(("\n", "\r")) else text + "\n"
        Reader.__init__(self, ended.translate(NOT_BREAKS))
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)
        self._pairs = 0

    def check_printable(self, data: str) -> None:
        """Let every character through, as the 1.2 parser does."""

    def resolve(self, kind: type[yaml.Node], _value: str, implicit: tuple[bool, bool]) -> str:
        """Tell a plain scalar without a tag from all others; `node_value` does the rest."""
        return PLAIN_TAG if kind is yaml.ScalarNode and implicit[0] else STRING_TAG

    def scan_line_break(self) -> str:
        """Take CR LF, LF or CR as one line feed."""
        if self.peek() not in _BREAK:
            return ""
        self.forward(2 if self.prefix(2) == "\r\n" else 1)
        return "\n"

    def scan_to_next_token(self) -> None:
        """Skip white space, line breaks and comments; tabs too, unless they would indent."""
        at_line_start = self.column == 0
        while True:
            if self.peek() == "\t" and self.column == 0 and self._pairs > 1 and not self.flow_level:
                return  # where no token can start: a tab would indent the block
            self._skip_blanks(tabs=not at_line_start)
            if self.peek() == "#" and (self.column == 0 or self._behind() in _BLANK):
                while self.peek() not in "\0\r\n":
                    self.forward()
            if not self.scan_line_break():
                break
            at_line_start = True
            if not self.flow_level:
                self.allow_simple_key = True
        if at_line_start and self.flow_level:
            self._require_indent("a flow collection")

    def _behind(self) -> str:
        return str(self.buffer[self.pointer - 1])

    def _skip_blanks(self, *, tabs: bool, until: str = _BEHIND_LINE) -> None:
        """Skip spaces; tabs behind an indent, where told, and in a line without content."""
        while self.peek() == " ":
            self.forward()
        length = 0
        while self.peek(length) in _BLANK:
            length += 1
        if tabs or self.column > self.indent or self.peek(length) in until:
            self.forward(length)

    def _require_indent(self, what: str) -> None:
        if self.column <= self.indent and self.peek() != "\0":
            raise ScannerError(f"while scanning {what}", None, _NOT_INDENTED, self.get_mark())

    def scan_plain(self) -> yaml.ScalarToken:
        """Scan a plain scalar in which tabs are white space."""
        chunks: list[str] = []
        start_mark = end_mark = self.get_mark()
        indent = self.indent + 1
        spaces: list[str] = []
        while self.peek() != "#":
            length = self._plain_length()
            if length == 0:
                break
            self.allow_simple_key = False
            chunks += [*spaces, self.prefix(length)]
            self.forward(length)
            end_mark = self.get_mark()
            spaces = self._plain_spaces()
            if not spaces or self.column < indent:
                break
        return yaml.ScalarToken("".join(chunks), True, start_mark, end_mark)

    def _plain_length(self) -> int:
        stops = _BEHIND_PLAIN + (",[]{}" if self.flow_level else "")
        length = 0
        while True:
            char = self.peek(length)
            if char in stops or (char == ":" and self.peek(length + 1) in stops):
                return length
            length += 1

    def _plain_spaces(self) -> list[str]:
        """White space inside a plain scalar; nothing when the scalar ends there."""
        length = 0
        while self.peek(length) in _BLANK:
            length += 1
        blanks = self.prefix(length)
        self.forward(length)
        if self.peek() not in _BREAK:
            return [blanks] if blanks else []
        self.scan_line_break()
        self.allow_simple_key = True
        breaks: list[str] = []
        while not self._at_document_mark():
            self._skip_blanks(tabs=False)
            if self.peek() not in _BREAK:
                return breaks or [" "]
            breaks.append(self.scan_line_break())
        return []

    def _at_document_mark(self) -> bool:
        return self.prefix(3) in {"---", "..."} and self.peek(3) in _BEHIND_PLAIN

    def check_plain(self) -> bool:
        """Let a comma start a plain scalar outside of flow collections."""
        return (self.peek() == "," and not self.flow_level) or bool(super().check_plain())

    def fetch_value(self) -> None:
        """Count the pairs of blocks: behind the second no line may begin with a tab."""
        self._pairs += not self.flow_level
        super().fetch_value()

    def fetch_flow_entry(self) -> None:
        """Take a comma as a separator in flow collections alone."""
        if self.flow_level:
            super().fetch_flow_entry()
        else:
            self.fetch_plain()

    def scan_block_scalar_indicators(self, start_mark: Mark) -> tuple[bool | None, int | None]:
        """Take the chomping and indentation indicators, in either order."""
        keeps: bool | None = None
        indent: int | None = None
        while (keeps is None and self.peek() in "+-") or (
            indent is None and self.peek() in "123456789"
        ):
            char = self.peek()
            self.forward()
            if char in "+-":
                keeps = char == "+"
            else:
                indent = int(char)
        if self.peek() not in _BEHIND_PLAIN:
            what = "while scanning a block scalar"
            raise ScannerError(what, start_mark, _BEHIND_INDICATOR, self.get_mark())
        return keeps, indent

    def scan_block_scalar_ignored_line(self, start_mark: Mark) -> None:
        """Skip what may stand behind a block scalar's indicator; tabs are white space there."""
        self._skip_blanks(tabs=True)
        if self.peek() == "#" and self._behind() in _BLANK:
            while self.peek() not in "\0\r\n":
                self.forward()
        if not self.scan_line_break() and self.peek() != "\0":
            what = "while scanning a block scalar"
            raise ScannerError(what, start_mark, _BEHIND_INDICATOR, self.get_mark())

    def scan_flow_scalar(self, style: str) -> yaml.ScalarToken:
        """Scan a quoted scalar; escapes that leave half a character are an error."""
        token: yaml.ScalarToken = super().scan_flow_scalar(style)
        token.value = _joined_surrogates(token.value)
        if _HALF.search(token.value):
            raise ScannerError("while scanning a quoted scalar", token.start_mark, _HALVED)
        return token

    def scan_flow_scalar_breaks(self, _double: bool, _start_mark: Mark) -> list[str]:
        """Skip the breaks inside a quoted scalar; its next line must be indented.

        A CR LF that ends the first line counts twice, as in Claude Code's parser.
        """
        breaks = ["\n"] if self.buffer[self.pointer - 2 : self.pointer] == "\r\n" else []
        while True:
            self._skip_blanks(tabs=False, until=_BREAK)
            if self.peek() not in _BREAK:
                break
            breaks.append(self.scan_line_break())
        self._require_indent("a quoted scalar")
        return breaks

    def scan_anchor(self, TokenClass: type[yaml.Token]) -> yaml.Token:  # noqa: N803  # PyYAML's name
        """Scan an anchor or an alias, whose name is any run without white space."""
        start_mark = self.get_mark()
        self.forward()
        length = 0
        while self.peek(length) not in _BEHIND_PLAIN + ",[]{}":
            length += 1
        name = self.prefix(length)
        self.forward(length)
        if not name or (not self.flow_level and self.peek() not in _BEHIND_PLAIN):
            raise ScannerError("while scanning an anchor", start_mark, "it has no name")
        return TokenClass(name, start_mark, self.get_mark())  # type: ignore[call-arg]  # both take it


def compose(text: str) -> yaml.Node | YamlError | None:
    """Compose the one document of a text; None when it is empty.

    Returns:
        The root node with marks into `text`, or why there is none.
    """
    if "\0" in text:
        return YamlError(line=text[: text.index("\0")].count("\n"), problem="it holds a NUL")
    try:
        root: yaml.Node | None = _Loader(text).get_single_node()
        return root if root is None else _misplaced(root)
    except yaml.MarkedYAMLError as error:
        mark: Mark | None = error.problem_mark or error.context_mark
        return YamlError(line=mark.line if mark else 0, problem=error.problem or str(error))
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        return YamlError(line=0, problem=str(error))


def _misplaced(root: yaml.Node) -> yaml.Node | YamlError:
    """Refuse what PyYAML lets pass: a value on a later line that is no deeper than its key."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        if not isinstance(node, yaml.MappingNode):
            continue
        for key, value in node.value:
            nodes += [key, value]
            here, there = node.start_mark, value.start_mark
            listed = isinstance(value, yaml.SequenceNode) and not value.flow_style
            if there.index == value.end_mark.index:
                continue
            if there.line > key.end_mark.line and there.column <= here.column and not listed:
                return YamlError(line=there.line, problem="a value is not deeper than its key")
    return root


def _joined_surrogates(text: str) -> str:
    r"""Join the halves that `\ud83d\\ude00` gives; a half without its other stays."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
