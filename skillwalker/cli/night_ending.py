"""What a night leaves for people and for CI when it has ended; no fault of it ends the night."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from skillwalker.cli import saying
from skillwalker.cli.endings import again, short_path
from skillwalker.cli.environment import in_github_actions, job_summary, plain_width
from skillwalker.datatypes.nights import NightSummary
from skillwalker.overnight.summary import night_exit_code, summary_record
from skillwalker.recording.night_files import NIGHT_REPORT
from skillwalker.report.ci.night import night_markdown
from skillwalker.report.night_text import night_lines, night_table, told_targets
from skillwalker.user_files import words_with_path


@dataclass(frozen=True, slots=True, kw_only=True)
class NightWishes:
    """What a user wants done with a night's results."""

    apply: bool
    allow_simulated: bool
    html: bool
    quiet: bool
    debug: bool
    as_json: bool


def conclude(
    summary: NightSummary,
    folder: Path,
    wishes: NightWishes,
    *,
    is_merged: bool = False,
    project: str | None = None,
) -> int:
    """Show how a night ended, and leave its report; give the exit code."""
    wished = again(apply=wishes.apply, allow_simulated=wishes.allow_simulated)
    text = night_markdown(
        summary, folder=folder.name, is_merged=is_merged, project=project, wished=wished
    )
    _leave("report", folder / NIGHT_REPORT, text, mode="w")
    if in_github_actions() and (path := job_summary()) is not None:
        _leave("job summary", path, f"{text}\n", mode="a")
    width = None if sys.stderr.isatty() else plain_width()
    if not wishes.quiet and told_targets(summary):
        console = Console(file=sys.stderr, highlight=False, width=width)
        console.print(night_table(summary, width=console.width))
    where = short_path(folder)
    lines = night_lines(summary, folder=where, is_merged=is_merged, project=project, wished=wished)
    for line in lines:
        say(line)
    if summary.simulated and wishes.apply and not wishes.allow_simulated:
        say("nothing was written: the results are simulated (--allow-simulated writes)")
    if wishes.as_json:
        typer.echo(json.dumps(summary_record(summary), ensure_ascii=False, indent=2))
    return night_exit_code(summary)


def _leave(what: str, path: Path, text: str, *, mode: Literal["w", "a"]) -> None:
    """Write what is only for people; the night is recorded without it."""
    try:
        with path.open(mode, encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError as error:
        say(f"warning: no {what}: {words_with_path(error)}")


def say(line: str) -> None:
    """Tell people; stdout is for results alone."""
    saying.say(line, err=True)
