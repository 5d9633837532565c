"""The command that a user would give when a run of the loop has ended (pure)."""

from math import fsum

from skillwalker.budget.money import up_to_cents
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.paths import in_project

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
SIMULATED, CONFIRM = "simulated", "confirm"
ROUNDS_WILL_NOT_DO = "more rounds of these will not do"
"""What a gate's reason says where only more cases can show a change."""
WAITS = "a better text that is not written"
"""What the reason says for which a target is not searched that an earlier run has improved."""
CHANGED = ("changed since it was read", "changed by someone else", "else changed it since")
"""What a refusal to write says where somebody changed the file."""


def resume_command(run_kind: str, run_id: str, *, project: str | None = None) -> str:
    """Write the command that goes on with a run."""
    command = "skillwalker measure" if run_kind == "measure" else f"{run_kind} run"
    return in_project(f"{command} --resume {run_id}", project)


def _is_unfinished(summary: Summary) -> bool:
    """Whether going on with a run could say more than it said."""
    match summary.stopped_because:
        case StopReason.PREFLIGHT:
            return summary.iterations > 0
        case StopReason.IMPROVER:
            return summary.cause is not None
        case reason:
            return reason in ENDED_EARLY


def next_command(
    summary: Summary, *, quiet: bool, project: str | None = None, wished: str = ""
) -> str | None:
    """Name the command that a user would give now; None where there is nothing to do.

    Args:
        summary: of the run.
        quiet: whether a mere look at the trials goes without saying.
        project: how the user named it after `-C`; None where it was found.
        wished: options that a later life is to be given again, as ` --apply`.
    """
    run_id = summary.run_id
    if summary.applied:
        command = in_project(f"skillwalker undo {run_id}", project)
        return f"{command}   (puts the old bytes back)"
    if summary.improved:
        return _real_first(summary, write_command(summary, project), project)
    resume = resume_command(summary.kind, run_id, project=project)
    if _is_unfinished(summary):
        return f"{resume}{wished}{_to_raise(summary)}"
    if summary.verdict is Verdict.INCONCLUSIVE or quiet:
        return None
    if _may_be_luck(summary):
        command = f"{resume} --more N   (N further confirm rounds{_of_a_round(summary)})"
    else:
        command = in_project(f"skillwalker trial {run_id} CASE", project)
        command += "   (what Claude did in a case)"
    return _real_first(summary, command, project)


def write_command(summary: Summary, project: str | None) -> str:
    """Name how the best text of a run is written.

    Args:
        summary: of the run, which improved its target.
        project: how the user named it after `-C`; None where it was found.
    """
    allow = " --allow-simulated" if summary.simulated else ""
    if summary.not_written is not None and is_of_change(summary.not_written):
        allow += " --force   (writes it into the file as it is now)"
    if summary.metrics_forbid is not None:
        allow += " --force   (although a metric got worse)"
    return in_project(f"skillwalker apply {summary.run_id}{allow}", project)


def is_of_change(refusal: str) -> bool:
    """Say whether a text was not written because its file changed: `--force` helps then alone."""
    return any(words in refusal for words in CHANGED)


def _real_first(summary: Summary, command: str, project: str | None) -> str:
    """Put before a command that what was simulated can be run for real."""
    if not summary.simulated:
        return command
    lacks = "--engine simulated" if summary.engine == SIMULATED else "the stand-in's endpoint"
    doctor = in_project("skillwalker doctor", project)
    real = f"the same without {lacks}, for a real result ({doctor} says what that needs)"
    return f"{real}; or {command}"


def _may_be_luck(summary: Summary) -> bool:
    """Whether more rounds may show that a text which did better is better."""
    gate = summary.gate
    if gate is None or gate.passed or gate.rounds == 0 or (gate.change or 0.0) <= 0:
        return False
    return ROUNDS_WILL_NOT_DO not in gate.reason


def _of_a_round(summary: Summary) -> str:
    """Say how many trials a confirm round takes, where it is known."""
    if summary.gate is None or summary.original is None or summary.measured_on != CONFIRM:
        return ""
    of_original = summary.original.recall.n + summary.original.specificity.n
    return f", about {round(2 * of_original / summary.gate.rounds)} trials each"


def _to_raise(summary: Summary) -> str:
    """Name the limit that has to be raised for a run to go on, and what would do."""
    limit = summary.limit
    if limit is None and summary.stopped_because is StopReason.BUDGET:
        limit = "--max-trials"
    totals = [total for _, total in summary.usage]
    return to_raise(
        limit,
        trials=summary.trials,
        spent_usd=fsum(total.cost_usd for total in totals),
        unknown_calls=sum(total.cost_unknown_calls for total in totals),
        refused_usd=summary.refused_usd,
    )


def to_raise(
    limit: str | None,
    *,
    trials: int,
    spent_usd: float,
    unknown_calls: int,
    refused_usd: float | None,
) -> str:
    """Write how a limit has to be raised for a run or a night to go on, behind its command.

    Args:
        limit: the option that sets it; None where none has to be raised.
        trials: that were spent.
        spent_usd: US dollars that were spent, as far as is known.
        unknown_calls: calls of unknown cost, each reckoned like the one that was refused.
        refused_usd: what the call that money forbade was reckoned at; None where nobody knows.
    """
    match limit:
        case "--max-cost-usd":
            least = up_to_cents(spent_usd + (1 + unknown_calls) * (refused_usd or 0.0))
            said = f"more than {least:.2f}" if not refused_usd else f"{least:.2f} for one more call"
            return f" --max-cost-usd N   (N: {said})"
        case "--max-pause":
            return "   (when the limit is over, or with a longer --max-pause)"
        case "--deadline":
            return "   (with another --deadline, or none)"
        case "--max-trials":
            return f" --max-trials N   (N: more than {trials})"
        case _:
            return ""
