"""The command that a user would give when a run of the loop has ended (pure)."""

from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict

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
