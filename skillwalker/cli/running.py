"""What the run commands share once they run: orders, questions, signals, exit codes."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import typer
from rich.prompt import Confirm

from skillwalker.cli import caps
from skillwalker.cli.endings import (
    EXIT_GATE,
    EXIT_INCONCLUSIVE,
    Wishes,
    exit_code,
    resume_command,
    show_final,
)
from skillwalker.cli.engines import chosen_engine, engine_settings
from skillwalker.cli.environment import can_ask
from skillwalker.cli.leaving import leave_junit, leave_reports
from skillwalker.cli.logs import log_to_stderr, logged
from skillwalker.cli.loop_options import LimitOptions, SearchOptions, TrialOptions
from skillwalker.cli.options import Project
from skillwalker.cli.process import EXIT_INTERRUPTED, interrupts_raise
from skillwalker.cli.signals import run_watched
from skillwalker.cli.usage import named
from skillwalker.config import LoopConfig
from skillwalker.datatypes.summary import Paused, Summary
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.registry import Choice, EngineSettings, open_engine
from skillwalker.errors import ConfigError, SkillwalkerError
from skillwalker.limits import Limits
from skillwalker.plan import SIBLINGS, Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.records import summary_record
from skillwalker.report.console import Reporter

WORST_FIRST = (EXIT_INTERRUPTED, 1, EXIT_INCONCLUSIVE, EXIT_GATE)
"""Which exit code wins when several targets end differently."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machinery:
    """What runs the trials and who proposes."""

    choice: Choice
    settings: EngineSettings
    improver: str


def machinery(opened: Project, trials: TrialOptions, *, improver: str | None = None) -> Machinery:
    """Choose engine and improver where they were not named.

    Raises:
        EngineError: a Docker daemon answers, but not as one does.
    """
    settings = engine_settings(
        opened,
        concurrency=trials.concurrency,
        claude=trials.claude,
        roomy=trials.listing == "roomy",
    )
    choice = chosen_engine(opened, settings, trials.engine)
    login = settings.login
    by_default = "api" if login.api_key or login.auth_token else "cli"
    simulated = choice.name == "simulated"
    return Machinery(
        choice=choice,
        settings=settings,
        improver=improver or ("simulated" if simulated else by_default),
    )


def config(
    opened: Project,
    trials: TrialOptions,
    limits: LimitOptions,
    search: SearchOptions | None = None,
) -> LoopConfig:
    """Build the settings of a run: what a flag says, else the project's file, else the default.

    Raises:
        BadParameter: exit code 2, naming the flag; a value is out of range or empty.
    """
    models, budget = opened.settings.models, opened.settings.budget
    search = search or SearchOptions()
    most_trials = budget.max_trials if limits.max_trials is None else limits.max_trials
    return checked_config(
        search=search.search,
        race_trials=most_trials if search.search == "race" else None,
        max_iterations=search.max_iterations,
        holdout=search.holdout,
        runs_per_query=trials.runs_per_query,
        improver_model=named("--model", search.model) or models.improver or "opus",
        trial_model=tuple(
            model for model in trials.trial_model or () if named("--trial-model", model)
        )
        or models.trial,
        seed=trials.seed,
        gate=None if search.no_gate else search.gate,
        confirm_runs=search.confirm_runs,
        max_loss=search.max_loss,
        guard_neighbours=search.guard_neighbours,
        max_turns=trials.max_turns,
        timeout=trials.timeout,
        concurrency=trials.concurrency,
        max_trials=most_trials,
        max_cost_usd=(budget.max_cost_usd if limits.max_cost_usd is None else limits.max_cost_usd),
        max_pause=caps.max_pause(opened, limits),
    )


def checked_config(**settings: object) -> LoopConfig:
    """Build the settings of a run; a value that is out of range is wrong usage.

    Raises:
        BadParameter: exit code 2, naming the flag.
    """
    try:
        return LoopConfig(**settings)  # type: ignore[arg-type]  # the flags' types are typer's
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def fraction(flag: str, value: float | None) -> float | None:
    """Check a rate from 0 to 1.

    Raises:
        BadParameter: exit code 2; a percentage is the usual mistake.
    """
    if value is not None and not 0 <= value <= 1:
        raise typer.BadParameter(f"{flag} must be a rate from 0 to 1; got {value}")
    return value


def require_resume(flag: str, given: bool) -> None:
    """Refuse a flag that only means something when a run is resumed.

    Raises:
        BadParameter: exit code 2.
    """
    if given:
        raise typer.BadParameter(f"{flag} goes with --resume RUN_ID")


def order(
    *,
    run_kind: str,
    kind: TargetKind,
    suite: str | None,
    target: str | None,
    machinery: Machinery,
    trials: TrialOptions,
    config: LoopConfig,
) -> Order:
    """Put a run together."""
    return Order(
        run_kind=run_kind,
        kind=kind,
        suite=suite,
        target=target,
        config=config,
        engine=machinery.choice.name,
        engine_why=machinery.choice.why,
        improver=machinery.improver,
        neighbours=tuple(trials.neighbours or (SIBLINGS,)),
        fresh=trials.fresh,
        claude=_lasting(machinery.settings.claude),
    )


def _lasting(program: str) -> str:
    """Write a program so that it is found from another folder too."""
    return str(Path(program).absolute()) if "/" in program else program


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
    """
    if wishes.debug:
        log_to_stderr()
    summaries: list[Summary] = []
    codes: list[int] = []
    for one in orders:
        try:
            summary, interrupted = anyio.run(
                _run_one, one, opened, machinery, wishes, limits, earlier
            )
        except SkillwalkerError as error:
            if len(orders) == 1:
                raise
            typer.echo(f"skillwalker: {error}", err=True)
            codes.append(error.exit_code)
            continue
        summaries.append(summary)
        codes.append(EXIT_INTERRUPTED if interrupted else exit_code(summary, wishes))
        if codes[-1] == EXIT_INTERRUPTED:
            break
    output = opened.places.output_dir
    leave_junit([output / summary.run_id for summary in summaries], wishes)
    if wishes.as_json:
        rows = [summary_record(summary) for summary in summaries]
        whole: object = rows[0] if len(orders) == 1 else {"runs": rows}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
    return next((code for code in WORST_FIRST if code in codes), 0)


async def _run_one(
    order: Order,
    opened: Project,
    machinery: Machinery,
    wishes: Wishes,
    shared: Limits,
    earlier: Earlier | None,
) -> tuple[Summary, bool]:
    """Do one run under the signals that end it; say whether one came, however late."""
    reporter = Reporter(sys.stderr, quiet=wishes.quiet)
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
        approve=lambda summary: _approve(summary, wishes, reporter, limits),
        limits=limits,
        open_engine=partial(
            open_engine, order.engine, seed=order.config.seed, settings=machinery.settings
        ),
        began=begun.append,
        engine_settings=machinery.settings,
        prices=opened.settings.prices,
    )
    try:
        done = await run_watched(partial(run_order, order, around, earlier), limits)
    finally:
        reporter.close()
    if done is None:
        for run_id in begun:
            typer.echo(f"next: {resume_command(order.run_kind, run_id)}", err=True)
        raise typer.Exit(EXIT_INTERRUPTED)
    summary, folder = done
    leave_reports(folder, summary, opened.places, wishes)
    show_final(reporter, summary, folder, wishes)
    return summary, limits.interrupted


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


def kind_of(opened: Project, *, target: str | None, suite: str | None) -> TargetKind:
    """Find out whether a written target is a skill or an agent."""
    from skillwalker.steps.step_1_resolve import kind_meant

    return kind_meant(opened.places, target=target, suite=suite)
