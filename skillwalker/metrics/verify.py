"""Runs a verification command several times and says what it measured.

A run that crashed, timed out or gave no number is left out of the median and told; what is left
is sorted and the middle taken, the upper one of two.

Source: the metric-runner skill of ponderingBGI/ralph-loop-pp (baseline of three runs).
"""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from skillwalker.datatypes.metrics import CommandRun, Goal, Verification
from skillwalker.faults import quoted
from skillwalker.metrics.command import CommandEnd, run_command
from skillwalker.metrics.extract import choose_primary, normal_name, read_metric_lines
from skillwalker.metrics.json_result import find_json_result, read_json_result

BASELINE_RUNS = 3
TIMEOUT = 300.0
"""Seconds of one run."""
_SHOWN = 100
"""Characters of an output that a message quotes. Source: the seed's `substring(0, 100)`."""


async def verify(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    runs: int = BASELINE_RUNS,
    wall: float = TIMEOUT,
    primary: str | None = None,
) -> Verification:
    """Run a command and read its results; a failure of the command is a value.

    Args:
        argv: program and arguments; no shell.
        env: the whole environment.
        cwd: the working folder.
        runs: how often; a program that cannot be started is tried once.
        wall: seconds of one run, after which its whole process tree is ended.
        primary: the metric that is asked for; missing, the run counts as crashed.
    """
    found: list[CommandRun] = []
    for _ in range(runs):
        try:
            end = await run_command(argv, env=env, cwd=cwd, wall=wall)
        except OSError as error:
            why = f"{quoted(argv[0])} cannot be started in {cwd} ({error.strerror})"
            found.append(CommandRun(success=False, error=f"{why}; check the command"))
            break
        found.append(read_end(end, wall=wall, primary=primary))
    return Verification(runs=tuple(found))


def read_end(end: CommandEnd, *, wall: float, primary: str | None) -> CommandRun:
    """Say what one run of a command means (pure)."""
    if end.exit_code is None:
        return CommandRun(success=False, error=f"timed out after {wall:g} seconds")
    if end.exit_code != 0:
        return CommandRun(success=False, error=_crash(end))
    lines = read_metric_lines(end.output)
    found = find_json_result(end.output)
    if lines and (found is None or found[1] != "stdout"):
        return _from_lines(end.output, primary)
    if found is None:
        start = end.output[:_SHOWN]
        return CommandRun(success=False, error=f"invalid JSON output: {quoted(start)}")
    return _named(read_json_result(*found), primary)


def describe_failures(verification: Verification, goal: Goal | None) -> str | None:
    """Say in one line what went wrong; None when nothing did."""
    failed = verification.failed
    if not failed:
        lacks = goal is not None and verification.median is None
        return "the command gave no number to compare with the goal" if lacks else None
    first = failed[0].error or "it gave no number"
    if len(verification.runs) == 1:
        return first
    return f"{len(failed)} of {len(verification.runs)} runs failed; the first: {first}"


def _crash(end: CommandEnd) -> str:
    """Say how a command crashed, with its own words where it has any."""
    code = end.exit_code or 0
    how = f"crashed with exit code {code}" if code > 0 else f"was killed by signal {-code}"
    found = find_json_result(end.output)
    told = read_json_result(*found).error if found is not None else None
    last = next((line for line in reversed(end.stderr.splitlines()) if line.strip()), "")
    words = told or last.strip()
    return f"{how}: {quoted(words)}" if words else how


def _from_lines(output: str, primary: str | None) -> CommandRun:
    """Read METRIC lines; one that stands alone needs no name."""
    lines = read_metric_lines(output)
    if primary is None and len(lines) == 1:
        primary = lines[0].name
    extraction = choose_primary(lines, primary)
    names = ", ".join(quoted(metric.name) for metric in lines)
    if primary is None:
        return CommandRun(
            success=False,
            error=f"several METRIC lines ({names}); name the one that counts by --primary",
        )
    if extraction.primary is None:
        return CommandRun(
            success=False, error=f"the metric {quoted(primary)} is missing; there is {names}"
        )
    return CommandRun(
        success=True,
        value=extraction.primary.value,
        name=extraction.primary.name,
        unit=extraction.primary.unit,
        read_from="METRIC lines",
        secondaries=extraction.secondaries,
    )


def _named(run: CommandRun, primary: str | None) -> CommandRun:
    """Give a result the name that was asked for; another one's number is not its."""
    if primary is None or not run.success:
        return run
    if run.name is not None and run.name != normal_name(primary):
        error = f"the metric {quoted(primary)} is missing; there is {quoted(run.name)}"
        return CommandRun(success=False, error=error)
    if run.value is None:
        return CommandRun(success=False, error=f"the metric {quoted(primary)} is missing")
    return dataclasses.replace(run, name=normal_name(primary))
