"""One run's folder: append, read back, atomic writes; the on-disk format of a run.

`trials.jsonl` is the truth: a line is on the disk before its trial counts, a torn last line
(the machine died while writing it) is left out and overwritten by the next run of that trial.
"""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from skillwalker.datatypes.improver import Answer
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial, TrialKey
from skillwalker.errors import RunNotFoundError, StoreError
from skillwalker.plan import Plan
from skillwalker.recording import records

PLAN = "run.json"
TRIALS = "trials.jsonl"
IMPROVER = "improver.jsonl"
TRANSCRIPTS = "transcripts"
RECENT_RUNS = 5


def create_run(output_dir: Path, now: datetime | None = None) -> Path:
    """Make the folder of a new run.

    Args:
        output_dir: where runs lie; made when missing.
        now: the moment in the run's name; default: this one.

    Returns:
        The folder, named YYYYMMDDTHHMMSS in UTC, with `-2`, `-3`… where the name is taken.

    Raises:
        StoreError: the folder cannot be made.
    """
    stamp = (now or datetime.now(UTC)).astimezone(UTC).strftime("%Y%m%dT%H%M%S")
    number = 1
    while True:
        folder = output_dir / (stamp if number == 1 else f"{stamp}-{number}")
        try:
            output_dir.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            if not output_dir.is_dir():
                raise StoreError(f"output folder {output_dir} is not a folder") from None
            number += 1
        except OSError as error:
            raise StoreError(f"cannot make a run's folder in {output_dir}: {error}") from error
        else:
            return folder


def find_run(output_dir: Path, run_id: str) -> Path:
    """Find a recorded run.

    Raises:
        RunNotFoundError: there is none of that name; the newest are listed.
    """
    folder = output_dir / run_id
    if run_id and folder.parent == output_dir and run_id not in {".", ".."} and folder.is_dir():
        return folder
    recent = ", ".join(run.name for run in list_runs(output_dir)[:RECENT_RUNS]) or "none yet"
    raise RunNotFoundError(f"there is no run {run_id!r} in {output_dir}; newest runs: {recent}")


def list_runs(output_dir: Path) -> tuple[Path, ...]:
    """List the folders of recorded runs, newest first."""
    if not output_dir.is_dir():
        return ()
    runs = (child for child in output_dir.iterdir() if child.is_dir() and child.name[:8].isdigit())
    return tuple(sorted(runs, key=_age, reverse=True))


def _age(run: Path) -> tuple[str, int]:
    """Order runs by their stamp, then by the number behind it."""
    stamp, _, number = run.name.partition("-")
    return stamp, int(number) if number.isdigit() else 1


class RunStore:
    """The journal of one run, kept in its folder.

    Args:
        folder: the run's folder.
        secrets: strings that must not stand in any file; each is written as `[redacted]`.
        paid: each line is synced to the disk before it counts. What cost nothing is only handed
            to the kernel: that survives a kill -9, and a power cut loses nothing that was paid.
    """

    def __init__(self, folder: Path, *, secrets: Sequence[str] = (), paid: bool = True) -> None:
        self.folder = folder
        self._paid = paid
        self._secrets = tuple(secret for secret in secrets if secret)
        self._trials: dict[TrialKey, Trial] = {}
        self._answers: dict[int, Answer] = {}
        self._files: dict[str, IO[bytes]] = {}
        for row in read_rows(folder / TRIALS):
            trial = records.read_trial(row)
            self._trials[records.trial_key(trial)] = trial
        self._answers = records.read_answers(read_rows(folder / IMPROVER))

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.folder.name

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial on disk, in the order in which it was finished."""
        return tuple(self._trials.values())

    def recorded_trial(self, key: TrialKey) -> Trial | None:
        """See `Journal`."""
        return self._trials.get(key)

    def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
        """See `Journal`."""
        if raw:
            trial = records.with_transcript(trial, self._write_transcript(trial, raw))
        self._append(TRIALS, records.trial_row(self.run_id, trial))
        self._trials[records.trial_key(trial)] = trial
        return trial

    def recorded_answer(self, number: int) -> Answer | None:
        """See `Journal`."""
        return self._answers.get(number)

    def record_answer(self, number: int, answer: Answer) -> None:
        """See `Journal`."""
        for row in records.answer_rows(self.run_id, number, answer):
            self._append(IMPROVER, row)
        self._answers[number] = answer

    def write_plan(self, plan: Plan) -> None:
        """Write what the run depends on, before its first trial."""
        self._write(PLAN, records.plan_record(self.run_id, plan))

    def write_iteration(self, kind: str, iteration: Iteration) -> None:
        """Append a measured candidate to the run's iterations."""
        self._append(f"{kind}-iteration.jsonl", records.iteration_row(self.run_id, iteration))

    def write_summary(self, summary: Summary) -> Path:
        """Write the run's summary whole or not at all."""
        return self._write(f"{summary.kind}-summary.json", records.summary_record(summary))

    def _write(self, name: str, record: Mapping[str, object]) -> Path:
        """Write a JSON file whole or not at all."""
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        write_atomically(self.folder / name, self._redact(text).encode("utf-8", "backslashreplace"))
        return self.folder / name

    def close(self) -> None:
        """Close the run's files; what was recorded is on disk already."""
        for stream in self._files.values():
            stream.close()
        self._files.clear()

    def _redact(self, text: str) -> str:
        """Take every secret out."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text

    def _append(self, name: str, row: Mapping[str, object]) -> None:
        """Put one line on the disk."""
        line = self._redact(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        try:
            stream = self._files.get(name) or self._open(name)
            stream.write(line.encode("utf-8", "backslashreplace") + b"\n")
            stream.flush()
            if self._paid:
                _sync(stream.fileno())
        except OSError as error:
            raise StoreError(f"cannot write {self.folder / name}: {error}") from error

    def _open(self, name: str) -> IO[bytes]:
        """Open a file for appending, without the torn line that a kill may have left."""
        path = self.folder / name
        _drop_torn_line(path)
        stream = path.open("ab")
        self._files[name] = stream
        return stream

    def _write_transcript(self, trial: Trial, raw: tuple[bytes, ...]) -> str:
        """Keep the stream of a trial; the name holds no text of the user's."""
        case = hashlib.sha256(f"{trial.case}\0{trial.model_asked}".encode()).hexdigest()[:12]
        name = f"{trial.candidate}-{case}-{trial.run_index}-{trial.attempt}.jsonl.gz"
        text = b"\n".join(raw) + b"\n"
        for secret in self._secrets:
            text = text.replace(secret.encode(), b"[redacted]")
        folder = self.folder / TRANSCRIPTS
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(gzip.compress(text, compresslevel=6, mtime=0))
        return f"{TRANSCRIPTS}/{name}"


def read_rows(path: Path) -> Iterator[dict[str, object]]:
    """Read the lines of a recorded file; a torn last line is left out.

    Raises:
        StoreError: another line is no JSON object, or the file cannot be read.
    """
    if not path.exists():
        return
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    return
                yield _row(path, number, line)
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error}") from error


def _row(path: Path, number: int, line: bytes) -> dict[str, object]:
    """Read one line."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise StoreError(f"{path}, line {number}: not JSON ({error})") from error
    if not isinstance(row, dict):
        raise StoreError(f"{path}, line {number}: not a JSON object")
    return row


def read_transcript(folder: Path, name: str) -> tuple[bytes, ...]:
    """Read the stream of a trial, a line each.

    Raises:
        StoreError: the file is missing or broken.
    """
    try:
        return tuple(gzip.decompress((folder / name).read_bytes()).splitlines())
    except (OSError, EOFError, zlib.error) as error:
        raise StoreError(f"cannot read the transcript {folder / name}: {error}") from error


def read_plan(folder: Path) -> dict[str, object]:
    """Read what a run depended on; empty for a run that was killed before it was written."""
    path = folder / PLAN
    return _row(path, 1, path.read_bytes()) if path.is_file() else {}


def read_summary(folder: Path) -> dict[str, object]:
    """Read the summary of a recorded run.

    Raises:
        StoreError: the run has none (it was killed before its end) or it cannot be read.
    """
    for kind in ("scil", "acil", "measure"):
        path = folder / f"{kind}-summary.json"
        if path.is_file():
            return _row(path, 1, path.read_bytes())
    raise StoreError(f"run {folder.name} has no summary: it did not end")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            _sync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {error}") from error


def _drop_torn_line(path: Path) -> None:
    """Cut what stands behind the last line end."""
    if not path.exists():
        return
    with path.open("r+b") as stream:
        content = stream.read()
        whole = content.rfind(b"\n") + 1
        if whole != len(content):
            stream.truncate(whole)


def _sync(descriptor: int) -> None:
    """Wait until the data is on the disk; where there is no fdatasync, fsync does it."""
    getattr(os, "fdatasync", os.fsync)(descriptor)
