"""What a run leaves for people and for CI when it has ended; no fault of it ends the run.

A fault of what it leaves by itself is a warning; of a file that a user named, exit code 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from skillwalker.cli.endings import Wishes, short_path
from skillwalker.cli.environment import in_github_actions, job_summary
from skillwalker.cli.output_file import EXIT_UNWRITTEN
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import Position
from skillwalker.errors import SkillwalkerError
from skillwalker.paths import Places
from skillwalker.report.files import MARKDOWN, Reports, write_junit, write_reports
from skillwalker.report.next_step import next_command
from skillwalker.user_files import words_with_path

if TYPE_CHECKING:
    from skillwalker.datatypes.recorded import RecordedRun

REPOSITORY = ".git"


def leave_reports(folder: Path, summary: Summary, places: Places, wishes: Wishes) -> None:
    """Write a run's reports beside its summary; in GitHub Actions also where GitHub shows them."""
    command = next_command(summary, quiet=False, project=places.said)
    reports = write_reports(folder, html=wishes.html, next_command=command)
    _warn(reports)
    if not wishes.quiet:
        for path in reports.written[:1]:
            mark = " (SIMULATED)" if summary.simulated else ""
            typer.echo(f"report: {short_path(path)}{mark}", err=True)
    if in_github_actions():
        _tell_github(folder, places, command)


def leave_junit(folders: Sequence[Path], wishes: Wishes) -> int:
    """Write all runs of a command into one JUnit file, where one is asked for.

    Returns:
        The exit code that this adds: what was asked for by name and is not there is an error.
    """
    if wishes.junit is None or not folders:
        return 0
    reports = write_junit(wishes.junit.absolute(), folders)
    for fault in reports.faults:
        typer.echo(f"skillwalker: --junit: {fault}", err=True)
    return EXIT_UNWRITTEN if reports.faults else 0


def _warn(reports: Reports) -> None:
    for fault in reports.faults:
        typer.echo(f"warning: {fault}", err=True)


def _tell_github(folder: Path, places: Places, command: str | None) -> None:
    """Append the job summary, and write annotations to stderr: stdout is for results alone."""
    from skillwalker.recording.recorded import read_recorded
    from skillwalker.report.ci.github import annotations

    try:
        run = read_recorded(folder)
        path = job_summary()
        if path is not None:
            text = (folder / MARKDOWN).read_text(encoding="utf-8")
            with path.open("a", encoding="utf-8") as stream:
                stream.write(f"{text}\n")
    except (SkillwalkerError, OSError) as error:
        typer.echo(f"warning: no job summary: {words_with_path(error)}", err=True)
        return
    target = places.project / run.summary.target_path
    line = _description_line(run, target)
    file = _in_repository(target)
    for annotation in annotations(run, file=file, line=line, next_command=command):
        typer.echo(annotation, err=True)


def _description_line(run: "RecordedRun", path: Path) -> int | None:
    """Find the line of the target's description; None where it cannot be read."""
    from skillwalker.frontmatter.text import read_frontmatter
    from skillwalker.user_files import read_regular

    try:
        content = read_regular(path)
    except OSError:
        return None
    span = read_frontmatter(content, run.summary.target_kind, Position(run.summary.position)).span
    return None if span is None else content[: span[0]].count(b"\n") + 1


def _in_repository(path: Path) -> str:
    """Write a path as GitHub knows it: from the root of the repository that holds it."""
    root = next((parent for parent in path.parents if (parent / REPOSITORY).exists()), None)
    return (path if root is None else path.relative_to(root)).as_posix()
