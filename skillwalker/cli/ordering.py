"""What a run command asks for: flags and settings put together as orders, before anything runs."""

from dataclasses import dataclass
from pathlib import Path

import typer

from skillwalker.cli import caps
from skillwalker.cli.engines import chosen_engine, engine_settings
from skillwalker.cli.loop_options import LimitOptions, SearchOptions, TrialOptions
from skillwalker.cli.options import Project
from skillwalker.cli.usage import named
from skillwalker.config import LoopConfig
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.registry import Choice, EngineSettings
from skillwalker.errors import ConfigError
from skillwalker.neighbours import SIBLINGS
from skillwalker.plan import Order
from skillwalker.search.choice import search_meant


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
    of_phases = {
        "max_iterations": search.max_iterations,
        "holdout": search.holdout,
        "runs_per_query": trials.runs_per_query,
        "confirm_runs": search.confirm_runs,
    }
    given = {name: value for name, value in of_phases.items() if value is not None}
    return checked_config(
        **given,
        search=search.search or search_meant(given),
        race_trials=most_trials,
        improver_model=named("--model", search.model) or models.improver or "opus",
        trial_model=tuple(
            model for model in trials.trial_model or () if named("--trial-model", model)
        )
        or models.trial,
        seed=trials.seed,
        gate=None if search.no_gate else search.gate,
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


def kind_of(opened: Project, *, target: str | None, suite: str | None) -> TargetKind:
    """Find out whether a written target is a skill or an agent."""
    from skillwalker.steps.step_1_resolve import kind_meant

    return kind_meant(opened.places, target=target, suite=suite)
