"""What a caller of the public functions gives, made into orders, places and limits."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from skillwalker.api_settings import (
    EvalSettings,
    JudgeSettings,
    LoopSettings,
    StrPath,
    TrialSettings,
)
from skillwalker.config import EvalConfig, Login, LoopConfig
from skillwalker.datatypes.summary import Paused
from skillwalker.datatypes.vocabulary import Purpose, TargetKind
from skillwalker.engines.protocol import Engine
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.estimate.evals import eval_prior
from skillwalker.estimate.guess import make_prior
from skillwalker.evaluation.judge_choice import Seat
from skillwalker.limits import Limits
from skillwalker.neighbours import SIBLINGS
from skillwalker.paths import EVALS_DIR, PLUGINS_DIR, Places
from skillwalker.plan import Order
from skillwalker.search.choice import search_meant
from skillwalker.settings import MetricSettings
from skillwalker.suites.load import TESTS_FILE
from skillwalker.targets.kind import KINDS

NO_HOME = Path("/nonexistent")
"""Stands for the home of a caller who names none: there are no `user:` targets then."""


_RENAMED = {"model": "improver_model"}
_OUTSIDE = frozenset(
    {
        "login",
        "plugin_dirs",
        "home",
        "temporary",
        "improver",
        "neighbours",
        "fresh",
        "allow_simulated",
        "limits",
        "judge",
        "engine_settings",
        "prices",
        "listener",
        "html",
        "metrics",
        "command_env",
    }
)
"""Settings that are no part of a run's configuration."""


def loop_limits(order: Order, settings: LoopSettings) -> Limits:
    """Give the limits of one run, under those of the caller if there are any."""
    config = order.config
    listener = settings.get("listener")
    names = ((Purpose.TRIAL, order.engine), (Purpose.IMPROVER, order.improver))
    above = settings.get("limits") or Limits(
        max_pause=config.max_pause,
        prior=make_prior(
            settings.get("prices", ()),
            free=[purpose for purpose, name in names if name == "simulated"],
        ),
    )
    return above.share(
        max_trials=config.max_trials,
        max_cost_usd=config.max_cost_usd,
        on_pause=None if listener is None else lambda until: listener(Paused(until=until)),
    )


def eval_limits(config: EvalConfig, engine: str, settings: EvalSettings | JudgeSettings) -> Limits:
    """Give the limits of an eval run, under those of the caller if there are any."""
    prior = eval_prior(settings.get("prices", ()), engine=engine)
    above = settings.get("limits") or Limits(max_pause=config.max_pause, prior=prior)
    return above.share(max_trials=config.max_trials, max_cost_usd=config.max_cost_usd)


def loop_order(
    kind: TargetKind, suite: str | None, target: str | None, engine: str, settings: LoopSettings
) -> Order:
    """Say what is asked of the loop."""
    improver = settings.get("improver", "simulated" if engine == "simulated" else "api")
    return Order(
        run_kind=KINDS[kind].run_prefix,
        kind=kind,
        suite=suite,
        target=target,
        config=LoopConfig(**_searching(configuration(settings))),
        engine=engine,
        improver=improver,
        neighbours=several(settings.get("neighbours", SIBLINGS)),
        fresh=settings.get("fresh", False),
    )


def configuration(settings: Mapping[str, object]) -> dict[str, Any]:
    """Give the settings that configure a run, by the names of its record."""
    return {
        _RENAMED.get(name, name): value for name, value in settings.items() if name not in _OUTSIDE
    }


def _searching(given: Mapping[str, object]) -> dict[str, Any]:
    """Say how better descriptions are looked for: what may be spent is what a race plans with."""
    return {"search": search_meant(given), **given, "race_trials": given.get("max_trials")}


def places_of(
    tests_dir: StrPath, output_dir: StrPath, repo_root: StrPath | None, settings: TrialSettings
) -> Places:
    """Lay the given folders out as a project."""
    evals_dir = evals_folder(tests_dir)
    project = evals_dir.parent if repo_root is None else Path(repo_root)
    plugin_dirs = (Path(entry) for entry in settings.get("plugin_dirs", ()))
    return Places(
        project=project,
        evals_dir=evals_dir,
        plugin_dirs=(project / PLUGINS_DIR, *plugin_dirs),
        output_dir=Path(output_dir),
        home=Path(settings.get("home", NO_HOME)),
        metrics=_metrics(settings),
    )


def _metrics(settings: TrialSettings) -> tuple[MetricSettings, ...] | None:
    """Give the metrics that a suite may have tracked; None where the caller names none."""
    metrics = settings.get("metrics")
    return None if metrics is None else tuple(metrics)


def evals_folder(tests_dir: StrPath) -> Path:
    """Find the folder of suites: the one that is named, or `evals` in it."""
    inner = Path(tests_dir) / EVALS_DIR
    is_suite = (inner / TESTS_FILE).is_file()
    return inner if inner.is_dir() and not is_suite else Path(tests_dir)


def judge_seat(evals_dir: Path, settings: TrialSettings | JudgeSettings) -> Seat:
    """Say where a judge sits."""
    return Seat(
        evals_dir=evals_dir,
        login=login_of(settings),
        engine_settings=settings.get("engine_settings"),
        prices=tuple(settings.get("prices", ())),
    )


def engine_opener(
    engine: str, seed: int, settings: TrialSettings
) -> Callable[[], AbstractAsyncContextManager[Engine]]:
    """Prepare to open an engine."""
    return partial(open_engine, engine, seed=seed, settings=_engine_settings(settings))


def _engine_settings(settings: TrialSettings) -> EngineSettings | None:
    """Give what the engine is told, the prices of the call among it."""
    told = settings.get("engine_settings")
    prices = tuple(settings.get("prices", ()))
    return replace(told, prices=prices) if told is not None and prices else told


def login_of(settings: TrialSettings | JudgeSettings) -> Login:
    """Give the login; that of the engine stands for one that is not named."""
    told = settings.get("engine_settings")
    return settings.get("login", told.login if told is not None else Login())


def temporary_folder(places: Places, settings: TrialSettings) -> Path:
    """Give the folder of throw-away copies."""
    told = settings.get("engine_settings")
    return Path(
        settings.get("temporary", told.temporary if told is not None else places.output_dir)
    )


def several(named: str | Sequence[str] | None) -> tuple[str, ...]:
    """Take one name as well as several."""
    return (named,) if isinstance(named, str) else tuple(named or ())
