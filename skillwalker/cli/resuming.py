"""--resume: go on with a recorded run in its own folder, as it was asked."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import typer

from skillwalker.cli import caps, ordering, running
from skillwalker.cli.endings import Wishes, exit_code, show_final
from skillwalker.cli.environment import plain_width
from skillwalker.cli.given import given_options, refuse_settled
from skillwalker.cli.leaving import leave_junit, leave_reports
from skillwalker.cli.loop_options import LimitOptions, TrialOptions
from skillwalker.cli.options import Project
from skillwalker.cli.saying import say
from skillwalker.datatypes.summary import Summary, Warned
from skillwalker.ending import find_end
from skillwalker.errors import StoreError
from skillwalker.paths import in_project
from skillwalker.plan import FurtherRounds, Order
from skillwalker.recording.frozen import Earlier, Record, read_frozen
from skillwalker.recording.store import find_run
from skillwalker.recording.store import read_summary as read_summary_row
from skillwalker.report import wording
from skillwalker.report.against_text import against_lines
from skillwalker.report.console import Reporter
from skillwalker.report.next_step import resume_command

MAY_BE_GIVEN = frozenset(
    {"resume", "more", "accept_changes", "concurrency", "apply", "allow_simulated"}
    | {"max_trials", "max_cost_usd", "deadline", "max_pause"}
    | {"require_improvement", "fail_under", "fail_on_drop", "junit", "no_html", "quiet", "debug"}
    | {"project", "as_json"}
)
"""Parameters that change nothing of what is measured; all others are those of the run."""


def resume(
    ctx: typer.Context,
    opened: Project,
    run_id: str,
    *,
    run_kind: str,
    concurrency: int,
    limits: LimitOptions,
    accept_changes: bool,
    more: int | None,
    wishes: Wishes,
) -> int:
    """Go on with a run, add to a finished one, or print it again; give the exit code.

    Raises:
        BadParameter: a flag was given that the run has settled; exit code 2.
        StoreError: there is no such run, it is of another kind, what it depended on changed, or
            there is nothing that further rounds could decide.
    """
    given = given_options(ctx)
    refuse_settled(
        ctx,
        given,
        may_be_given=MAY_BE_GIVEN,
        beside="--resume",
        why="a run goes on as it was asked; start a new one to change that",
    )
    folder = find_run(opened.places.output_dir, run_id)
    record, order = read_frozen(folder)
    if order.run_kind != run_kind:
        right = resume_command(order.run_kind, folder.name, project=opened.places.said)
        raise StoreError(f"run {folder.name} is a run of {order.run_kind}: {right}")
    _require_compared(wishes, order, folder.name)
    late: list[str] = []
    summary = find_end(folder, record, order, opened.places, warn=late.append)
    further = None if more is None else _further(more, summary, record, order, opened.places.said)
    to_apply = wishes.apply and summary is not None and summary.improved and not summary.applied
    if summary is not None and further is None and not to_apply:
        return _show_again(summary, folder, opened, wishes, late)
    changed: dict[str, object] = {
        "concurrency": concurrency,
        "max_trials": limits.max_trials,
        "max_cost_usd": limits.max_cost_usd,
        "max_pause": caps.max_pause(opened, limits),
    }
    settings = {name: value for name, value in changed.items() if name in given}
    order = replace(
        order,
        config=ordering.checked_config(**{**asdict(order.config), **settings}),
        engine_why=f"resuming run {folder.name}",
    )
    machinery = _machinery(opened, order, record)
    earlier = Earlier(folder=folder, record=record, accept_changes=accept_changes, more=further)
    shared = caps.open_limits(opened, limits, order.config, machinery.choice, machinery.improver)
    return running.run((order,), opened, machinery, wishes, shared, earlier)


def _machinery(opened: Project, order: Order, record: Record) -> ordering.Machinery:
    """Choose engine and improver as the run did, with its listing."""
    machinery = ordering.machinery(
        opened,
        TrialOptions(
            engine=order.engine,  # type: ignore[arg-type]  # a recorded name was a choice once
            concurrency=order.config.concurrency,
            claude=order.claude,
            listing=record["listing_mode"],
        ),
        improver=order.improver,
    )
    told = replace(machinery.settings, listing_budget=record["listing_budget"])
    return replace(machinery, settings=told)


def _require_compared(wishes: Wishes, order: Order, run_id: str) -> None:
    """Refuse to look for a drop in a run that is held against none.

    Raises:
        BadParameter: exit code 2.
    """
    if wishes.fail_on_drop is not None and order.against is None:
        raise typer.BadParameter(
            f"--fail-on-drop: run {run_id} is held against no earlier run; start a new one with"
            " --against, or leave --fail-on-drop out"
        )


def _further(
    rounds: int, summary: Summary | None, record: Record, order: Order, project: str | None
) -> FurtherRounds | None:
    """Say which confirm rounds are to be added; None where they were, and did not end.

    Raises:
        StoreError: the run did not come to its end, or further rounds could decide nothing.
    """
    run_id = record["run_id"]
    if summary is None:
        if order.more and order.more[-1].rounds == rounds:
            return None
        first = resume_command(order.run_kind, run_id, project=project)
        raise StoreError(f"run {run_id} has not come to its end; go on with it first: {first}")
    fault = _why_no_more(summary, record, order, project)
    if fault:
        raise StoreError(f"--more can decide nothing in run {run_id}: {fault}")
    last_look = order.more[-1].looks if order.more else order.looks
    looked = summary.gate is not None and summary.gate.rounds > 0
    return FurtherRounds(rounds=rounds, looks=last_look + looked)


def _why_no_more(summary: Summary, record: Record, order: Order, project: str | None) -> str:
    """Say why further confirm rounds cannot decide anything; empty where they can."""
    if order.config.gate is None:
        return "it was not gated (--no-gate); start a new one with a gate"
    if summary.best_iteration == 1:
        return "it found no text that did better than the original; start a new search"
    if summary.applied:
        undo = in_project(f"skillwalker undo {summary.run_id}", project)
        return f"its best text is in the file; put the old one back first: {undo}"
    if len({case["should_trigger"] for case in record["cases"]}) == 1:
        return "the suite has cases of one kind only; add some of the other, and start a new run"
    return ""


def _show_again(
    summary: Summary, folder: Path, opened: Project, wishes: Wishes, late: Sequence[str]
) -> int:
    """Print what a finished run found; nothing is spent."""
    reporter = Reporter(sys.stderr, quiet=wishes.quiet, width=plain_width())
    for message in late:
        reporter(Warned(message=message, is_late=True))
    if summary.simulated:
        reporter.note(wording.SIMULATED)
    reporter.note(f"run {summary.run_id} is finished: nothing is run again")
    leave_reports(folder, summary, opened.places, wishes)
    unwritten = leave_junit((folder,), wishes)
    show_final(reporter, summary, folder, wishes, project=opened.places.said)
    for line in against_lines(summary):
        say(line, err=True)
    if wishes.fail_on_drop is not None and summary.against is None:
        say("warning: --fail-on-drop: this run was never compared; measure anew", err=True)
    if wishes.as_json:
        typer.echo(json.dumps(read_summary_row(folder), ensure_ascii=False, indent=2))
    return unwritten or exit_code(summary, wishes)
