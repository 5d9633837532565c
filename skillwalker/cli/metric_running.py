"""What `metric run` and `metric extract` do once their options are read."""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import typer

from skillwalker.cli.environment import command_environment
from skillwalker.cli.options import GlobalOptions, open_project
from skillwalker.cli.process import EXIT_GATE, EXIT_INTERRUPTED
from skillwalker.cli.saying import say
from skillwalker.cli.signals import run_watched
from skillwalker.datatypes.metrics import (
    CommandRun,
    Direction,
    Extraction,
    Goal,
    HistoryEntry,
    MetricValue,
    Verification,
)
from skillwalker.errors import ConfigError, StoreError
from skillwalker.faults import quoted
from skillwalker.limits import Limits
from skillwalker.metrics.extract import choose_primary, normal_name, read_metric_lines
from skillwalker.metrics.history import HISTORY, Rows, append_row, read_rows
from skillwalker.metrics.rows import (
    history_row,
    known_secondaries,
    plain_number,
    read_history,
    stamp,
    with_known,
)
from skillwalker.metrics.verify import describe_failures, verify
from skillwalker.user_files import read_regular

SHELL = "/bin/sh"
STDIN = Path("-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to run and what to make of it."""

    argv: tuple[str, ...]
    goal: Goal | None
    runs: int
    wall: float
    """Seconds of one run."""
    primary: str | None
    keep: bool
    """Whether the result is noted in the project."""


def command_line(words: Sequence[str], *, shell: bool) -> tuple[str, ...]:
    """Give the program and its arguments; only `--shell` brings in a shell."""
    return (SHELL, "-c", " ".join(words)) if shell else tuple(words)


def goal(value: float | None, direction: str | None) -> Goal | None:
    """Read a goal.

    Raises:
        BadParameter: exit code 2; one half of it is missing or wrong.
    """
    if direction is not None and direction not in {*Direction}:
        raise typer.BadParameter(f"--direction must be increase or decrease; got {direction!r}")
    if (value is None) != (direction is None):
        raise typer.BadParameter("--goal N and --direction increase|decrease go together")
    if value is None or direction is None:
        return None
    if not math.isfinite(value):
        raise typer.BadParameter(f"--goal must be a finite number; got {value}")
    return Goal(value=value, direction=Direction(direction))


def seconds(value: float) -> float:
    """Check a time.

    Raises:
        BadParameter: exit code 2.
    """
    if not (math.isfinite(value) and value > 0):
        raise typer.BadParameter(f"--timeout must be more than 0 seconds; got {value:g}")
    return value


def run(ctx: typer.Context, task: Task, project: Path | None, *, as_json: bool) -> int:
    """Run a command, note and show its result, and give the exit code."""
    opened = open_project(ctx, project)
    named = project is not None or (
        isinstance(ctx.obj, GlobalOptions) and ctx.obj.project is not None
    )
    entries = read_rows(opened.places.project, HISTORY) if task.keep else None
    work = partial(
        verify,
        task.argv,
        env=command_environment(opened.settings.engine_env),
        cwd=opened.places.project if named else Path.cwd(),
        runs=task.runs,
        wall=task.wall,
        primary=task.primary,
    )
    # Cancelled, not interrupted: an exception at any instruction could leave the command running.
    verification = anyio.run(partial(run_watched, work, Limits(), at_once=True))
    if verification is None:
        raise typer.Exit(EXIT_INTERRUPTED)
    result = _result(task, verification)
    if as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        _show(task, verification)
    # What was measured is told by now, whatever becomes of the note.
    noted = entries is None or _note(task, verification, entries, opened.places.project)
    if not (result["success"] and noted):
        return 1
    return EXIT_GATE if result["goal_achieved"] is False else 0


def _note(task: Task, verification: Verification, entries: Rows, project: Path) -> bool:
    """Note a result in the project's history; say why it could not be."""
    for line in entries.left_out:
        say(f"warning: {line}", err=True)
    try:
        entry = _entry(task, verification, read_history(entries.rows))
        append_row(project, HISTORY, history_row(entry))
    except StoreError as error:
        say(f"skillwalker: the result is not in the history: {error}", err=True)
        return False
    return True


def extract(file: Path | None, primary: str | None, *, as_json: bool) -> int:
    """Read METRIC lines, show them, and give the exit code."""
    found = choose_primary(read_metric_lines(_text_of(file)), primary)
    if as_json:
        typer.echo(json.dumps(_extraction_json(found), ensure_ascii=False))
    else:
        everything = (*([found.primary] if found.primary else []), *found.secondaries)
        for metric in everything:
            say(_words(metric.name, metric.value, metric.unit))
    if primary is not None and found.primary is None:
        names = ", ".join(quoted(metric.name) for metric in found.secondaries)
        there = f"there is {names}" if names else "there is no METRIC line at all"
        say(f"skillwalker: the primary metric {quoted(primary)} is missing; {there}", err=True)
        return 1
    return 0


def _text_of(file: Path | None) -> str:
    """Read an output.

    Raises:
        ConfigError: the file cannot be read.
    """
    if file is None or file == STDIN:
        content = sys.stdin.buffer.read()
    else:
        try:
            content = read_regular(file)
        except OSError as error:
            raise ConfigError(
                f"{file}: cannot be read ({error.strerror}); check the path"
            ) from error
    return content.decode("utf-8-sig", errors="replace")


def _extraction_json(found: Extraction) -> dict[str, object]:
    everything = (*([found.primary] if found.primary else []), *found.secondaries)
    return {
        "metric": plain_number(found.primary.value) if found.primary else None,
        "metrics": {metric.name: plain_number(metric.value) for metric in found.secondaries},
        "units": {metric.name: metric.unit for metric in everything if metric.unit},
    }


def _result(task: Task, verification: Verification) -> dict[str, object]:
    median = verification.median
    lacks = task.goal is not None and median is None
    success = verification.success and not lacks
    return {
        "success": success,
        "metric_value": plain_number(median.value) if median else None,
        "metric_name": _name(task, verification),
        "unit": median.unit if median else None,
        "goal_achieved": verification.meets(task.goal) if success else None,
        "runs": [_run_json(each) for each in verification.runs],
        "error": describe_failures(verification, task.goal),
    }


def _run_json(run: CommandRun) -> dict[str, object]:
    return {
        "success": run.success,
        "metric_value": plain_number(run.value),
        "metrics": {metric.name: plain_number(metric.value) for metric in run.secondaries},
        "read_from": run.read_from,
        "error": run.error,
    }


def _name(task: Task, verification: Verification) -> str | None:
    named = (run.name for run in (verification.median, *verification.runs) if run is not None)
    asked = None if task.primary is None else normal_name(task.primary)
    return next((name for name in named if name is not None), asked)


def _entry(task: Task, verification: Verification, past: Sequence[HistoryEntry]) -> HistoryEntry:
    """Make the record of a run, with every secondary metric that earlier ones had."""
    median, name = verification.median, _name(task, verification)
    result = _result(task, verification)
    measured: tuple[MetricValue, ...] = median.secondaries if median else ()
    return HistoryEntry(
        timestamp=stamp(datetime.now(UTC)),
        iteration=1 + sum(entry.name == name for entry in past),
        name=name,
        value=median.value if median else None,
        success=result["success"] is True,
        goal=task.goal,
        goal_achieved=verification.meets(task.goal) if result["success"] else None,
        runs=len(verification.runs),
        error=describe_failures(verification, task.goal),
        secondaries=with_known(measured, known_secondaries(past, name)),
    )


def _show(task: Task, verification: Verification) -> None:
    median, result = verification.median, _result(task, verification)
    if result["error"]:
        say(f"{'warning' if result['success'] else 'failed'}: {result['error']}", err=True)
    if median is not None:
        count = len(verification.measured)
        times = f"median of {count} runs" if count > 1 else "one run"
        name = _name(task, verification) or "metric"
        say(f"{_words(name, median.value, median.unit)} ({times})")
        for metric in median.secondaries:
            say(f"  {_words(metric.name, metric.value, metric.unit)}")
    elif result["success"]:
        say("success")
    if task.goal is not None and median is not None:
        bound = "at most" if task.goal.direction is Direction.DECREASE else "at least"
        verdict = "reached" if result["goal_achieved"] else "missed"
        say(f"goal {bound} {task.goal.value:g}: {verdict}")


def _words(name: str, value: float | None, unit: str | None) -> str:
    number = "n/a" if value is None else str(plain_number(value))
    return f"{name} {number} {unit or ''}".rstrip()
