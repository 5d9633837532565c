"""One run's folder: its journal, read back, and the on-disk format of a run.

`trials.jsonl` is the truth: a line is on the disk before its trial counts.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial, TrialKey, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Purpose
from skillwalker.errors import RunNotFoundError, StoreError
from skillwalker.recording import records, summary_records
from skillwalker.recording.rows import RowFiles, read_each, read_row, read_rows
from skillwalker.recording.summary_ahead import AHEAD
from skillwalker.recording.tracked import TrackedFile
from skillwalker.recording.warm import WarmFiles
from skillwalker.user_files import read_regular, words_of

PLAN = "run.json"
TRIALS = "trials.jsonl"
SUMMARIES = ("scil-summary.json", "acil-summary.json", "measure-summary.json")
IMPROVER = "improver.jsonl"
REFUSED = "trials.rate-limited.jsonl"
"""Trials that a rate limit refused, and that were run again; they count for nothing but money."""
SET_ASIDE = "trials.changed.jsonl"
"""Trials of cases that the user changed before going on; they count for nothing but money."""
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
            raise StoreError(
                f"cannot make a run's folder in {output_dir}: {words_of(error)}"
            ) from error
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
    return tuple(sorted(runs, key=run_age, reverse=True))


def run_age(run: Path) -> tuple[str, int]:
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
        self._files = RowFiles(folder, secrets=secrets, paid=paid)
        self._trials: dict[TrialKey, Trial] = {}
        for trial in read_each(folder / TRIALS, records.read_trial):
            self._trials[records.trial_key(trial)] = trial
        self.warm = WarmFiles(self._files)
        self.tracked = TrackedFile(self._files)
        self._iterations: dict[object, dict[str, object]] | None = None
        self._answers = records.read_answers(read_rows(folder / IMPROVER))
        self._open_calls: dict[int, tuple[Exchange, ...]] = {}

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.folder.name

    @property
    def spent(self) -> int:
        """How many trials were paid for, those of changed cases included."""
        return len(self._trials) + sum(1 for _ in read_rows(self.folder / SET_ASIDE))

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial on disk, in the order in which it was finished."""
        return tuple(self._trials.values())

    def recorded_trial(self, key: TrialKey) -> Trial | None:
        """See `Journal`."""
        return self._trials.get(key)

    def reuse_trial(self, key: TrialKey, cell_key: str, side: CaseSet) -> Trial | None:
        """See `Journal`."""
        return self.warm.reuse(key, cell_key, side)

    def record_trial(self, trial: Trial, raw: tuple[bytes, ...]) -> Trial:
        """See `Journal`."""
        if raw:
            trial = records.with_transcript(trial, self._write_transcript(trial, raw))
        self._files.append(TRIALS, records.trial_row(self.run_id, trial))
        self._trials[records.trial_key(trial)] = trial
        return trial

    def record_refused(self, trial: Trial) -> None:
        """See `Journal`."""
        self._files.append(REFUSED, records.trial_row(self.run_id, trial))

    def recorded_answer(self, number: int) -> Answer | None:
        """See `Journal`."""
        return self._answers.get(number)

    def record_call(self, number: int, call: Exchange) -> None:
        """See `Journal`."""
        calls = (*self._open_calls.get(number, ()), call)
        so_far = Answer(description=None, reason="", exchanges=calls)
        *_, row = records.answer_rows(self.run_id, number, so_far, is_whole=False)
        self._files.append(IMPROVER, row)
        self._open_calls[number] = calls

    def record_answer(self, number: int, answer: Answer) -> None:
        """See `Journal`."""
        written = len(self._open_calls.pop(number, ()))
        for row in tuple(records.answer_rows(self.run_id, number, answer))[written:]:
            self._files.append(IMPROVER, row)
        self._answers[number] = answer

    def calls(self) -> Iterator[tuple[Purpose, str, Usage]]:
        """Give every call that was paid for, whatever became of it: its purpose, model and usage.

        Raises:
            StoreError: a file of the run cannot be read.
        """
        left_out = (
            trial
            for name in (REFUSED, SET_ASIDE)
            for trial in read_each(self.folder / name, records.read_trial)
        )
        for trial in (*self._trials.values(), *left_out):
            yield Purpose.TRIAL, trial.model_asked, trial.usage
        for exchange in read_each(self.folder / IMPROVER, records.read_exchange):
            yield Purpose.IMPROVER, exchange.model, exchange.usage

    def write_plan(self, record: Mapping[str, object]) -> None:
        """Write what the run depends on, before its first trial."""
        self._files.write(PLAN, record)

    def write_iterations(self, kind: str, iterations: Iterable[Iteration]) -> None:
        """Keep a line of each measured candidate; one that was measured further gets a new line."""
        name = f"{kind}-iteration.jsonl"
        if self._iterations is None:
            rows = read_rows(self.folder / name)
            self._iterations = {records.read_number(row, "iteration", name): row for row in rows}
        is_new_line = False
        for iteration in iterations:
            row = json.loads(json.dumps(records.iteration_row(self.run_id, iteration)))
            if self._iterations.get(iteration.number) == row:
                continue
            is_new_line |= iteration.number in self._iterations
            if not is_new_line:
                self._files.append(name, row)
            self._iterations[iteration.number] = row
        if is_new_line:
            self._files.replace(name, self._iterations.values())

    def write_summary(self, summary: Summary, *, ahead: bool = False) -> None:
        """Write the run's summary whole or not at all.

        Args:
            summary: of the run.
            ahead: what it will be once the description is written; see `settle_summary`.
        """
        name = f"{summary.kind}-summary{AHEAD if ahead else '.json'}"
        self._files.write(name, summary_records.summary_record(summary))

    def set_aside(self, kind: str, cases: Set[str]) -> None:
        """Take the trials of changed cases, and the scores made of them, out of what counts.

        Raises:
            StoreError: they cannot be written elsewhere.
        """
        rows = tuple(read_rows(self.folder / TRIALS))
        aside = list(read_rows(self.folder / SET_ASIDE))
        # Their streams make room for those of the new trials.
        moved = ({**row, "transcript": None} for row in rows if row["case"] in cases)
        aside += [row for row in moved if row not in aside]
        self._files.replace(SET_ASIDE, aside)
        self._files.replace(TRIALS, (row for row in rows if row["case"] not in cases))
        self.warm.set_aside(cases)
        self._files.replace(f"{kind}-iteration.jsonl", ())
        self._trials = {key: trial for key, trial in self._trials.items() if key.case not in cases}
        self._iterations = None

    def close(self) -> None:
        """Close the run's files; what was recorded is on disk already."""
        self._files.close()

    def _write_transcript(self, trial: Trial, raw: tuple[bytes, ...]) -> str:
        """Keep the stream of a trial; the name holds no text of the user's."""
        case = hashlib.sha256(f"{trial.case}\0{trial.model_asked}".encode()).hexdigest()[:12]
        name = f"{trial.candidate}-{case}-{trial.run_index}-{trial.attempt}.jsonl.gz"
        text = self._files.redact(b"\n".join(raw) + b"\n")
        folder = self.folder / TRANSCRIPTS
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(gzip.compress(text, compresslevel=6, mtime=0))
        return f"{TRANSCRIPTS}/{name}"


def read_transcript(folder: Path, name: str) -> tuple[bytes, ...]:
    """Read the stream of a trial, a line each.

    Raises:
        StoreError: the file is missing or broken.
    """
    try:
        return tuple(gzip.decompress(read_regular(folder / name)).splitlines())
    except (OSError, EOFError, zlib.error) as error:
        raise StoreError(
            f"cannot read the transcript {folder / name}: {words_of(error)}"
        ) from error


def read_plan(folder: Path) -> dict[str, object]:
    """Read what a run depended on; empty for a run that was killed before it was written."""
    path = folder / PLAN
    return read_row(path) if path.exists() else {}


def read_summary(folder: Path) -> dict[str, object]:
    """Read the summary of a recorded run.

    Raises:
        StoreError: the run has none (it was killed before its end) or it cannot be read.
    """
    for path in (folder / name for name in SUMMARIES):
        if path.exists():
            return read_row(path)
    raise StoreError(f"run {folder.name} has no summary: it did not end")
