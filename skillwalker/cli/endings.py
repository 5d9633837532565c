"""What a user is told when a run of the loop has ended, and its exit code."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from skillwalker.cli.environment import plain_width
from skillwalker.cli.process import EXIT_GATE, EXIT_INCONCLUSIVE, EXIT_INTERRUPTED
from skillwalker.cli.saying import say
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.errors import SkillwalkerError, StoreError
from skillwalker.recording.recorded import read_recorded
from skillwalker.report.console import Reporter
from skillwalker.report.next_step import CONFIRM, next_command
from skillwalker.report.overview_text import overview_next, overview_table
from skillwalker.report.tables import Confirms
from skillwalker.report.tallies import confirm_counts, trials_of
from skillwalker.report.wording import SIMULATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a user wants done with a result."""

    as_json: bool
    quiet: bool
    debug: bool
    apply: bool = False
    allow_simulated: bool = False
    require_improvement: bool = False
    fail_under: float | None = None
    fail_on_drop: float | None = None
    """Points that balanced accuracy may not lose against an earlier run."""
    html: bool = True
    junit: Path | None = None
    brief: bool = False
    """Of each run only how it ended, for a table of all follows."""
    follows: bool = False
    """An earlier run of the command has told who answers and who pays."""


def exit_code(summary: Summary, wishes: Wishes, *, held: bool = True) -> int:
    """Say how a run ended in one number (see `skillwalker.cli.main`).

    Args:
        summary: of the run.
        wishes: what it is judged by.
        held: whether there was an earlier run to hold it against; the first of all has none.
    """
    if summary.stopped_because is StopReason.INTERRUPTED:
        return EXIT_INTERRUPTED
    if summary.not_written is not None:
        return SkillwalkerError.exit_code
    if summary.verdict is Verdict.INCONCLUSIVE:
        return EXIT_INCONCLUSIVE
    dropped = False
    if wishes.fail_on_drop is not None and held:
        found = summary.against
        fell = None if found is None else found.fell_by(wishes.fail_on_drop)
        if fell is None:
            return EXIT_INCONCLUSIVE
        dropped = fell
    rate = summary.rate_in_file.rate if summary.rate_in_file is not None else None
    if wishes.fail_under is not None and rate is None:
        return EXIT_INCONCLUSIVE
    too_low = wishes.fail_under is not None and rate is not None and rate < wishes.fail_under
    unimproved = wishes.require_improvement and summary.verdict is not Verdict.IMPROVED
    return EXIT_GATE if too_low or unimproved or dropped else 0


def show_final(
    reporter: Reporter, summary: Summary, folder: Path, wishes: Wishes, *, project: str | None
) -> None:
    """Show how a run ended and what a user would do now."""
    command = next_command(
        summary,
        quiet=wishes.quiet or wishes.brief,
        project=project,
        wished=again(apply=wishes.apply, allow_simulated=wishes.allow_simulated),
    )
    confirms, confirmed = _confirmed(summary, folder, wishes)
    reporter.final(
        summary,
        folder=short_path(folder),
        next_command=command,
        confirms=confirms,
        confirmed=confirmed,
        brief=wishes.brief,
        project=project,
    )
    if wishes.fail_under is not None and (fault := _nothing_to_compare(summary)) is not None:
        say(f"skillwalker: --fail-under: {fault}", err=True)


def _nothing_to_compare(summary: Summary) -> str | None:
    """Say why a run has no balanced accuracy that a rate could be held against."""
    rates = summary.best if summary.applied else summary.original
    if summary.rate_in_file is not None or rates is None:
        return None
    sides = (("should trigger", rates.recall), ("should not trigger", rates.specificity))
    lacking = [kind for kind, rate in sides if rate.rate is None]
    where = "" if lacking else " on the holdout side"
    kinds = " and none that ".join(lacking) or "should trigger, or none that should not,"
    return (
        f"{summary.target} (suite {summary.suite}) has no balanced accuracy, for no case that"
        f" {kinds} was decided{where}; add such cases"
    )


def again(*, apply: bool, allow_simulated: bool) -> str:
    """Write the options that a later life must be given to do with its results what was wished."""
    return (" --apply" if apply else "") + (" --allow-simulated" if allow_simulated else "")


def show_overview(summaries: Sequence[Summary], *, project: str | None) -> None:
    """Show what the runs of a command came to, weakest first, and what a user would do now."""
    width = None if sys.stderr.isatty() else plain_width()
    console = Console(file=sys.stderr, highlight=False, width=width, soft_wrap=width is not None)
    console.print(overview_table(summaries))
    for line in overview_next(summaries, project=project):
        say(line, err=True)
    if any(summary.simulated for summary in summaries):
        say(SIMULATED, err=True)


def _confirmed(
    summary: Summary, folder: Path, wishes: Wishes
) -> tuple[Confirms, tuple[Trial, ...]]:
    """Count the confirm rounds by case, and give those of the best text, where they are shown.

    None when they cannot be read.
    """
    if summary.measured_on != CONFIRM or wishes.quiet:
        return {}, ()
    try:
        run = read_recorded(folder)
    except StoreError:
        return {}, ()
    return confirm_counts(run), () if run.best is None else trials_of(run, run.best)


def short_path(path: Path) -> str:
    """Write a path relative to the current folder where it lies inside."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
