"""Nights as a command: begun, gone on with, forecast, or put together."""

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
import typer

from skillwalker.cli import caps, ordering
from skillwalker.cli.catalogue import require_cap
from skillwalker.cli.endings import again
from skillwalker.cli.engines import look_at_engine
from skillwalker.cli.finishing import finishing
from skillwalker.cli.given import given_options, refuse_settled
from skillwalker.cli.ignoring import new_output_named
from skillwalker.cli.logs import log_to_stderr
from skillwalker.cli.loop_options import LimitOptions, SearchOptions, TrialOptions
from skillwalker.cli.night_ending import NightWishes, conclude, say
from skillwalker.cli.night_forecast import show_forecast
from skillwalker.cli.night_one import Warnings, do_run, telling
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.cli.process import EXIT_INTERRUPTED
from skillwalker.cli.signals import run_watched
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import EngineUnavailableError, SuiteError
from skillwalker.limits import Limits
from skillwalker.overnight.journal import NightTask, read_task
from skillwalker.overnight.living import choose_entries, live_night
from skillwalker.overnight.merging import Merge, merge_into
from skillwalker.overnight.night import MEASURE, NightTools
from skillwalker.overnight.standing import Claude
from skillwalker.overnight.unopened import record_unopened
from skillwalker.paths import in_project
from skillwalker.recording.lock import locked_night
from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.store import create_run, find_run
from skillwalker.report.wording import is_billed

MAY_BE_GIVEN = frozenset(
    {"resume", "concurrency", "apply", "allow_simulated", "max_trials", "max_cost_usd"}
    | {"deadline", "max_pause", "no_html", "quiet", "debug", "project", "as_json"}
)
"""What changes nothing of what a night measures."""
WITH_MERGE = frozenset(
    {"folders", "merge", "apply", "allow_simulated", "quiet", "project", "as_json"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NightScope:
    """What part of the catalogue a night is about."""

    suite: str | None
    every: bool
    shard: tuple[int, int] | None


def shard_of(written: str | None) -> tuple[int, int] | None:
    """Read K/N.

    Raises:
        BadParameter: exit code 2; it is none.
    """
    if written is None:
        return None
    found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", written)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise typer.BadParameter(
            f"{written!r} is no part; write the number of this machine and of all, as 1/3",
            param_hint="'--shard'",
        )
    return int(found[1]), int(found[2])


def begin(
    asked: NightScope,
    opened: Project,
    search: SearchOptions,
    trials: TrialOptions,
    limits: LimitOptions,
    wishes: NightWishes,
) -> int:
    """Begin a night, or only say what it would do; give the exit code.

    Raises:
        BadParameter: exit code 2; nothing bounds what is spent, and nobody watches.
        SuiteError: there is nothing to measure, or the named suite is missing or wrong.
        EngineUnavailableError: no trial can run.
    """
    machinery = ordering.machinery(opened, trials, improver=search.improver)
    config = ordering.config(opened, trials, limits, search)
    template = ordering.order(
        run_kind=MEASURE,
        kind=TargetKind.SKILL,
        suite=None,
        target=None,
        machinery=machinery,
        trials=trials,
        # Each race plans with its own cases; the cap is what they share.
        config=replace(config, race_trials=None),
    )
    task = NightTask(
        template=template,
        shard=asked.shard,
        every=asked.every,
        suite=asked.suite,
        listing_budget=machinery.settings.listing_budget,
    )
    shared = caps.open_limits(opened, limits, config, machinery.choice, machinery.improver)
    entries, broken = choose_entries(task, opened.places)
    if asked.suite is not None and broken:
        raise SuiteError(broken[0].reason)
    if limits.dry_run:
        return show_forecast(task, opened, machinery, as_json=wishes.as_json)
    require_cap(shared, what="overnight")
    if not entries and not broken and asked.shard is None:
        raise SuiteError(
            "no suite has cases for a skill or an agent; 'skillwalker evals list' shows what"
            " there is"
        )
    return _live(task, opened, machinery, shared, wishes, folder=None)


def resume(
    ctx: typer.Context,
    night_id: str,
    opened: Project,
    trials: TrialOptions,
    limits: LimitOptions,
    wishes: NightWishes,
) -> int:
    """Go on with a night in its own folder; give the exit code.

    Raises:
        BadParameter: exit code 2; an option was given that the night has settled.
        StoreError: there is no such night, or it cannot be read.
    """
    given = given_options(ctx)
    refuse_settled(
        ctx,
        given,
        may_be_given=MAY_BE_GIVEN,
        beside="--resume",
        why="a night goes on as it was asked; begin a new one to change that",
    )
    folder = find_run(opened.places.output_dir, night_id)
    task = read_task(folder)
    template = task.template
    changed: dict[str, object] = {
        "concurrency": trials.concurrency,
        "max_trials": limits.max_trials,
        "max_cost_usd": limits.max_cost_usd,
        "max_pause": caps.max_pause(opened, limits),
    }
    config = replace(
        template.config,
        **{name: value for name, value in changed.items() if name in given},  # type: ignore[arg-type]  # the flags' types are typer's
    )
    template = replace(template, config=config, engine_why=f"resuming night {folder.name}")
    machinery = ordering.machinery(
        opened,
        TrialOptions(
            engine=template.engine,  # type: ignore[arg-type]  # a recorded name was a choice once
            concurrency=config.concurrency,
            claude=template.claude,
        ),
        improver=template.improver,
    )
    told = replace(machinery.settings, listing_budget=task.listing_budget)
    machinery = replace(machinery, settings=told)
    shared = caps.open_limits(opened, limits, config, machinery.choice, machinery.improver)
    require_cap(shared, what="overnight")
    return _live(replace(task, template=template), opened, machinery, shared, wishes, folder=folder)


def merge(
    ctx: typer.Context, folders: tuple[Path, ...], opened: Project, wishes: NightWishes
) -> int:
    """Put the nights of several machines together; give the exit code.

    Raises:
        BadParameter: exit code 2; an option was given that means nothing here.
        StoreError: a night cannot be read, or they do not belong together.
    """
    refuse_settled(
        ctx,
        given_options(ctx),
        may_be_given=WITH_MERGE,
        beside="--merge",
        why="it puts together what was measured, and measures nothing",
    )
    asked = Merge(
        parts=folders,
        apply=wishes.apply,
        allow_simulated=wishes.allow_simulated,
        began=lambda: create_run(opened.places.output_dir),
    )
    summary, folder = merge_into(asked, opened.places)
    return conclude(summary, folder, wishes, is_merged=True, project=opened.places.said)


def _live(
    task: NightTask,
    opened: Project,
    machinery: Machinery,
    limits: Limits,
    wishes: NightWishes,
    *,
    folder: Path | None,
) -> int:
    """Live the only night of its project.

    Raises:
        StoreError: the lock file cannot be read; nothing was begun.
    """
    read_lock(opened.places.project)
    if wishes.debug:
        log_to_stderr()
    try:
        facts = look_at_engine(machinery.choice, machinery.settings)
    except EngineUnavailableError as error:
        # What an earlier life recorded stays as it is.
        if folder is not None or not choose_entries(task, opened.places)[0]:
            raise
        return _tell_unopened(task, opened, wishes, error)
    with new_output_named(opened.places), locked_night(opened.places.output_dir) as lock:
        folder = folder or create_run(opened.places.output_dir)
        lock.name_run(folder.name)
        if not wishes.quiet:
            say(f"night {folder.name}: {machinery.choice.explain(facts.headline)}")
        return _live_alone(task, opened, machinery, facts, limits, wishes, folder)


def _tell_unopened(
    task: NightTask, opened: Project, wishes: NightWishes, error: EngineUnavailableError
) -> int:
    """Record and tell that no engine could run."""
    with new_output_named(opened.places), locked_night(opened.places.output_dir) as lock:
        folder = create_run(opened.places.output_dir)
        lock.name_run(folder.name)
        summary = record_unopened(task, opened.places, folder, error)
        code = conclude(summary, folder, wishes, project=opened.places.said)
    say(f"skillwalker: {error}")
    command = f"skillwalker overnight --resume {folder.name}"
    say(f"next, once it can run: {in_project(command, opened.places.said)}{_again(wishes)}")
    return code


def _again(wishes: NightWishes) -> str:
    """Write the options that a later life of a night must be given to write what was wished."""
    return again(apply=wishes.apply, allow_simulated=wishes.allow_simulated)


def _live_alone(
    task: NightTask,
    opened: Project,
    machinery: Machinery,
    facts: EngineFacts,
    limits: Limits,
    wishes: NightWishes,
    folder: Path,
) -> int:
    """Live a night under the signals that end it."""
    warnings = Warnings()
    tools = NightTools(
        places=opened.places,
        start=partial(do_run, opened, machinery, limits, wishes, warnings),
        limits=limits,
        claude=Claude(
            cli_version=facts.cli_version,
            simulated=facts.simulated,
            listing_budget=machinery.settings.listing_budget,
        ),
        ended=telling(wishes, is_billed=is_billed(task.template.engine, simulated=facts.simulated)),
        warn=warnings.warn,
    )
    with finishing(limits) as finish:
        summary = anyio.run(run_watched, partial(live_night, task, tools, folder), limits)
        if summary is None:
            command = f"skillwalker overnight --resume {folder.name}"
            say(f"next: {in_project(command, opened.places.said)}{_again(wishes)}")
            return EXIT_INTERRUPTED
        code = conclude(summary, folder, wishes, project=opened.places.said)
        warnings.say_again()
        return finish.code(code)
