"""What evals run does once it runs: progress, results, exit codes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import anyio
import typer

from skillwalker.cli import caps
from skillwalker.cli.engines import chosen_engine, engine_settings
from skillwalker.cli.finishing import finishing
from skillwalker.cli.ignoring import new_output_named
from skillwalker.cli.logs import log_to_stderr
from skillwalker.cli.loop_options import LimitOptions
from skillwalker.cli.options import Project
from skillwalker.cli.output_file import EXIT_UNWRITTEN
from skillwalker.cli.process import EXIT_FAILED, EXIT_INCONCLUSIVE, EXIT_INTERRUPTED
from skillwalker.cli.saying import say
from skillwalker.cli.signals import run_watched
from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import EvalEvent, EvalOutcome, EvalStarted, Judging
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.registry import Choice, EngineSettings, open_engine
from skillwalker.errors import ConfigError
from skillwalker.evaluation.judge_choice import Seat, choose_judge
from skillwalker.evaluation.plan import EvalOrder
from skillwalker.evaluation.recorded import EvalSurroundings, run_eval_order
from skillwalker.evaluation.records import outcome_record
from skillwalker.evaluation.scoring import ChooseJudge
from skillwalker.evaluation.summary import SIMULATED
from skillwalker.limits import Limits
from skillwalker.paths import Places, in_project
from skillwalker.report.eval_text import judging_line, outcome_lines, started_line, trial_line
from skillwalker.report.files import write_reports
from skillwalker.report.money_text import paused


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTask:
    """What is asked for, with the engine that it is asked of."""

    order: EvalOrder
    choice: Choice
    engine_settings: EngineSettings
    judge: str | None
    """As written after `--judge`."""
    limits: LimitOptions

    @property
    def judge_name(self) -> str:
        """Who judges, if anything is to be judged."""
        if self.judge is None and self.order.engine == SIMULATED:
            return SIMULATED
        return self.judge or judge_by_default(self.engine_settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalWishes:
    """What a user wants done with a result."""

    as_json: bool
    quiet: bool
    debug: bool
    html: bool
    junit: Path | None


def prepare(
    opened: Project,
    *,
    suites: tuple[str, ...],
    tests: tuple[str, ...],
    engine: str | None,
    claude: str | None,
    judge: str | None,
    limits: LimitOptions,
    **settings: object,
) -> EvalTask:
    """Fill in what was not said.

    Raises:
        BadParameter: exit code 2; a value is out of range, and the message names the flag.
    """
    budget = opened.settings.budget
    most = budget.max_trials if limits.max_trials is None else limits.max_trials
    config = checked_config(**settings, max_trials=most, **money_and_pause(opened, limits))
    told = engine_settings(opened, concurrency=config.concurrency, claude=claude)
    choice = chosen_engine(opened, told, engine)
    order = EvalOrder(suites=suites, tests=tests, engine=choice.name, config=config)
    return EvalTask(order=order, choice=choice, engine_settings=told, judge=judge, limits=limits)


def money_and_pause(opened: Project, limits: LimitOptions) -> dict[str, float | None]:
    """Fill in the limits that an evaluation has too.

    Raises:
        BadParameter: exit code 2; a flag's value cannot be read.
        ConfigError: a value of the settings cannot be read.
    """
    own = opened.settings.budget.max_cost_usd
    return {
        "max_cost_usd": own if limits.max_cost_usd is None else limits.max_cost_usd,
        "max_pause": caps.max_pause(opened, limits),
    }


def checked_config(**settings: object) -> EvalConfig:
    """Build the settings of a run; a value that is out of range is wrong usage.

    Raises:
        BadParameter: exit code 2, naming the flag.
    """
    try:
        return EvalConfig(**settings)  # type: ignore[arg-type]  # the flags' types are typer's
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def run(task: EvalTask, opened: Project, wishes: EvalWishes) -> int:
    """Run and evaluate cases, tell the result, and give the exit code."""
    if wishes.debug:
        log_to_stderr()
    order, told = task.order, task.engine_settings
    limits = caps.open_eval_limits(
        opened, task.limits, order.config, engine=order.engine, on_pause=say_pause
    )
    progress = EvalProgress(task.choice, quiet=wishes.quiet)
    around = EvalSurroundings(
        places=opened.places,
        temporary=told.temporary,
        login=told.login,
        limits=limits,
        listener=progress,
        open_engine=partial(open_engine, order.engine, seed=order.config.seed, settings=told),
        judge=judge_of(
            opened,
            told,
            order.config,
            asked=task.judge,
            limits=limits,
            listener=progress,
        ),
        prices=opened.settings.prices,
    )
    with new_output_named(opened.places), finishing(limits) as finish:
        outcome = anyio.run(run_watched, partial(run_eval_order, order, around), limits)
        if outcome is None:
            return EXIT_INTERRUPTED
        tell([outcome], as_json=wishes.as_json, alone=True)
        report = in_project(f"skillwalker report {outcome.folder.name}", opened.places.said)
        unwritten = 0
        with finish.may_be_cut(f"no report was written; {report} does"):
            unwritten = leave(outcome, html=wishes.html, junit=wishes.junit)
        code = unwritten or exit_code(outcome)
        return finish.code(code, still=ask_the_judge([outcome], opened.places))


def judge_of(
    opened: Project,
    told: EngineSettings,
    config: EvalConfig,
    *,
    asked: str | None,
    limits: Limits,
    listener: Callable[[Judging], None],
) -> ChooseJudge:
    """Prepare to choose who judges: as the improver is chosen where nobody is named."""
    return choose_judge(
        asked,
        by_default=judge_by_default(told),
        config=config,
        seat=Seat(
            evals_dir=opened.places.evals_dir,
            login=told.login,
            engine_settings=told,
            prices=opened.settings.prices,
        ),
        limits=limits,
        listener=listener,
    )


def judge_by_default(told: EngineSettings) -> str:
    """Say who judges real trials where nobody is named."""
    return "api" if told.login.api_key or told.login.auth_token else "cli"


def leave(outcome: EvalOutcome, *, html: bool, junit: Path | None = None) -> int:
    """Write the reports of an evaluated run; a fault of theirs ends nothing.

    Returns:
        The exit code that this adds: what was asked for by name and is not there is an error.
    """
    reports = write_reports(outcome.folder, html=html, junit=junit)
    for fault in reports.faults:
        say(f"warning: {fault}", err=True)
    return 0 if junit is None or junit in reports.written else EXIT_UNWRITTEN


def ask_the_judge(outcomes: Sequence[EvalOutcome], places: Places) -> tuple[str, ...]:
    """Name the commands that ask the judge what Ctrl-C left unasked."""
    return tuple(
        in_project(f"skillwalker evals score {outcome.folder.name}", places.said)
        + "   (asks the judge)"
        for outcome in outcomes
        if outcome.summary.judge_stopped is StopReason.INTERRUPTED
    )


def say_pause(until: float) -> None:
    """Say until when a rate limit pauses everything."""
    say(paused(until), err=True)


def exit_code(outcome: EvalOutcome, *, is_new: bool = True) -> int:
    """Say how an eval run ended in one number (see `skillwalker.cli.main`).

    Args:
        outcome: the evaluated run.
        is_new: whether it ran just now: only then was it this command that was interrupted.
    """
    summary = outcome.summary
    if is_new and summary.stopped_because is StopReason.INTERRUPTED:
        return EXIT_INTERRUPTED
    if summary.failures:
        return EXIT_FAILED
    return EXIT_INCONCLUSIVE if summary.inconclusive else 0


def tell(outcomes: Sequence[EvalOutcome], *, as_json: bool, alone: bool) -> None:
    """Print tables to stderr and, if asked for, the one JSON object to stdout."""
    for outcome in outcomes:
        for line in outcome_lines(outcome, folder=_short(outcome.folder)):
            say(line, err=True)
    if as_json:
        records = [outcome_record(outcome) for outcome in outcomes]
        whole: object = records[0] if alone else {"runs": records}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))


def _short(folder: Path) -> str:
    """Write a folder relative to the current one where it lies inside."""
    here = Path.cwd()
    return str(folder.relative_to(here) if folder.is_relative_to(here) else folder)


class EvalProgress:
    """A line for the run, one for each trial, and one before the judge is asked.

    Args:
        choice: the engine, and why it was chosen.
        quiet: whether trials have no line.
    """

    def __init__(self, choice: Choice, *, quiet: bool) -> None:
        self._choice = choice
        self._quiet = quiet
        self._done = 0
        self._trials = 0

    def __call__(self, event: EvalEvent) -> None:
        """Show an event."""
        if isinstance(event, EvalStarted):
            self._trials = event.trials
            headline = self._choice.explain(event.headline)
            say(started_line(replace(event, headline=headline)), err=True)
            return
        if isinstance(event, Judging):
            say(judging_line(event), err=True)
            return
        self._done += event.trial.attempt == 0
        if not self._quiet:
            say(trial_line(event, number=self._done, of=self._trials), err=True)
