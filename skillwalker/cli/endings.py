"""What a user is told when a run of the loop has ended: exit code, and the command to give now."""

from dataclasses import dataclass
from pathlib import Path

from skillwalker.cli.process import EXIT_INTERRUPTED
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.report.console import Reporter

EXIT_INCONCLUSIVE = 3
EXIT_GATE = 4
ENDED_EARLY = frozenset(
    {
        StopReason.BUDGET,
        StopReason.DEADLINE,
        StopReason.INTERRUPTED,
        StopReason.RATE_LIMIT,
        StopReason.UNDECIDED,
    }
)
"""Why a run stops with work left that a later life can do."""


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


def exit_code(summary: Summary, wishes: Wishes) -> int:
    """Say how a run ended in one number (see `skillwalker.cli.main`)."""
    if summary.stopped_because is StopReason.INTERRUPTED:
        return EXIT_INTERRUPTED
    if summary.verdict is Verdict.INCONCLUSIVE:
        return EXIT_INCONCLUSIVE
    dropped = False
    if wishes.fail_on_drop is not None and summary.against is not None:
        fell = summary.against.fell_by(wishes.fail_on_drop)
        if fell is None:
            return EXIT_INCONCLUSIVE
        dropped = fell
    rate = summary.rate_in_file.rate if summary.rate_in_file is not None else None
    too_low = wishes.fail_under is not None and (rate is None or rate < wishes.fail_under)
    unimproved = wishes.require_improvement and summary.verdict is not Verdict.IMPROVED
    return EXIT_GATE if too_low or unimproved or dropped else 0


def show_final(reporter: Reporter, summary: Summary, folder: Path, wishes: Wishes) -> None:
    """Show how a run ended and what a user would do now."""
    reporter.final(
        summary, folder=short_path(folder), next_command=next_command(summary, quiet=wishes.quiet)
    )


def resume_command(run_kind: str, run_id: str) -> str:
    """Write the command that goes on with a run."""
    command = "skillwalker measure" if run_kind == "measure" else f"{run_kind} run"
    return f"{command} --resume {run_id}"


def _is_unfinished(summary: Summary) -> bool:
    """Whether going on with a run could say more than it said."""
    match summary.stopped_because:
        case StopReason.PREFLIGHT:
            return summary.iterations > 0
        case StopReason.IMPROVER:
            return summary.cause is not None
        case reason:
            return reason in ENDED_EARLY


def next_command(summary: Summary, *, quiet: bool) -> str | None:
    """Name the command that a user would give now."""
    if summary.applied:
        return f"skillwalker undo {summary.run_id}   (puts the old bytes back)"
    if summary.improved:
        allow = " --allow-simulated" if summary.simulated else ""
        if summary.metrics_forbid is not None:
            allow += " --force   (although a metric got worse)"
        return f"skillwalker apply {summary.run_id}{allow}"
    if _is_unfinished(summary):
        return f"{resume_command(summary.kind, summary.run_id)}{_to_raise(summary)}"
    if summary.verdict is Verdict.INCONCLUSIVE or quiet:
        return None
    if _may_be_luck(summary):
        command = resume_command(summary.kind, summary.run_id)
        return f"{command} --more N   (N further confirm rounds)"
    case = "CASE"
    return f"skillwalker trial {summary.run_id} {case}   (what Claude did in a case)"


def _may_be_luck(summary: Summary) -> bool:
    """Whether more rounds may show that a text which did better is better."""
    gate = summary.gate
    return gate is not None and not gate.passed and gate.rounds > 0 and (gate.change or 0.0) > 0


def _to_raise(summary: Summary) -> str:
    """Name the limit that has to be raised for a run to go on, and what would do."""
    match summary.limit:
        case "--max-cost-usd":
            spent = sum(total.cost_usd for _, total in summary.usage)
            return f" --max-cost-usd N   (N: more than {spent:.2f})"
        case "--max-pause":
            return "   (when the limit is over, or with a longer --max-pause)"
        case "--deadline":
            return "   (with another --deadline, or none)"
        case _ if summary.stopped_because is StopReason.BUDGET:
            return f" --max-trials N   (N: more than {summary.trials})"
        case _:
            return ""


def short_path(path: Path) -> str:
    """Write a path relative to the current folder where it lies inside."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
