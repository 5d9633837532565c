"""An eval run's folder: what was asked, what Claude did, what it was worth."""

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.evals import (
    EvalCase,
    EvalLine,
    EvalOutcome,
    EvalTrial,
    PlannedCase,
)
from skillwalker.datatypes.inputs import JudgeExpectation
from skillwalker.datatypes.judging import JudgeCall
from skillwalker.datatypes.trials import OutputFile
from skillwalker.engines.output_files import NOTHING, read_output
from skillwalker.errors import StoreError
from skillwalker.evaluation import records
from skillwalker.judge.transcript_text import KINDS as SPOKEN
from skillwalker.recording.recorded_evals import RESULTS, SUMMARY
from skillwalker.recording.rows import RowFiles, read_each, read_rows
from skillwalker.recording.store import TRANSCRIPTS, TRIALS, list_runs
from skillwalker.user_files import read_regular, words_of

TrialName = tuple[str, str, int]
"""Suite, case and run."""

CONFIG = "test-config.jsonl"
EVENTS = "test-run.jsonl"
OUTPUT = "output-files.jsonl"
SCAFFOLDS = "scaffold-files.jsonl"
"""What the working folders held at the start, for the judge: the suite may change later."""
JUDGE = "judge.jsonl"
_TRIAL_KEYS = ("suite", "test_name", "run_index", "attempt")


class EvalStore:
    """Writes and reads the files of one eval run.

    Args:
        folder: the run's folder.
        secrets: strings that must not stand in any file; each is written as `[redacted]`.
    """

    def __init__(self, folder: Path, *, secrets: Sequence[str] = ()) -> None:
        self.folder = folder
        self._files = RowFiles(folder, secrets=secrets)

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.folder.name

    def write_cases(self, cases: Iterable[EvalCase], *, engine: str) -> None:
        """Write what is asked of the run, before its first trial."""
        rows = (records.case_row(self.run_id, case, engine=engine) for case in cases)
        self._files.replace(CONFIG, rows)

    def write_scaffolds(self, planned: Iterable[PlannedCase]) -> None:
        """Write what the working folders of graded cases hold at the start."""
        rows: dict[tuple[str, Path], list[dict[str, object]]] = {}
        for one in planned:
            scaffold, name = one.scaffold, one.case.case.scaffold
            graded = any(isinstance(claim, JudgeExpectation) for claim in one.case.case.expect)
            if scaffold is None or name is None or not graded:
                continue
            if (one.case.suite, name) not in rows:
                rows[one.case.suite, name] = [
                    records.scaffold_row(self.run_id, one.case.suite, name.as_posix(), file)
                    for file in read_output(scaffold, NOTHING).files
                ]
        if rows:
            self._files.replace(SCAFFOLDS, (row for some in rows.values() for row in some))

    def record(self, trial: EvalTrial, line: EvalLine) -> None:
        """Put a trial on the disk: its files, its events, and last what was read in them.

        Raises:
            StoreError: it cannot be written.
        """
        if trial.transcript.output is not None:
            self._files.extend(OUTPUT, records.output_rows(self.run_id, trial))
        self._files.extend(EVENTS, records.event_rows(self.run_id, trial))
        transcript = self._write_transcript(trial)
        record = replace(line, trial=replace(line.trial, transcript=transcript))
        self._files.append(TRIALS, records.line_row(self.run_id, record))

    def record_judge(self, call: JudgeCall) -> None:
        """Put a question to the judge on the disk, with its answer.

        Raises:
            StoreError: it cannot be written.
        """
        self._files.append(JUDGE, records.judge_row(self.run_id, call))

    def close(self) -> None:
        """Close the run's files; what was recorded is on disk already."""
        self._files.close()

    def write_outcome(self, outcome: EvalOutcome) -> None:
        """Write the rows and the summary; rows of before are kept as `test-results.N.jsonl`."""
        rows = [records.result_row(self.run_id, row) for row in outcome.rows]
        path = self.folder / RESULTS
        if has_results(self.folder):
            path.replace(_free_name(path))
        self._files.replace(RESULTS, rows)
        self._files.write(SUMMARY, records.eval_summary_record(outcome.summary))

    def read_cases(self) -> tuple[EvalCase, ...]:
        """Read what was asked of the run.

        Raises:
            StoreError: it is no eval run, or cannot be read.
        """
        if not is_eval_run(self.folder):
            raise StoreError(f"run {self.run_id} is no eval run: it has no {CONFIG}")
        return tuple(read_each(self.folder / CONFIG, records.read_case))

    def read_engine(self) -> str:
        """Read which engine the run asked for."""
        return next((str(row.get("engine")) for row in read_rows(self.folder / CONFIG)), "")

    def read_trials(self) -> tuple[EvalTrial, ...]:
        """Read every attempt that was recorded whole, in the order in which they ended."""
        files: dict[tuple[str, ...], list[OutputFile]] = {}
        for row in read_rows(self.folder / OUTPUT):
            name = tuple(str(row.get(key)) for key in _TRIAL_KEYS)
            files.setdefault(name, []).append(records.read_file_row(row, OUTPUT))
        read = read_each(self.folder / EVENTS, records.read_event_row)
        return tuple(_with_files(trial, files) for trial in read if trial is not None)

    def read_events(
        self, wanted: Mapping[TrialName, int]
    ) -> dict[TrialName, tuple[Mapping[str, object], ...]]:
        """Read what was said in some trials.

        Args:
            wanted: the attempt of each run that is meant.
        """
        found: dict[TrialName, list[Mapping[str, object]]] = {}
        for row in read_rows(self.folder / EVENTS) if wanted else ():
            index, event = row.get("run_index"), row.get("event")
            if not isinstance(index, int) or not isinstance(event, dict):
                continue
            name = (str(row.get("suite")), str(row.get("test_name")), index)
            if wanted.get(name) != row.get("attempt"):
                continue
            if event.get("type") in SPOKEN:
                found.setdefault(name, []).append(event)
        return {name: tuple(events) for name, events in found.items()}

    def read_scaffolds(self) -> dict[tuple[str, str], tuple[OutputFile, ...]]:
        """Read what the working folders held, by suite and scaffold."""
        found: dict[tuple[str, str], list[OutputFile]] = {}
        for row in read_rows(self.folder / SCAFFOLDS):
            name = (str(row.get("suite")), str(row.get("scaffold")))
            found.setdefault(name, []).append(records.read_file_row(row, SCAFFOLDS))
        return {name: tuple(files) for name, files in found.items()}

    def read_judge(self) -> tuple[JudgeCall, ...]:
        """Read every question to the judge, with its answer."""
        return tuple(read_each(self.folder / JUDGE, records.read_judge_row))

    def read_summary(self) -> Mapping[str, object]:
        """Read the summary of before; empty when the run did not end."""
        path = self.folder / SUMMARY
        try:
            record = json.loads(read_regular(path)) if path.exists() else {}
        except (OSError, ValueError) as error:
            raise StoreError(f"cannot read {path}: {words_of(error)}") from error
        return record if isinstance(record, dict) else {}

    def _write_transcript(self, trial: EvalTrial) -> str | None:
        """Keep the stream of a trial as the loop does; the name holds no text of the user's."""
        if not trial.transcript.raw:
            return None
        words = f"{trial.suite}\0{trial.case}\0{trial.model_asked}"
        case = hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        name = f"{TRANSCRIPTS}/{case}-{trial.run_index}-{trial.attempt}.jsonl.gz"
        text = self._files.redact(b"\n".join(trial.transcript.raw) + b"\n")
        (self.folder / TRANSCRIPTS).mkdir(exist_ok=True)
        (self.folder / name).write_bytes(gzip.compress(text, compresslevel=6, mtime=0))
        return name


def _with_files(
    trial: EvalTrial, files: Mapping[tuple[str, ...], Sequence[OutputFile]]
) -> EvalTrial:
    """Put the files that a trial left back into it."""
    output = trial.transcript.output
    if output is None:
        return trial
    name = (trial.suite, trial.case, str(trial.run_index), str(trial.attempt))
    whole = replace(output, files=tuple(files.get(name, ())))
    return replace(trial, transcript=replace(trial.transcript, output=whole))


def is_eval_run(folder: Path) -> bool:
    """Say whether a run's folder is that of an eval run."""
    return (folder / CONFIG).is_file()


def has_results(folder: Path) -> bool:
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
    return tuple(run for run in runs if evaluated or not has_results(run))


def _free_name(path: Path) -> Path:
    """Number a file that is replaced, from 1."""
    number = 1
    while (kept := path.with_name(f"{path.stem}.{number}{path.suffix}")).exists():
        number += 1
    return kept
