"""Reads a rubric: every line that begins with `- ` is a criterion, graded on its own.

    # Title and other text are for people
    - a criterion about the whole trial
    ### Any heading groups criteria
    - one that goes on
      in an indented line
    ## File: docs/plan.md
    - a criterion about that file, until the next heading of one or two marks

What would be lost without a word is a fault instead: a heading with no criterion below it, a list
with other bullets, an empty criterion.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skillwalker.datatypes.judging import Criterion, Rubric
from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.user_files import read_regular

_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<title>.*?)\s*#*\s*")
_FILE = re.compile(r"File:\s*(?P<path>.*)", re.IGNORECASE)
_BULLET = re.compile(r"\s*-(?:\s+(?P<text>.*))?")
_OTHER_BULLET = re.compile(r"(?:[*+]|\d+[.)])\s+\S")
_FENCE = re.compile(r"\s*(```|~~~)")
_FILE_LEVEL = 2
"""`## File:` begins a section that the next heading of this level ends."""


def read_rubric(path: Path) -> Rubric:
    """Read a rubric's file.

    Raises:
        SuiteError: it cannot be read, or is wrong; one line for every fault.
    """
    try:
        text = read_regular(path).decode("utf-8-sig")
    except OSError as error:
        raise SuiteError(f"{path}: cannot be read ({error.strerror}); put it back") from error
    except UnicodeDecodeError as error:
        raise SuiteError(f"{path}: byte {error.start} is not UTF-8; save it as UTF-8") from error
    try:
        return parse_rubric(text)
    except SuiteError as error:
        raise SuiteError("\n".join(f"{path}: {line}" for line in str(error).split("\n"))) from error


def parse_rubric(text: str) -> Rubric:
    """Read the criteria of a rubric.

    Raises:
        SuiteError: it is wrong; one line for every fault, each with its line number.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        reader.take(number, line)
    return reader.rubric()


@dataclass(slots=True)
class _Section:
    """A heading on the way."""

    line: int
    level: int
    title: str
    criteria: int = 0


@dataclass(slots=True)
class _Draft:
    """A criterion on the way."""

    line: int
    parts: list[str]
    file: str | None

    @property
    def text(self) -> str:
        """Its words in one line."""
        return " ".join(part for part in self.parts if part)


@dataclass(slots=True)
class _Reader:
    """Reads line by line."""

    faults: list[str] = field(default_factory=list)
    _drafts: list[_Draft] = field(default_factory=list)
    _open: list[_Section] = field(default_factory=list)
    _file: str | None = None
    _goes_on: bool = False
    _in_fence: bool = False

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        if _FENCE.match(line):
            self._in_fence, self._goes_on = not self._in_fence, False
            return
        if self._in_fence:
            return
        if (heading := _HEADING.fullmatch(line)) is not None:
            self._take_heading(number, len(heading["marks"]), heading["title"])
        elif (bullet := _BULLET.fullmatch(line)) is not None:
            self._take_criterion(number, (bullet["text"] or "").strip())
        elif _OTHER_BULLET.match(line):
            self.faults.append(f'line {number}: a criterion begins with "- "; write it so')
        elif line[:1].isspace() and line.strip() and self._goes_on:
            self._drafts[-1].parts.append(line.strip())
        else:
            self._goes_on = False

    def rubric(self) -> Rubric:
        """Give what was read.

        Raises:
            SuiteError: something is wrong.
        """
        self._close(level=1)
        self.faults += self._twice()
        if not self._drafts and not self.faults:
            self.faults.append('there is no criterion; write each as a line that begins with "- "')
        if self.faults:
            raise SuiteError("\n".join(self.faults))
        return Rubric(criteria=tuple(Criterion(text=d.text, file=d.file) for d in self._drafts))

    def _take_heading(self, number: int, level: int, title: str) -> None:
        self._goes_on = False
        self._close(level)
        if level <= _FILE_LEVEL:
            self._file = None
        named = _FILE.fullmatch(title)
        if level == _FILE_LEVEL and named is not None:
            self._file = self._take_path(number, named["path"])
        self._open.append(_Section(number, level, title))

    def _take_path(self, number: int, written: str) -> str | None:
        name = written.strip().strip("`").strip()
        path = PurePosixPath(name)
        if not name:
            self.faults.append(f"line {number}: File: names no file; write its path behind it")
        elif path.is_absolute() or ".." in path.parts or "\\" in name:
            self.faults.append(
                f"line {number}: File: {quoted(name)} leaves the working folder; name a path in it"
            )
        return str(path)

    def _take_criterion(self, number: int, text: str) -> None:
        self._goes_on = bool(text)
        if not text:
            self.faults.append(f"line {number}: the criterion is empty; write what must be true")
            return
        self._drafts.append(_Draft(number, [text], self._file))
        for section in self._open:
            section.criteria += 1

    def _close(self, level: int) -> None:
        """End the sections that a heading of a level ends; a title needs no criterion."""
        while self._open and self._open[-1].level >= level:
            section = self._open.pop()
            if section.criteria == 0 and section.level > 1:
                self.faults.append(
                    f"line {section.line}: the section {quoted(section.title)} has no criterion; "
                    "add one or remove the heading"
                )

    def _twice(self) -> Iterator[str]:
        first: dict[tuple[str | None, str], int] = {}
        for draft in self._drafts:
            line = first.setdefault((draft.file, draft.text), draft.line)
            if line != draft.line:
                yield f"line {draft.line}: is the criterion of line {line} again; remove one"
