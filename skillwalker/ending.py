"""What a run leaves when its loop is over: summary, written description, lock entry, in this order.

A run may be killed between any two of them; `catch_up` notes what is missing then.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.scores import sum_usage
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import Outcome, Purpose, StopReason
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import SkillwalkerError, StoreError, TargetError
from skillwalker.loop import MeasuredRun
from skillwalker.paths import Places
from skillwalker.plan import Order, Plan, plan_order
from skillwalker.recording import edits
from skillwalker.recording.best import mark_applied
from skillwalker.recording.frozen import Foundation, Record, has_ended
from skillwalker.recording.memory import remember
from skillwalker.recording.rows import clear_unfinished, write_atomically
from skillwalker.recording.store import PLAN, SUMMARIES
from skillwalker.recording.store import read_summary as read_summary_row
from skillwalker.recording.summary_ahead import drop_summary, settle_summary
from skillwalker.recording.summary_records import read_summary
from skillwalker.verdict import summarise

FINISHED = frozenset(
    {StopReason.PERFECT, StopReason.ITERATIONS, StopReason.CONVERGED, StopReason.UNRESOLVED}
)


def conclude(
    plan: Plan,
    measured: MeasuredRun,
    facts: EngineFacts,
    foundation: Foundation,
    *,
    project: Path,
    approve: Callable[[Summary], bool],
    warn: Callable[[str], None],
) -> Summary:
    """Record how a run ended, and write an improved description if that is approved.

    A later life that measured nothing takes nothing from what an earlier one recorded. A file that
    cannot be written costs nothing of the result: the summary says so.

    Args:
        plan: what was to be done.
        measured: what was.
        facts: of the engine.
        foundation: of the run.
        project: whose lock file remembers it.
        approve: whether an improved result may be written.
        warn: is told what could not be remembered.

    Returns:
        The summary as it was written.

    Raises:
        StoreError: the result cannot be recorded.
    """
    summary = _summarise(plan, measured, foundation, facts)
    counts = bool(measured.history.iterations) or not foundation.is_resumed
    if counts:
        foundation.store.write_summary(summary)
    stopped = summary.stopped_because is StopReason.INTERRUPTED
    may_be_written = summary.improved and not stopped
    if may_be_written and summary.metrics_forbid is not None:
        if plan.kind != "measure":  # which writes nothing anyway
            warn(f"nothing was written: {summary.metrics_forbid}")
    elif may_be_written and approve(summary):
        applied = _summarise(plan, measured, foundation, facts, applied=True)
        refusal = _write(plan, applied, foundation, project)
        summary = applied if refusal is None else replace(summary, not_written=refusal)
        if refusal is not None:
            foundation.store.write_summary(summary)
    _remember(project, plan, summary, warn)
    if counts:
        foundation.end()
    return summary


def catch_up(
    folder: Path, record: Record, order: Order, places: Places, *, warn: Callable[[str], None]
) -> Summary:
    """Note what a run that was killed after it wrote its description had not noted yet.

    Args:
        folder: of the run.
        record: its run.json.
        order: what it was asked.
        places: the project.
        warn: is told what could not be remembered.

    Raises:
        StoreError: the run cannot be read or written.
    """
    settle_summary(folder, order.run_kind)
    mark_applied(folder, applied=True)
    summary = read_summary(read_summary_row(folder))
    try:
        plan = plan_order(order, places, listing_budget=record["listing_budget"])
    except SkillwalkerError as error:
        warn(f"skillwalker.lock was not updated: {error}")
    else:
        began = replace(plan.target, description=summary.original_description)
        plan = replace(plan, target=began, more=order.more, cli_version=summary.cli_version)
        _remember(places.project, plan, summary, warn)
    # What the record holds was cleared of secrets when it was written first.
    text = json.dumps({**record, "ended": True}, ensure_ascii=False, indent=2) + "\n"
    write_atomically(folder / PLAN, text.encode("utf-8", "backslashreplace"))
    return summary


def find_end(
    folder: Path, record: Record, order: Order, places: Places, *, warn: Callable[[str], None]
) -> Summary | None:
    """Give the summary of a run that came to its end; None when there is something left to do.

    A run that was killed when its description was written is noted as written, and what it was
    about to write when it was killed is cleared away.

    Args:
        folder: of the run.
        record: its run.json.
        order: what it was asked.
        places: the project.
        warn: is told what could not be remembered.

    Raises:
        StoreError: the run cannot be read or written.
    """
    for place in (folder, *folder.glob(f"{edits.ORIGINALS}/*/")):
        clear_unfinished(place)
    if not any((folder / name).is_file() for name in SUMMARIES):
        return None
    summary = read_summary(read_summary_row(folder))
    if not _is_final(summary):
        return None
    is_noted = summary.applied and has_ended(folder)
    written = map(edits.stands, edits.read_edits(folder, places.project))
    if summary.improved and not is_noted and any(written):
        return catch_up(folder, record, order, places, warn=warn)
    return summary if has_ended(folder) else None


def _is_final(summary: Summary) -> bool:
    """Whether a search came to its end; an improver that could not be asked may answer later."""
    refused = summary.stopped_because is StopReason.IMPROVER and summary.cause is None
    return refused or summary.stopped_because in FINISHED


def _summarise(
    plan: Plan,
    measured: MeasuredRun,
    foundation: Foundation,
    facts: EngineFacts,
    *,
    applied: bool = False,
) -> Summary:
    """Make the summary, with the trials and the money of every call that is on the disk."""
    store = foundation.store
    calls = tuple(store.calls())
    usage = tuple(
        (purpose.value, sum_usage(used for of, _, used in calls if of is purpose))
        for purpose in Purpose
    )
    summary = summarise(plan, measured, run_id=store.run_id, facts=facts, applied=applied)
    return replace(
        summary,
        # Also those of a text that stood there before a change that was accepted: they were paid.
        trials=len(store.trials),
        undecided=sum(trial.outcome is Outcome.UNDECIDED for trial in store.trials),
        usage=usage,
        reused=len(measured.reused),
        reused_from=tuple(sorted({one.run_id for one in store.warm.taken})),
        accepted_changes=foundation.accepted,
    )


def _write(plan: Plan, summary: Summary, foundation: Foundation, project: Path) -> str | None:
    """Write the best description, with the summary that holds then at hand; say what forbids it."""
    store = foundation.store
    store.write_summary(summary, ahead=True)
    allow = " --allow-simulated" if summary.simulated else ""
    remedy = (
        f"'skillwalker apply {store.run_id}{allow} --force' writes the description into it as it"
        " is now"
    )
    try:
        edits.write_recorded(
            store.folder, plan.target, summary.best_description, project=project, remedy=remedy
        )
    except (TargetError, StoreError) as error:
        drop_summary(store.folder, summary.kind)
        return str(error)
    settle_summary(store.folder, summary.kind)
    return None


def _remember(project: Path, plan: Plan, summary: Summary, warn: Callable[[str], None]) -> None:
    """Put what the run found into the project's lock file; a run is not lost for it."""
    try:
        remember(project, plan, summary)
    except SkillwalkerError as error:
        warn(f"skillwalker.lock was not updated: {error}")
