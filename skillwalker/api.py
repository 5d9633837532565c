"""The four public functions: what the command line does, for programs.

Paths and settings are arguments. Nothing here reads the environment, the current folder or a
settings file, and nothing is printed; progress goes to a listener. `tests_dir` is the folder that
holds `evals/`, or the folder of suites itself; `repo_root` is the folder that holds `plugins/` and
`.claude/`, by default the one that holds the folder of suites.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, Unpack

from skillwalker.api_settings import (
    EvalSettings,
    JudgeSettings,
    LoopSettings,
    Settings,
    StrPath,
)
from skillwalker.config import MAX_PAUSE, EvalConfig, Login, LoopConfig
from skillwalker.datatypes.evals import EvalEvent, EvalSummary
from skillwalker.datatypes.summary import Paused, Summary, Warned
from skillwalker.datatypes.vocabulary import Purpose, TargetKind
from skillwalker.engines.protocol import Engine
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.estimate.evals import eval_prior
from skillwalker.estimate.guess import make_prior
from skillwalker.evaluation.judge_choice import Seat, choose_judge
from skillwalker.evaluation.plan import EvalOrder
from skillwalker.evaluation.recorded import EvalSurroundings, run_eval_order
from skillwalker.evaluation.scoring import score_runs
from skillwalker.limits import Limits
from skillwalker.neighbours import SIBLINGS
from skillwalker.paths import EVALS_DIR, PLUGINS_DIR, Places
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.report.files import write_reports
from skillwalker.report.next_step import next_command
from skillwalker.search.choice import search_meant
from skillwalker.settings import MetricSettings
from skillwalker.suites.load import TESTS_FILE
from skillwalker.targets.kind import KINDS

logger = logging.getLogger(__name__)

E = TypeVar("E")
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


async def run_scil_loop(
    *,
    engine: str,
    tests_dir: StrPath,
    output_dir: StrPath,
    repo_root: StrPath | None = None,
    eval: str | None = None,  # noqa: A002 (a suite's other name, which the files use)
    skill: str | None = None,
    apply: bool = False,
    debug: bool = False,
    **settings: Unpack[LoopSettings],
) -> Summary:
    """Improve a skill's description, as `scil run` does.

    Args:
        engine: what runs a trial, as after `--engine`.
        tests_dir: see the module.
        output_dir: where the run is recorded.
        repo_root: see the module.
        eval: the suite; None means the only one that has cases for the skill.
        skill: in any written form; None means the only one that the suite has cases for.
        apply: whether to write an improved description into the skill's file.
        debug: whether to log every event.
        settings: see `LoopSettings`.

    Returns:
        The summary, as it stands in `scil-summary.json`. A limit, a dead engine and an instrument
        that does not measure are told there; they raise nothing.

    Raises:
        SkillwalkerError: the input or a setting is wrong; nothing was spent.
    """
    places = _places(tests_dir, output_dir, repo_root, settings)
    order = _order(TargetKind.SKILL, eval, skill, engine, settings)
    return await _improve(order, places, settings, apply=apply, debug=debug)


async def run_acil_loop(
    *,
    engine: str,
    tests_dir: StrPath,
    output_dir: StrPath,
    repo_root: StrPath | None = None,
    eval: str | None = None,  # noqa: A002 (a suite's other name, which the files use)
    agent: str | None = None,
    apply: bool = False,
    debug: bool = False,
    **settings: Unpack[LoopSettings],
) -> Summary:
    """Improve an agent's description, as `acil run` does.

    Arguments, result and errors are those of `run_scil_loop`, with `agent` in the place of
    `skill` and `acil-summary.json` in that of `scil-summary.json`.
    """
    places = _places(tests_dir, output_dir, repo_root, settings)
    order = _order(TargetKind.AGENT, eval, agent, engine, settings)
    return await _improve(order, places, settings, apply=apply, debug=debug)


async def run_evals(
    *,
    engine: str,
    tests_dir: StrPath,
    output_dir: StrPath,
    repo_root: StrPath | None = None,
    evals: Sequence[str] = (),
    test_filter: str | Sequence[str] | None = None,
    debug: bool = False,
    **settings: Unpack[EvalSettings],
) -> EvalSummary:
    """Run the cases of suites once and evaluate them, as `evals run` does.

    Args:
        engine: what runs a trial, as after `--engine`.
        tests_dir: see the module.
        output_dir: where the run is recorded.
        repo_root: see the module.
        evals: names of suites; none means the only one there is.
        test_filter: the name of the one case to run, or several names; None runs all.
        debug: whether to log every event.
        settings: see `EvalSettings`.

    Returns:
        The summary, as it stands in `test-run-summary.json`. A limit and a dead engine are told
        there, and leave cases inconclusive; they raise nothing.

    Raises:
        SkillwalkerError: the input or a setting is wrong; nothing was spent.
    """
    places = _places(tests_dir, output_dir, repo_root, settings)
    config = EvalConfig(**_configuration(settings))
    order = EvalOrder(
        suites=tuple(evals), tests=_several(test_filter), engine=engine, config=config
    )
    listener: Callable[[EvalEvent], None] = _listener(settings.get("listener"), debug=debug)
    limits = _eval_limits(config, engine, settings)
    around = EvalSurroundings(
        places=places,
        temporary=_temporary(places, settings),
        login=_login(settings),
        limits=limits,
        listener=listener,
        open_engine=_opener(engine, config.seed, settings),
        judge=choose_judge(
            settings.get("judge"),
            by_default="api",
            config=config,
            seat=_seat(places.evals_dir, settings),
            limits=limits,
            listener=listener,
        ),
        prices=tuple(settings.get("prices", ())),
    )
    outcome = await run_eval_order(order, around)
    for fault in write_reports(outcome.folder, html=settings.get("html", True)).faults:
        logger.warning("%s", fault)
    return outcome.summary


async def run_test_eval(
    *,
    tests_dir: StrPath,
    output_dir: StrPath,
    test_run_id: str | None = None,
    debug: bool = False,
    **settings: Unpack[JudgeSettings],
) -> tuple[EvalSummary, ...]:
    """Evaluate recorded eval runs without running a trial, as `evals score` does.

    A judge is asked only what it was not asked before.

    Args:
        tests_dir: see the module; the judge's rubrics lie there, all else is in the record.
        output_dir: where runs lie.
        test_run_id: the run to evaluate, again if it has been; None evaluates all that have not.
        debug: whether to log every result.
        settings: see `JudgeSettings`.

    Returns:
        A summary for each run, the oldest first.

    Raises:
        RunNotFoundError: there is no such run.
        StoreError: a run is no eval run, or cannot be read.
    """
    config = EvalConfig(
        judge_model=settings.get("judge_model"),
        judge_runs=settings.get("judge_runs", 1),
        concurrency=settings.get("concurrency", 4),
        max_cost_usd=settings.get("max_cost_usd"),
        max_pause=settings.get("max_pause", MAX_PAUSE),
    )
    outcomes = await score_runs(
        Path(output_dir),
        test_run_id,
        judge=choose_judge(
            settings.get("judge"),
            by_default="api",
            config=config,
            seat=_seat(_evals_dir(tests_dir), settings),
            limits=_eval_limits(config, "", settings),
        ),
        secrets=_login(settings).secrets,
    )
    for row in (row for outcome in outcomes for row in outcome.rows if debug):
        logger.debug("%s", row)
    return tuple(outcome.summary for outcome in outcomes)


async def _improve(
    order: Order, places: Places, settings: LoopSettings, *, apply: bool, debug: bool
) -> Summary:
    """Do one run of the loop."""
    may_write = settings.get("allow_simulated", False)
    around = Surroundings(
        places=places,
        temporary=_temporary(places, settings),
        login=_login(settings),
        listener=_listener(settings.get("listener"), debug=debug),
        approve=lambda summary: apply and (may_write or not summary.simulated),
        limits=_limits(order, settings),
        open_engine=_opener(order.engine, order.config.seed, settings),
        engine_settings=settings.get("engine_settings"),
        prices=tuple(settings.get("prices", ())),
        command_env=settings.get("command_env", {}),
    )
    summary, folder = await run_order(order, around)
    reports = write_reports(
        folder,
        html=settings.get("html", True),
        next_command=next_command(summary, quiet=False),
    )
    for fault in reports.faults:
        around.listener(Warned(message=fault))
    return summary


def _limits(order: Order, settings: LoopSettings) -> Limits:
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


def _eval_limits(config: EvalConfig, engine: str, settings: EvalSettings | JudgeSettings) -> Limits:
    """Give the limits of an eval run, under those of the caller if there are any."""
    prior = eval_prior(settings.get("prices", ()), engine=engine)
    above = settings.get("limits") or Limits(max_pause=config.max_pause, prior=prior)
    return above.share(max_trials=config.max_trials, max_cost_usd=config.max_cost_usd)


def _order(
    kind: TargetKind, suite: str | None, target: str | None, engine: str, settings: LoopSettings
) -> Order:
    """Say what is asked of the loop."""
    improver = settings.get("improver", "simulated" if engine == "simulated" else "api")
    return Order(
        run_kind=KINDS[kind].run_prefix,
        kind=kind,
        suite=suite,
        target=target,
        config=LoopConfig(**_searching(_configuration(settings))),
        engine=engine,
        improver=improver,
        neighbours=_several(settings.get("neighbours", SIBLINGS)),
        fresh=settings.get("fresh", False),
    )


def _configuration(settings: Mapping[str, object]) -> dict[str, Any]:
    """Give the settings that configure a run, by the names of its record."""
    return {
        _RENAMED.get(name, name): value for name, value in settings.items() if name not in _OUTSIDE
    }


def _searching(given: Mapping[str, object]) -> dict[str, Any]:
    """Say how better descriptions are looked for: what may be spent is what a race plans with."""
    return {"search": search_meant(given), **given, "race_trials": given.get("max_trials")}


def _places(
    tests_dir: StrPath, output_dir: StrPath, repo_root: StrPath | None, settings: Settings
) -> Places:
    """Lay the given folders out as a project."""
    evals_dir = _evals_dir(tests_dir)
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


def _metrics(settings: Settings) -> tuple[MetricSettings, ...] | None:
    """Give the metrics that a suite may have tracked; None where the caller names none."""
    metrics = settings.get("metrics")
    return None if metrics is None else tuple(metrics)


def _evals_dir(tests_dir: StrPath) -> Path:
    """Find the folder of suites: the one that is named, or `evals` in it."""
    inner = Path(tests_dir) / EVALS_DIR
    is_suite = (inner / TESTS_FILE).is_file()
    return inner if inner.is_dir() and not is_suite else Path(tests_dir)


def _seat(evals_dir: Path, settings: Settings | JudgeSettings) -> Seat:
    """Say where a judge sits."""
    return Seat(
        evals_dir=evals_dir,
        login=_login(settings),
        engine_settings=settings.get("engine_settings"),
        prices=tuple(settings.get("prices", ())),
    )


def _opener(
    engine: str, seed: int, settings: Settings
) -> Callable[[], AbstractAsyncContextManager[Engine]]:
    """Prepare to open an engine."""
    return partial(open_engine, engine, seed=seed, settings=_engine_settings(settings))


def _engine_settings(settings: Settings) -> EngineSettings | None:
    """Give what the engine is told, the prices of the call among it."""
    told = settings.get("engine_settings")
    prices = tuple(settings.get("prices", ()))
    return replace(told, prices=prices) if told is not None and prices else told


def _login(settings: Settings | JudgeSettings) -> Login:
    """Give the login; that of the engine stands for one that is not named."""
    told = settings.get("engine_settings")
    return settings.get("login", told.login if told is not None else Login())


def _temporary(places: Places, settings: Settings) -> Path:
    """Give the folder of throw-away copies."""
    told = settings.get("engine_settings")
    return Path(
        settings.get("temporary", told.temporary if told is not None else places.output_dir)
    )


def _listener(listener: Callable[[E], None] | None, *, debug: bool) -> Callable[[E], None]:
    """Tell a listener, if there is one, and the log, if that is asked for."""

    def listen(event: E) -> None:
        if debug:
            logger.debug("%s", event)
        if listener is not None:
            listener(event)

    return listen


def _several(named: str | Sequence[str] | None) -> tuple[str, ...]:
    """Take one name as well as several."""
    return (named,) if isinstance(named, str) else tuple(named or ())
