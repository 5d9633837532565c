"""How a run ended, in words: what was found, what cut it short, what was refused (pure)."""

from shlex import quote

from skillwalker.datatypes.scores import GateResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.paths import in_project
from skillwalker.report.next_step import ROUNDS_WILL_NOT_DO, resume_command
from skillwalker.report.wording import (
    STOPS,
    change,
    changes,
    holds_nothing,
    is_too_sure,
    likelihood,
    points_within,
    probability,
    sentence,
)

CUT_SHORT = frozenset(
    {StopReason.BUDGET, StopReason.DEADLINE, StopReason.RATE_LIMIT, StopReason.INTERRUPTED}
)
"""Ends that may leave rounds undone that were asked for."""


def verdict(summary: Summary, *, project: str | None = None) -> str:
    """Say how a run ended; what an interval that holds 0 means stands before any probability.

    Args:
        summary: of the run.
        project: how the user named it after `-C`; None where it was found.
    """
    return f"{summary.target}: {_ending(summary, project)}"


def _ending(summary: Summary, project: str | None) -> str:
    """Say how a run ended, without its target."""
    match summary.verdict:
        case Verdict.INCONCLUSIVE:
            return f"inconclusive, {_stop(summary)}."
        case Verdict.IMPROVED if summary.gate is not None:
            return f"{_improved(summary, summary.gate, project)}{_afterwards(summary)}"
        case Verdict.IMPROVED:
            text = "a better score was found; no gate was asked for, so it is unconfirmed."
            return f"{text}{_afterwards(summary)}"
        case Verdict.KEPT if summary.kind == "measure":
            ended = summary.stopped_because is StopReason.ITERATIONS
            return "measured." if ended else f"measured, until {_stop(summary)}."
        case Verdict.KEPT:
            return _kept(summary, project)


def _stop(summary: Summary) -> str:
    """Say why a run ended, and the cause where one is known."""
    cause = f": {summary.cause}" if summary.cause else ""
    return f"{STOPS[summary.stopped_because]}{cause}"


def _improved(summary: Summary, gate: GateResult, project: str | None) -> str:
    """Say by how much a text is better."""
    lost = _lost_classes(gate)
    if not holds_nothing(gate.interval):
        return f"improved, {change(gate)}{likelihood(gate.p_better, gate.interval)}{lost}."
    rounds = "one confirm round" if gate.rounds == 1 else f"{gate.rounds} confirm rounds"
    text = (
        f"improved, but the 90 % interval holds 0: {change(gate)}{lost}."
        f" After {rounds} P(better) {probability(gate.p_better)}"
        f" {'is too sure' if is_too_sure(gate.p_better, gate.interval) else 'shows little'}"
    )
    if summary.applied:
        return f"{text}."
    return f"{text}; {_to_show_more(summary, gate, project)}."


def _to_show_more(summary: Summary, gate: GateResult, project: str | None) -> str:
    """Say what it would take to show more than little, and how to go on where that would do."""
    if ROUNDS_WILL_NOT_DO in gate.advice:
        return gate.advice
    advice = gate.advice or "more rounds tell more, and are another look, which asks more"
    return f"{advice} ({resume_command(summary.kind, summary.run_id, project=project)} --more N)"


def _kept(summary: Summary, project: str | None) -> str:
    """Say why the original stays."""
    if summary.gate is not None:
        return f"original kept. {sentence(summary.gate.reason)}{_afterwards(summary)}"
    if summary.best_iteration != 1:
        return (
            f"original kept. Iteration {summary.best_iteration} scored better in the search, but"
            f" {_stop(summary)} before it was confirmed."
        )
    if summary.iterations <= 1:
        why = (
            _too_small(summary, project)
            if summary.stopped_because is StopReason.UNRESOLVED
            else _stop(summary)
        )
        return f"original kept; no other text was measured: {why}."
    return f"original kept; no candidate scored better, and {_stop(summary)}."


def _too_small(summary: Summary, project: str | None) -> str:
    """Say what lets a race search that could not; its number of trials is settled for a run."""
    anew = f"{summary.kind} run --eval {quote(summary.suite)} --search race --max-trials N"
    return (
        "the budget is too small for one, and a resumed run keeps its own. A new run with more"
        f" trials can search: {in_project(anew, project)}, with the other options of this one"
    )


def _lost_classes(gate: GateResult) -> str:
    """Name what a text that passed loses all the same; empty when nothing fell."""
    fell = [
        f"{name} {points_within(by, interval)}"
        for name, by, interval in changes(gate)[:2]
        if by is not None and round(100 * by) < 0
    ]
    return f"; {' and '.join(fell)}, within --max-loss by the posterior median" if fell else ""


def _afterwards(summary: Summary) -> str:
    """Say what came between a result and its end: a limit, or a file that cannot be written."""
    parts = []
    if summary.stopped_because in CUT_SHORT:
        parts.append(sentence(f"it went no further, for {_stop(summary)}"))
    if summary.not_written is not None:
        parts.append(sentence(f"it could not be written: {summary.not_written}"))
    return "".join(f" {part}" for part in parts)
