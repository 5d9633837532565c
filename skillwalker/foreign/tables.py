"""Tables of other tools, CSV and TSV: a header that names the columns, and a row for each prompt.

A cell is always a text, so what it says is settled here: true and false are what they are in JSON,
and nothing else is; a cell that says nothing where the label stands is a fault.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillwalker.errors import SuiteError
from skillwalker.faults import quoted, shown
from skillwalker.foreign.entries import Document
from skillwalker.foreign.forms import form_of
from skillwalker.foreign.keys import (
    CHOICES,
    EXCLUDED,
    FLAGS,
    NAMES,
    NEAR_KEYS,
    PROMPTS,
    ROUTE,
    SUBJECTS,
    TAGS,
)

DELIMITERS = {".csv": (",", ";", "\t"), ".tsv": ("\t",)}
"""By the ending of a file; the first one counts with which its header is understood."""
LABELS = (*FLAGS, *CHOICES, *SUBJECTS)
"""Columns of which a table needs one: they say whether the target should trigger."""
OTHER_LABELS = ("expected", "label")
"""Read as a flag where no column has a clearer name."""
LISTED = "tags"
_BOOLEANS = {"true": True, "false": False}
_NEARLY = {"yes": True, "no": False, "y": True, "n": False, "1": True, "0": False, "": False}
_MARKS = re.compile(r"\s*[;,|]\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    delimiter: str
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    fault: str | None
    """Why the rows behind these cannot be read."""

    @property
    def required(self) -> frozenset[str]:
        """The columns in which every row must say something."""
        settled = {key for key in self.columns if key in FLAGS or key in SUBJECTS}
        return frozenset(settled or {key for key in self.columns if key in CHOICES})


def read_table(text: str, label: str, ending: str) -> Document:
    """Read a table as a list of entries, each with its line.

    Args:
        text: of the file.
        label: the file, as messages name it.
        ending: of its name, which says what stands between the cells.

    Raises:
        SuiteError: its header does not say which column is which.
    """
    table = _split(text, label, ending)
    entries: list[object] = []
    lines: list[int] = []
    faults: list[str] = []
    for row in table.rows:
        wrong = list(_wrong(table, row))
        faults += (f"{label}: line {row.line}: {fault}" for fault in wrong)
        if not wrong:
            entries.append(_values(table, row))
            lines.append(row.line)
    if table.fault is not None:
        faults.append(f"{label}: {table.fault}")
    return Document(label=label, value=entries, lines={"": tuple(lines)}, faults=tuple(faults))


def _split(text: str, label: str, ending: str) -> _Table:
    """Cut a table by the first mark with which its header is understood."""
    for delimiter in DELIMITERS[ending]:
        rows, fault = _rows(text, delimiter)
        columns = _columns(rows[0].cells) if rows else ()
        if any(key in PROMPTS for key in columns) and any(key in LABELS for key in columns):
            twice = next((key for key in columns if columns.count(key) > 1), None)
            if twice is not None:
                raise SuiteError(f"{label}: two columns are called {quoted(twice)}; keep one")
            return _Table(delimiter=delimiter, columns=columns, rows=tuple(rows[1:]), fault=fault)
    raise SuiteError(
        f"{label}: its first line names no column of prompts, or none that says whether the skill "
        f"should trigger; {form_of(ending)}"
    )


def _rows(text: str, delimiter: str) -> tuple[list[_Row], str | None]:
    """Cut a text into rows, up to the one that is none; those without a word are left out."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[_Row] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_Row(line=line, cells=tuple(cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        return rows, f"line {line}: is no row ({error}); put a text with quotes in quotes, doubled"
    return rows, None


def _columns(header: Sequence[str]) -> tuple[str, ...]:
    """Name the columns by the keys that they mean; what means none keeps its name."""
    columns = [_KEYS.get(_folded(cell), cell.strip()) for cell in header]
    if not any(key in LABELS for key in columns):
        other = next((key for key in columns if _folded(key) in OTHER_LABELS), None)
        columns = ["expect" if key == other else key for key in columns]
    return tuple(columns)


def _folded(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


_KEYS = {
    _folded(key): key
    for key in (
        *PROMPTS, *FLAGS, *CHOICES, *EXCLUDED, *SUBJECTS, *NAMES, *TAGS, *NEAR_KEYS, ROUTE, LISTED,
    )[::-1]
}  # fmt: skip
"""Keys by their letters alone: "Should Trigger?" is should_trigger, of several the first one."""


def _wrong(table: _Table, row: _Row) -> Iterator[str]:
    """Say what keeps a row from being read."""
    if len(row.cells) != len(table.columns):
        yield (
            f"has {len(row.cells)} cells, the header {len(table.columns)}; put a text that holds "
            f"{_called(table.delimiter)} in double quotes"
        )
        return
    for key, cell in zip(table.columns, row.cells, strict=True):
        text = cell.strip()
        if key in table.required and not text:
            yield f"{quoted(key)} is empty; {_wanted(key)}"
        elif key in FLAGS and text.casefold() in _NEARLY:
            yield f"{quoted(key)} is {shown(text)}; write true or false"
        elif _holds_a_row(cell, table.delimiter):
            yield f"{quoted(key)} holds another row; close the double quotes that open in it"


def _wanted(key: str) -> str:
    if key in FLAGS:
        return "write true or false"
    return "name the skill" + (", or write none" if key in CHOICES else "")


def _called(delimiter: str) -> str:
    return {"\t": "a tab", ";": "a semicolon"}.get(delimiter, "a comma")


def _holds_a_row(cell: str, delimiter: str) -> bool:
    """Say whether quotes that were left open took the next row for their own."""
    lines = cell.splitlines()
    parts = (part.strip().casefold() for line in lines for part in line.split(delimiter)[1:])
    return len(lines) > 1 and any(part in _BOOLEANS for part in parts)


def _values(table: _Table, row: _Row) -> dict[str, object]:
    """Make the entry of a row; an empty cell is a key that is not there."""
    cells = zip(table.columns, row.cells, strict=True)
    return {key: _value(key, cell) for key, cell in cells if cell.strip() or key in PROMPTS}


def _value(key: str, cell: str) -> object:
    text = cell.strip()
    word = text.casefold()
    if key in FLAGS:
        return _BOOLEANS.get(word, text)
    if key in NEAR_KEYS:
        return (_BOOLEANS | _NEARLY).get(word, text)
    if key == LISTED or key in CHOICES or key in EXCLUDED:
        parts = [part for part in _MARKS.split(text) if part]
        return parts if key == LISTED or len(parts) > 1 else text
    return cell if key in PROMPTS else text
