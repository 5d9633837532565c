"""Writes the reports of recorded runs; a report that fails never takes its run along."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from skillwalker.datatypes.recorded import Dialogue, RecordedRun
from skillwalker.errors import StoreError
from skillwalker.recording.glances import REPORT, glance_at_runs
from skillwalker.recording.recorded import read_recorded, read_trial_dialogue
from skillwalker.recording.recorded_evals import is_evaluated, read_evaluated
from skillwalker.recording.rows import write_atomically
from skillwalker.recording.store import read_summary as read_summary_row
from skillwalker.recording.summary_records import read_summary
from skillwalker.report.next_step import next_command
from skillwalker.user_files import words_of

logger = logging.getLogger(__name__)

MARKDOWN = "report.md"
INDEX = "index.html"
LEFT_OUT = "Transcripts are left out of this report"
"""What a page says that was written without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """What was written, and what could not be."""

    written: tuple[Path, ...]
    faults: tuple[str, ...]
    """A line each for people; the run itself is as it was."""


def write_reports(
    folder: Path,
    *,
    html: bool = True,
    junit: Path | None = None,
    transcripts: bool = True,
    next_command: str | None = None,
) -> Reports:
    """Write the reports of a run, or of an eval run; nothing that goes wrong is raised.

    Args:
        folder: the run's.
        html: whether to write report.html beside report.md.
        junit: where to write JUnit XML; folders above it are made.
        transcripts: whether the page holds what was said in the trials that missed.
        next_command: what a user would do now.
    """
    found: list[Texts] = []
    if is_evaluated(folder):
        faults = _attempt(folder, lambda: found.append(_eval_texts(folder)))
    else:
        faults = _attempt(
            folder, lambda: found.append(_run_texts(folder, transcripts, next_command))
        )
    if not found:
        return Reports(written=(), faults=tuple(faults))
    (texts,) = found
    jobs = {folder / REPORT: texts.html} if html else {}
    jobs[folder / MARKDOWN] = texts.markdown
    if junit is not None:
        jobs[junit] = texts.junit
    written = []
    for path, make in jobs.items():
        fault = _attempt(path, partial(_make, path, make))
        faults += fault
        written += [] if fault else [path]
    return Reports(written=tuple(written), faults=tuple(faults))


def refresh_reports(folder: Path, *, project: str | None = None) -> Reports:
    """Write the reports that a run has once more, for its summary changed; none is added.

    Args:
        folder: the run's.
        project: how the user named it after `-C`; None where it was found.
    """
    page, there = folder / REPORT, (folder / REPORT, folder / MARKDOWN)
    if not any(path.is_file() for path in there):
        return Reports(written=(), faults=())
    try:
        summary = read_summary(read_summary_row(folder))
        transcripts = not (page.is_file() and LEFT_OUT in page.read_text("utf-8", "replace"))
    except (StoreError, OSError) as error:
        return Reports(written=(), faults=(f"the reports of run {folder.name}: {error}",))
    return write_reports(
        folder,
        html=page.is_file(),
        transcripts=transcripts,
        next_command=next_command(summary, quiet=False, project=project),
    )


def _make(path: Path, make: Callable[[], str]) -> None:
    _write(path, make())


def write_junit(path: Path, folders: Sequence[Path]) -> Reports:
    """Write several runs into one JUnit file; nothing that goes wrong is raised."""

    def write() -> None:
        _write(path, _junit(tuple(read_recorded(folder) for folder in folders)))

    faults = _attempt(path, write)
    return Reports(written=() if faults else (path,), faults=tuple(faults))


def write_index(output_dir: Path) -> Path:
    """Write the page of all runs into the folder in which they lie.

    Raises:
        StoreError: it cannot be written.
    """
    from skillwalker.report.html.index import render_index

    _write(output_dir / INDEX, render_index(glance_at_runs(output_dir)))
    return output_dir / INDEX


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """How each report of a run is made."""

    html: Callable[[], str]
    markdown: Callable[[], str]
    junit: Callable[[], str]


def _run_texts(folder: Path, transcripts: bool, next_command: str | None) -> Texts:
    run = read_recorded(folder)
    return Texts(
        html=lambda: _html(folder, run, transcripts, next_command),
        markdown=lambda: _markdown(run, next_command),
        junit=lambda: _junit((run,)),
    )


def _eval_texts(folder: Path) -> Texts:
    from skillwalker.report.ci.evals import eval_junit, eval_markdown
    from skillwalker.report.html.evals import render_eval

    outcome = read_evaluated(folder)
    return Texts(
        html=lambda: render_eval(outcome),
        markdown=lambda: eval_markdown(outcome),
        junit=lambda: eval_junit(outcome),
    )


def _html(folder: Path, run: RecordedRun, transcripts: bool, next_command: str | None) -> str:
    from skillwalker.report.html.page import render_run

    dialogues = _dialogues(folder, run) if transcripts else None
    return render_run(run, dialogues=dialogues, next_command=next_command)


def _dialogues(folder: Path, run: RecordedRun) -> dict[str, Dialogue]:
    """Read the transcripts that the page shows; one that is gone is left out."""
    from skillwalker.report.html.page import wanted_transcripts

    dialogues = {}
    for trial in wanted_transcripts(run):
        try:
            dialogue = read_trial_dialogue(folder, trial)
        except StoreError as error:
            logger.warning("%s", error)
            continue
        if trial.transcript is not None and dialogue is not None:
            dialogues[trial.transcript] = dialogue
    return dialogues


def _markdown(run: RecordedRun, next_command: str | None) -> str:
    from skillwalker.report.ci.markdown import markdown

    return markdown(run, next_command=next_command)


def _junit(runs: Sequence[RecordedRun]) -> str:
    from skillwalker.report.ci.junit import junit

    return junit(runs)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder {path.parent}: {words_of(error)}") from error
    write_atomically(path, text.encode("utf-8", "backslashreplace"))


def _attempt(what: Path, work: Callable[[], None]) -> list[str]:
    """Do a piece of work; give its fault in a line."""
    try:
        work()
    except StoreError as error:
        return [str(error)]
    except Exception as error:
        logger.debug("the report failed", exc_info=True)
        return [f"{what} could not be written: {type(error).__name__}: {error}"]
    return []
