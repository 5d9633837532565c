"""The four public functions: what the command line does, for programs.

Paths and settings are arguments. Nothing here reads the environment, the current folder or a
settings file, and nothing is printed; progress goes to a listener. `tests_dir` is the folder that
holds `evals/`, or the folder of suites itself; `repo_root` is the folder that holds `plugins/` and
`.claude/`, by default the one that holds the folder of suites.
"""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar, Unpack

from skillwalker.api_inputs import (
    configuration,
    engine_opener,
    eval_limits,
    evals_folder,
    judge_seat,
    login_of,
    loop_limits,
    loop_order,
    places_of,
    several,
    temporary_folder,
)
from skillwalker.api_settings import (
    EvalSettings,
    JudgeSettings,
    LoopSettings,
    StrPath,
    told_by_name,
)
from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import EvalEvent, EvalSummary
from skillwalker.datatypes.summary import Summary, Warned
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.evaluation.judge_choice import choose_judge
from skillwalker.evaluation.plan import EvalOrder
from skillwalker.evaluation.recorded import EvalSurroundings, run_eval_order
from skillwalker.evaluation.scoring import score_runs
from skillwalker.paths import Places
from skillwalker.plan import Order
from skillwalker.recorded_run import Surroundings, run_order
from skillwalker.report.aside import write_aside
from skillwalker.report.files import write_reports
from skillwalker.report.next_step import next_command

logger = logging.getLogger(__name__)

E = TypeVar("E")


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
    known = LoopSettings.__optional_keys__
    with told_by_name("run_scil_loop", settings, known, "engine", "eval", "skill", "apply"):
        places = places_of(tests_dir, output_dir, repo_root, settings)
        order = loop_order(TargetKind.SKILL, eval, skill, engine, settings)
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
    known = LoopSettings.__optional_keys__
    with told_by_name("run_acil_loop", settings, known, "engine", "eval", "agent", "apply"):
        places = places_of(tests_dir, output_dir, repo_root, settings)
        order = loop_order(TargetKind.AGENT, eval, agent, engine, settings)
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
    known = EvalSettings.__optional_keys__
    with told_by_name("run_evals", settings, known, "engine", "evals", "test_filter"):
        places = places_of(tests_dir, output_dir, repo_root, settings)
        config = EvalConfig(**configuration(settings))
        order = EvalOrder(
            suites=tuple(evals), tests=several(test_filter), engine=engine, config=config
        )
        listener: Callable[[EvalEvent], None] = _listener(settings.get("listener"), debug=debug)
        limits = eval_limits(config, engine, settings)
        around = EvalSurroundings(
            places=places,
            temporary=temporary_folder(places, settings),
            login=login_of(settings),
            limits=limits,
            listener=listener,
            open_engine=engine_opener(engine, config.seed, settings),
            judge=choose_judge(
                settings.get("judge"),
                by_default="api",
                config=config,
                seat=judge_seat(places.evals_dir, settings),
                limits=limits,
                listener=listener,
            ),
            prices=tuple(settings.get("prices", ())),
        )
        outcome = await run_eval_order(order, around)
        write = partial(write_reports, outcome.folder, html=settings.get("html", True))
        for fault in (await write_aside(write)).faults:
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
    with told_by_name("run_test_eval", settings, JudgeSettings.__optional_keys__):
        default = EvalConfig()
        config = EvalConfig(
            judge_model=settings.get("judge_model"),
            judge_runs=settings.get("judge_runs", default.judge_runs),
            concurrency=settings.get("concurrency", default.concurrency),
            max_cost_usd=settings.get("max_cost_usd"),
            max_pause=settings.get("max_pause", default.max_pause),
        )
        outcomes = await score_runs(
            Path(output_dir),
            test_run_id,
            judge=choose_judge(
                settings.get("judge"),
                by_default="api",
                config=config,
                seat=judge_seat(evals_folder(tests_dir), settings),
                limits=eval_limits(config, "", settings),
            ),
            secrets=login_of(settings).secrets,
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
        temporary=temporary_folder(places, settings),
        login=login_of(settings),
        listener=_listener(settings.get("listener"), debug=debug),
        approve=lambda summary: apply and (may_write or not summary.simulated),
        limits=loop_limits(order, settings),
        open_engine=engine_opener(order.engine, order.config.seed, settings),
        engine_settings=settings.get("engine_settings"),
        prices=tuple(settings.get("prices", ())),
        command_env=settings.get("command_env", {}),
        writes_unasked=apply and (may_write or order.engine != "simulated"),
    )
    summary, folder = await run_order(order, around)
    write = partial(
        write_reports,
        folder,
        html=settings.get("html", True),
        next_command=next_command(summary, quiet=False),
    )
    for fault in (await write_aside(write)).faults:
        around.listener(Warned(message=fault))
    return summary


def _listener(listener: Callable[[E], None] | None, *, debug: bool) -> Callable[[E], None]:
    """Tell a listener, if there is one, and the log, if that is asked for."""

    def listen(event: E) -> None:
        if debug:
            logger.debug("%s", event)
        if listener is not None:
            listener(event)

    return listen
