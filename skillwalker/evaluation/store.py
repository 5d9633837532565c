"""An eval run's folder: what was asked, what Claude did, what it was worth."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from skillwalker.datatypes.evals import EvalCase, EvalOutcome, EvalTrial
from skillwalker.errors import StoreError
from skillwalker.evaluation import records
from skillwalker.recording.rows import read_rows, write_atomically
from skillwalker.recording.store import list_runs

CONFIG = "test-config.jsonl"
EVENTS = "test-run.jsonl"
RESULTS = "test-results.jsonl"
SUMMARY = "test-run-summary.json"


class EvalStore:
    """Writes and reads the files of one eval run.

    Args:
        folder: the run's folder.
        secrets: strings that must not stand in any file; each is written as `[redacted]`.
    """

    def __init__(self, folder: Path, *, secrets: Sequence[str] = ()) -> None:
        self.folder = folder
        self._secrets = tuple(secret for secret in secrets if secret)

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.folder.name

    def write_cases(self, cases: Iterable[EvalCase], *, engine: str) -> None:
        """Write what is asked of the run, before its first trial."""
        rows = (records.case_row(self.run_id, case, engine=engine) for case in cases)
        write_atomically(self.folder / CONFIG, self._lines(rows))

    def record(self, trial: EvalTrial) -> None:
        """Put a trial on the disk, its events first and what was read in them last.

        Raises:
            StoreError: it cannot be written.
        """
        lines = self._lines(records.event_rows(self.run_id, trial))
        try:
            with (self.folder / EVENTS).open("ab") as stream:
                stream.write(lines)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise StoreError(f"cannot write {self.folder / EVENTS}: {error}") from error

    def write_outcome(self, outcome: EvalOutcome) -> None:
        """Write the rows and the summary; rows of before are kept as `test-results.N.jsonl`."""
        rows = [records.result_row(self.run_id, row) for row in outcome.rows]
        path = self.folder / RESULTS
        if is_evaluated(self.folder):
            path.replace(_free_name(path))
        write_atomically(path, self._lines(rows))
        text = json.dumps(
            records.eval_summary_record(outcome.summary), ensure_ascii=False, indent=2
        )
        write_atomically(self.folder / SUMMARY, self._bytes(text))

    def read_cases(self) -> tuple[EvalCase, ...]:
        """Read what was asked of the run.

        Raises:
            StoreError: it is no eval run, or cannot be read.
        """
        if not is_eval_run(self.folder):
            raise StoreError(f"run {self.run_id} is no eval run: it has no {CONFIG}")
        return tuple(records.read_case(row) for row in read_rows(self.folder / CONFIG))

    def read_engine(self) -> str:
        """Read which engine the run asked for."""
        return next((str(row.get("engine")) for row in read_rows(self.folder / CONFIG)), "")

    def read_trials(self) -> tuple[EvalTrial, ...]:
        """Read every attempt that was recorded whole, in the order in which they ended."""
        read = (records.read_event_row(row) for row in read_rows(self.folder / EVENTS))
        return tuple(trial for trial in read if trial is not None)

    def read_summary(self) -> Mapping[str, object]:
        """Read the summary of before; empty when the run did not end."""
        path = self.folder / SUMMARY
        try:
            record = json.loads(path.read_bytes()) if path.exists() else {}
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read {path}: {error}") from error
        return record if isinstance(record, dict) else {}

    def _lines(self, rows: Iterable[Mapping[str, object]]) -> bytes:
        lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
        return b"".join(self._bytes(line) for line in lines)

    def _bytes(self, text: str) -> bytes:
        """Take every secret out of a text, and close it with a line end."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text.encode("utf-8", "backslashreplace") + b"\n"


def is_eval_run(folder: Path) -> bool:
    """Say whether a run's folder is that of an eval run."""
    return (folder / CONFIG).is_file()


def is_evaluated(folder: Path) -> bool:
    """Say whether a run has results; an empty file is none."""
    path = folder / RESULTS
    return path.is_file() and path.stat().st_size > 0


def list_eval_runs(output_dir: Path, *, evaluated: bool) -> tuple[Path, ...]:
    """List eval runs, oldest first.

    Args:
        output_dir: where runs lie.
        evaluated: whether to list those that have results too.
    """
    runs = (run for run in reversed(list_runs(output_dir)) if is_eval_run(run))
    return tuple(run for run in runs if evaluated or not is_evaluated(run))


def _free_name(path: Path) -> Path:
    """Number a file that is replaced, from 1."""
    number = 1
    while (kept := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return kept
