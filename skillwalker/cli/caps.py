"""What may be spent: flags and settings made into the limits of everything a command runs."""

import time
from collections.abc import Callable

import typer

from skillwalker.budget.moments import parse_deadline, parse_span
from skillwalker.cli.loop_options import LimitOptions
from skillwalker.cli.options import Project
from skillwalker.config import MAX_PAUSE, EvalConfig, LoopConfig
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.engines.registry import Choice
from skillwalker.errors import ConfigError
from skillwalker.estimate.evals import eval_prior
from skillwalker.estimate.guess import TURNS_OF_A_TRIAL, make_prior
from skillwalker.limits import Limits


def max_pause(opened: Project, limits: LimitOptions) -> float:
    """Say how many seconds pauses may take: what the flag says, else the settings.

    Raises:
        BadParameter: exit code 2; the flag's value is no span.
        ConfigError: the settings' value is none.
    """
    if limits.max_pause is not None:
        try:
            return parse_span(limits.max_pause, flag="--max-pause")
        except ConfigError as error:
            raise typer.BadParameter(str(error)) from error
    text = opened.settings.budget.max_pause
    return MAX_PAUSE if text is None else parse_span(text, flag=_setting(opened, "max-pause"))


def deadline(opened: Project, limits: LimitOptions) -> float | None:
    """Say after which moment nothing may start: what the flag says, else the settings.

    Raises:
        BadParameter: exit code 2; the flag's value is no time.
        ConfigError: the settings' value is none.
    """
    now = time.time()
    if limits.deadline is not None:
        try:
            return parse_deadline(limits.deadline, now=now)
        except ConfigError as error:
            raise typer.BadParameter(str(error)) from error
    text = opened.settings.budget.deadline
    return (
        None if text is None else parse_deadline(text, now=now, flag=_setting(opened, "deadline"))
    )


def open_limits(
    opened: Project, limits: LimitOptions, config: LoopConfig, choice: Choice, improver: str
) -> Limits:
    """Make the limits of everything that a command runs; each run shares them.

    Raises:
        BadParameter: exit code 2; a flag's value cannot be read.
        ConfigError: a value of the settings cannot be read.
    """
    simulated = ((Purpose.TRIAL, choice.name), (Purpose.IMPROVER, improver))
    return Limits(
        max_trials=config.max_trials,
        max_cost_usd=config.max_cost_usd,
        deadline=deadline(opened, limits),
        max_pause=config.max_pause,
        prior=make_prior(
            opened.settings.prices,
            free=[purpose for purpose, name in simulated if name == "simulated"],
            turns=min(config.max_turns, TURNS_OF_A_TRIAL),
        ),
    )


def open_eval_limits(
    opened: Project,
    limits: LimitOptions,
    config: EvalConfig,
    *,
    engine: str,
    on_pause: Callable[[float], None],
) -> Limits:
    """Make the limits of an eval run, or of an evaluation.

    Args:
        opened: the project.
        limits: as given.
        config: with what the flags and the settings came to.
        engine: of the trials.
        on_pause: is told until when a rate limit pauses everything.

    Raises:
        BadParameter: exit code 2; a flag's value cannot be read.
        ConfigError: a value of the settings cannot be read.
    """
    return Limits(
        max_trials=config.max_trials,
        max_cost_usd=config.max_cost_usd,
        deadline=deadline(opened, limits),
        max_pause=config.max_pause,
        prior=eval_prior(opened.settings.prices, engine=engine),
        on_pause=on_pause,
    )


def _setting(opened: Project, key: str) -> str:
    """Name a setting and its file."""
    source = opened.settings.source
    return f'{source.name if source is not None else "settings"}: "budget.{key}"'
