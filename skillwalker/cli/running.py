"""What the run commands share once they run: one run after the other, questions, exit codes."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import anyio
import typer
from rich.prompt import Confirm

from skillwalker.cli.endings import (
    Wishes,
    again,
    exit_code,
    show_final,
    show_overview,
)
from skillwalker.cli.environment import can_ask, command_environment, plain_width
from skillwalker.cli.finishing import Finish, finishing
from skillwalker.cli.ignoring import new_output_named
from skillwalker.cli.leaving import leave_junit, leave_reports
from skillwalker.cli.logs import log_to_stderr, logged
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.cli.process import EXIT_INCONCLUSIVE, EXIT_INTERRUPTED, interrupts_raise
from skillwalker.cli.saying import say
from skillwalker.cli.signals import run_watched
from skillwalker.datatypes.summary import Paused, Summary
from skillwalker.engines.registry import open_engine
from skillwalker.errors import SkillwalkerError, StoreError, worst_of
from skillwalker.limits import Limits
from skillwalker.paths import in_project
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.rows import RowFiles
from skillwalker.recording.store import find_run
from skillwalker.recording.summary_records import summary_record
from skillwalker.report.against_text import against_lines
from skillwalker.report.console import Reporter
from skillwalker.report.next_step import resume_command
from skillwalker.statistics.against import hold_against


@dataclass(slots=True, kw_only=True)
class Ran:
    """What the runs of one command have come to so far."""

    records: list[dict[str, object]] = field(default_factory=list)
    """Summaries, as `--json` prints them."""
    summaries: list[Summary] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    failed: list[tuple[Order, str]] = field(default_factory=list)
    """What could not be run at all, and why."""
    left: list[Order] = field(default_factory=list)
    """What a limit left unmeasured."""
    codes: list[int] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """The worst of all exit codes."""
        return worst_of(self.codes)


def run(
    orders: Sequence[Order],
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    limits: Limits,
    earlier: Earlier | None = None,
) -> int:
    """Do the runs one after the other and give the exit code of them all.

    Args:
        orders: what is asked, a run each.
        opened: the project.
        machinery: what runs the trials of all.
        wishes: what is to be done with the results.
        limits: of all runs together.
        earlier: the life that a single order goes on with.

    Raises:
        SkillwalkerError: a single order cannot be run; of several, it is named and passed over.
        StoreError: there are several, and the lock file of them all cannot be read.
    """
    if len(orders) > 1:
        read_lock(opened.places.project)
    ran = Ran()
    with finishing(limits) as finish:
        for one in begin(orders, wishes):
            if ran.records and limits.interrupted:
                ran.left.append(one)
                continue
            try:
                run_next(one, ran, opened, machinery, wishes, finish, earlier)
            except SkillwalkerError as error:
                if len(orders) == 1:
                    raise
                note_failed(one, ran, error)
        ran.codes.append(leave_junit(ran.folders, wishes))
        if wishes.as_json:
            whole: object = ran.records[0] if len(orders) == 1 else {"runs": ran.records}
            typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
        for one in ran.left:
            say(f"not run: {one.target} (suite {one.suite}): Ctrl-C came first", err=True)
        return EXIT_INTERRUPTED if ran.left else finish.code(ran.exit_code)


def run_catalogue(
    orders: Sequence[Order],
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    finish: Finish,
) -> Ran:
    """Do a run for each part of a catalogue; none that fails stops another, a limit does.

    Args:
        orders: what is asked, a run each.
        opened: the project.
        machinery: what runs the trials of all.
        wishes: what is to be done with the results.
        finish: the limits of all runs together, and the signals at their end.

    Raises:
        StoreError: the lock file of them all cannot be read; nothing was run.
    """
    read_lock(opened.places.project)
    ran = Ran()
    wishes = replace(wishes, brief=len(orders) > 1)
    for one in begin(orders, wishes):
        if finish.limits.reached() is not None:
            ran.left.append(one)
            continue
        own = replace(wishes, follows=bool(ran.records))
        try:
            run_next(one, ran, opened, machinery, own, finish)
        except SkillwalkerError as error:
            note_failed(one, ran, error)
    if ran.left:
        ran.codes.append(EXIT_INCONCLUSIVE)
    if len(ran.summaries) > 1:
        show_overview(ran.summaries, project=opened.places.said)
    ran.codes.append(leave_junit(ran.folders, wishes))
    return ran


def begin(orders: Sequence[Order], wishes: Wishes) -> Sequence[Order]:
    """Log what is done where that is wanted; give the orders."""
    if wishes.debug:
        log_to_stderr()
    return orders


def run_next(
    order: Order,
    ran: Ran,
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    finish: Finish,
    earlier: Earlier | None = None,
) -> None:
    """Do one run and add what it came to.

    Raises:
        SkillwalkerError: it cannot be run.
    """
    limits = finish.limits
    with new_output_named(opened.places):
        summary, folder = anyio.run(_run_one, order, opened, machinery, wishes, limits, earlier)
    report = in_project(f"skillwalker report {summary.run_id}", opened.places.said)
    with finish.may_be_cut(f"no report was written; {report} does"):
        leave_reports(folder, summary, opened.places, wishes)
    ran.records.append(summary_record(summary))
    ran.summaries.append(summary)
    ran.folders.append(folder)
    ran.codes.append(exit_code(summary, wishes, held=order.against is not None))


def note_failed(order: Order, ran: Ran, error: SkillwalkerError) -> None:
    """Name an order that could not be run, and go on."""
    say(f"skillwalker: {error}", err=True)
    ran.failed.append((order, str(error)))
    ran.codes.append(error.exit_code)


async def _run_one(
    order: Order,
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    shared: Limits,
    earlier: Earlier | None,
) -> tuple[Summary, Path]:
    """Do one run under the signals that end it, and tell its result."""
    reporter = Reporter(sys.stderr, quiet=wishes.quiet, width=plain_width(), follows=wishes.follows)
    limits = shared.share(
        max_trials=order.config.max_trials,
        max_cost_usd=order.config.max_cost_usd,
        on_pause=lambda until: reporter(Paused(until=until)),
    )
    begun: list[str] = []
    around = Surroundings(
        places=opened.places,
        temporary=machinery.settings.temporary,
        login=machinery.settings.login,
        listener=logged(reporter),
        approve=lambda summary: _approve(summary, wishes, reporter, shared),
        limits=limits,
        open_engine=partial(
            open_engine, order.engine, seed=order.config.seed, settings=machinery.settings
        ),
        began=begun.append,
        engine_settings=machinery.settings,
        prices=opened.settings.prices,
        command_env=command_environment(opened.settings.engine_env),
        writes_unasked=wishes.apply and (wishes.allow_simulated or order.engine != "simulated"),
    )
    try:
        done = await run_watched(partial(run_order, order, around, earlier), shared)
    finally:
        reporter.close()
    if done is None:
        for run_id in begun:
            resume = resume_command(order.run_kind, run_id, project=opened.places.said)
            wished = again(apply=wishes.apply, allow_simulated=wishes.allow_simulated)
            say(f"next: {resume}{wished}", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
    summary, folder = done
    if order.against is not None:
        summary = _held_against(order.against, summary, folder, wishes, machinery)
    show_final(reporter, summary, folder, wishes, project=opened.places.said)
    for line in against_lines(summary):
        say(line, err=True)
    return summary, folder


def _held_against(
    run_id: str, summary: Summary, folder: Path, wishes: Wishes, machinery: Machinery
) -> Summary:
    """Say in a run's summary what became of the target since an earlier run."""
    if summary.original is None:
        return summary
    try:
        earlier = find_run(folder.parent, run_id)
        found = hold_against(earlier, folder, summary, threshold=wishes.fail_on_drop or 0.0)
    except StoreError as error:
        say(f"warning: not compared with run {run_id}: {error}", err=True)
        return summary
    summary = replace(summary, against=found)
    files = RowFiles(folder, secrets=machinery.settings.login.secrets)
    files.write(f"{summary.kind}-summary.json", summary_record(summary))
    return summary


def _approve(summary: Summary, wishes: Wishes, reporter: Reporter, limits: Limits) -> bool:
    """Decide on writing an improved result: told before, or asked on a terminal."""
    if limits.interrupted:
        return False
    if summary.simulated and not wishes.allow_simulated:
        if wishes.apply:
            reporter.note("nothing was written: the result is simulated (--allow-simulated writes)")
        return False
    if wishes.apply:
        return True
    if wishes.as_json or not can_ask():
        return False
    reporter.difference(summary)
    try:
        with interrupts_raise():
            return Confirm.ask(f"Write it to {summary.target_path}?", default=False)
    except EOFError:
        return False
    except KeyboardInterrupt:
        limits.interrupt()
        return False
