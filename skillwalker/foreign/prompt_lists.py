"""Prompts in a text or in Markdown, read only where headings or the file's name give the labels.

Nothing is guessed: a line that could be a prompt and stands under no such heading is a fault, and
so is one under such a heading that is no item of a list.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.foreign.entries import Document
from skillwalker.foreign.forms import form_of
from skillwalker.foreign.keys import NEAR, NEGATIVE, POSITIVE

SHOULD, SHOULD_NOT, NEAR_MISS = POSITIVE[0], NEGATIVE[0], NEAR[1]
MARKDOWN = frozenset({".md", ".markdown"})
_KINDS = ("", "prompts", "queries", "requests", "cases", "examples")
_HEADING = re.compile(r"#{1,6}\s+(.+?)[\s#]*")
_BOLD = re.compile(r"(\*\*|__)(.+?)\1:?")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,4}[.)])\s+(.*)")
_RULE = re.compile(r"=+|-{3,}|\*{3,}|_{3,}")
_FENCE = ("```", "~~~")
_BOX = re.compile(r"\[[ xX]\](\s|$)")
_COUNT = re.compile(r"\s*\(\d+\)\s*:?\s*$")
_PAIRS = ('""', "''", "``", "“”", "„“", "«»", "「」")
_YES, _NO = "✅✔☑", "❌✖✘✗🚫⛔"
_KEPT = frozenset("LNS")
_NESTED = 4
"""Columns from which on an item belongs to another one."""


def _folded(text: str) -> str:
    """Keep letters, digits and signs; a cross before a word may turn it round."""
    return "".join(char for char in text.casefold() if unicodedata.category(char)[0] in _KEPT)


_SIDES = {
    f"{mark}{_folded(name)}{kind}": side
    for side, names in (
        (SHOULD, (*POSITIVE, "should activate")),
        (SHOULD_NOT, (*NEGATIVE, "shouldn't trigger", "should not activate")),
        (NEAR_MISS, NEAR),
    )
    for name in names
    for kind in _KINDS
    for mark in ("", *(_YES if side == SHOULD else _NO))
}
"""What a heading or a file's name says of the prompts under it, by its letters alone."""


NO_LABEL = f"stands under no heading that says {SHOULD} or {SHOULD_NOT}; move or remove it"
NO_ITEM = 'is no item of the list; begin it with "- ", or remove it'


@dataclass(slots=True)
class _Reader:
    """Goes through a file line by line."""

    label: str
    is_markdown: bool
    by_name: str | None
    """What the file's name says."""
    side: str | None = None
    prompts: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    is_open: bool = False
    """Whether the line before belongs to an item."""
    is_marked: bool = False
    """Whether an item began with a mark."""
    bare: list[int] = field(default_factory=list)
    """Lines of prompts without one."""
    in_fence: bool = False

    def read(self, number: int, line: str) -> None:
        """Read one line."""
        text = line.strip()
        heading = self._heading(text)
        if self.in_fence or text.startswith(_FENCE):
            self._fence(number, text)
        elif not text or _RULE.fullmatch(text):
            self.is_open = False
        elif heading is not None:
            self._begin(number, heading)
        elif (item := _ITEM.fullmatch(line.rstrip())) is not None:
            self._item(number, item[2].strip(), is_nested=len(item[1].expandtabs()) >= _NESTED)
        else:
            self._plain(number, line)

    def close(self) -> None:
        """Say what only the end of the file shows."""
        if self.in_fence:
            self.faults.append(f"{self.label}: a block of code is never closed; close it")
        for number in self.bare if self.is_marked else ():
            self._fault(number, NO_ITEM)

    def _heading(self, text: str) -> str | None:
        """Give the words of a heading; without its marks only what says a label is one."""
        found = _HEADING.fullmatch(text) or _BOLD.fullmatch(text)
        if found is not None:
            return found[found.lastindex or 1]
        return text if _folded(_COUNT.sub("", text)) in _SIDES else None

    def _begin(self, number: int, heading: str) -> None:
        self.is_open = False
        side = _SIDES.get(_folded(_COUNT.sub("", heading)))
        is_title = side is None and self.by_name is not None and not self.prompts
        if is_title:
            return
        if side is not None and self.by_name not in {None, side}:
            self._fault(number, f"{quoted(heading)} says otherwise than the file's name; keep one")
        self.side = side
        if side is not None:
            self.prompts.setdefault(side, [])

    def _fence(self, number: int, text: str) -> None:
        if not self.in_fence and self.side is not None:
            self._fault(number, "is a block of code; write each prompt as an item of a list")
        if text.startswith(_FENCE) and text.count(text[:3]) == 1:
            self.in_fence = not self.in_fence

    def _item(self, number: int, text: str, *, is_nested: bool) -> None:
        self.is_marked = True
        if is_nested:
            self._fault(number, "is an item inside of another; begin its line with the mark")
        elif _BOX.match(text):
            self._fault(number, "has a box, which may mean anything; remove it")
        elif self.side is None:
            self._fault(number, NO_LABEL)
        else:
            self._take(number, text, self.side)

    def _plain(self, number: int, line: str) -> None:
        """Read a line without a mark: part of an item, a prompt of a text, or none of them."""
        text = line.strip()
        if self.side is None:
            if not self.is_markdown:
                self._fault(number, NO_LABEL)
        elif self.is_open and self.is_marked and line.startswith(("  ", "\t")):
            self.prompts[self.side][-1] += f" {text}"
        elif self.is_markdown:
            self._fault(number, NO_ITEM)
        else:
            self._take(number, text, self.side)
            self.bare.append(number)

    def _take(self, number: int, text: str, side: str) -> None:
        self.prompts.setdefault(side, []).append(text)
        self.lines.setdefault(side, []).append(number)
        self.is_open = True

    def _fault(self, number: int, text: str) -> None:
        self.is_open = False
        self.faults.append(f"{self.label}: line {number}: {text}")


def read_prompts(text: str, label: str, *, stem: str, ending: str) -> Document:
    """Read lists of prompts, each with its line.

    Args:
        text: of the file.
        label: the file, as messages name it.
        stem: its name without the ending, which may say what its prompts are.
        ending: of its name.

    Raises:
        SuiteError: nothing says of any prompt whether it should trigger.
    """
    by_name = _SIDES.get(_folded(stem))
    reader = _Reader(label=label, is_markdown=ending in MARKDOWN, by_name=by_name, side=by_name)
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    reader.close()
    if by_name is None and not reader.prompts:
        raise SuiteError(
            f"{label}: does not say which of its prompts should trigger; {form_of(ending)}\n"
            "  (or name two files should-trigger and should-not-trigger)"
        )
    value = {side: [_unquoted(each) for each in own] for side, own in reader.prompts.items()}
    lines = {side: tuple(numbers) for side, numbers in reader.lines.items()}
    return Document(
        label=label, value=value or {SHOULD: []}, lines=lines, faults=tuple(reader.faults)
    )


def _unquoted(text: str) -> str:
    """Take off the quotes that a whole item stands in."""
    for pair in _PAIRS:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == pair[0] and text[-1] == pair[1]:
            return text if pair[0] in inner or pair[1] in inner else inner
    return text
