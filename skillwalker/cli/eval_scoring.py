"""What evals score does once it runs: recorded runs evaluated, or read again."""

import dataclasses
import json
from dataclasses import dataclass
from functools import partial

import anyio
import typer

from skillwalker.cli import caps
from skillwalker.cli.endings import short_path
from skillwalker.cli.engines import engine_settings
from skillwalker.cli.eval_running import (
    ask_the_judge,
    checked_config,
    exit_code,
    judge_of,
    leave,
    money_and_pause,
    say_pause,
    tell,
)
from skillwalker.cli.finishing import finishing
from skillwalker.cli.loop_options import LimitOptions
from skillwalker.cli.options import Project
from skillwalker.cli.process import EXIT_INTERRUPTED
from skillwalker.cli.saying import say
from skillwalker.cli.signals import run_watched
from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import Judging
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import worst_of
from skillwalker.estimate.guess import require_prices
from skillwalker.evaluation.rescoring import rescore_run
from skillwalker.evaluation.scoring import ChooseJudge, open_questions, score_runs
from skillwalker.evaluation.store import list_eval_runs
from skillwalker.limits import Limits
from skillwalker.paths import Places, in_project
from skillwalker.recording.glances import REPORT
from skillwalker.report.eval_text import judging_line, rescored_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTask:
    """Who judges, and how."""

    config: EvalConfig
    engine_settings: EngineSettings
    judge: str | None
    """As written after `--judge`."""
    limits: LimitOptions


def prepare(
    opened: Project,
    *,
    judge: str | None,
    claude: str | None,
    limits: LimitOptions,
    **settings: object,
) -> ScoreTask:
    """Fill in what was not said.

    Raises:
        BadParameter: exit code 2; a value is out of range, and the message names the flag.
    """
    config = checked_config(**settings, **money_and_pause(opened, limits))
    told = engine_settings(opened, concurrency=config.concurrency, claude=claude)
    return ScoreTask(config=config, engine_settings=told, judge=judge, limits=limits)


def chosen_judge(task: ScoreTask, opened: Project, limits: Limits) -> ChooseJudge:
    """Prepare to choose who judges."""
    return judge_of(
        opened,
        task.engine_settings,
        task.config,
        asked=task.judge,
        limits=limits,
        listener=_say_judging,
    )


def score(
    opened: Project, task: ScoreTask, *, run_id: str | None, again: bool, as_json: bool
) -> int:
    """Evaluate recorded runs, tell the results, and give the exit code of them all."""
    limits = caps.open_eval_limits(opened, task.limits, task.config, engine="", on_pause=say_pause)
    judge = chosen_judge(task, opened, limits)
    if task.config.max_cost_usd is not None:
        asked, _ = open_questions(opened.places.output_dir, run_id, judge=judge, again=again)
        require_prices(asked, opened.settings.prices)
    work = partial(
        score_runs,
        opened.places.output_dir,
        run_id,
        judge=judge,
        again=again,
        secrets=task.engine_settings.login.secrets,
    )
    with finishing(limits) as finish:
        outcomes = anyio.run(run_watched, work, limits)
        if outcomes is None:
            return EXIT_INTERRUPTED
        if not outcomes:
            say(_nothing_open(opened.places), err=True)
        tell(outcomes, as_json=as_json, alone=run_id is not None)
        with finish.may_be_cut("not every report was written; skillwalker report RUN_ID does"):
            for outcome in outcomes:
                leave(outcome, html=(outcome.folder / REPORT).is_file())
        codes = {exit_code(outcome, is_new=False) for outcome in outcomes}
        return finish.code(worst_of(codes), still=ask_the_judge(outcomes, opened.places))


def rescore(opened: Project, run_id: str, *, as_json: bool) -> int:
    """Read a run's trials again and tell what changed; that some did is no error."""
    found = rescore_run(opened.places, run_id)
    for line in rescored_lines(found):
        say(line, err=True)
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(found), ensure_ascii=False, indent=2))
    return 0


def _nothing_open(places: Places) -> str:
    """Say why there was nothing to evaluate."""
    if list_eval_runs(places.output_dir, evaluated=True):
        return "every eval run has results; name one to evaluate it again"
    make = in_project("skillwalker evals run", places.said)
    return f"no eval run is recorded in {short_path(places.output_dir)}; `{make}` makes one"


def _say_judging(event: Judging) -> None:
    say(judging_line(event), err=True)
