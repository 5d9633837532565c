"""Reads the outcome of a recorded eval run: its summary, and a row for each expectation."""

from pathlib import Path

import pydantic

from skillwalker.datatypes.evals import EvalOutcome, EvalSummary, ResultRow
from skillwalker.recording.checked import checked
from skillwalker.recording.records import check_version
from skillwalker.recording.rows import read_row, read_rows

SUMMARY = "test-run-summary.json"
RESULTS = "test-results.jsonl"

_SUMMARY = pydantic.TypeAdapter(EvalSummary)
_ROW = pydantic.TypeAdapter(ResultRow)
_SUMMARY_KEYS = EvalSummary.__dataclass_fields__.keys()
_ROW_KEYS = ResultRow.__dataclass_fields__.keys()


def is_evaluated(folder: Path) -> bool:
    """Say whether a folder holds an eval run that was evaluated."""
    return (folder / SUMMARY).is_file()


def read_evaluated(folder: Path) -> EvalOutcome:
    """Read an eval run that was evaluated.

    Raises:
        StoreError: another version wrote it, or a file of it is broken.
    """
    row = read_row(folder / SUMMARY)
    check_version(row, SUMMARY)
    values = {key: row[key] for key in _SUMMARY_KEYS & row.keys()}
    if isinstance(usage := row.get("usage"), dict):
        values["usage"] = tuple(usage.items())
    rows = []
    for line in read_rows(folder / RESULTS):
        check_version(line, RESULTS)
        known = {key: line[key] for key in _ROW_KEYS & line.keys()}
        rows.append(checked(_ROW, known, folder / RESULTS))
    summary = checked(_SUMMARY, values, folder / SUMMARY)
    return EvalOutcome(folder=folder, summary=summary, rows=tuple(rows))
