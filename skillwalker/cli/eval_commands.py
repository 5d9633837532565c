"""evals run, evals score."""

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from skillwalker.cli import loop_options as options
from skillwalker.cli.option_groups import spread_groups
from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json

JUDGE = "Judge"
Suites = Annotated[
    list[str] | None,
    typer.Option("--eval", metavar="SUITE", help="A suite; repeatable. Default: the only one."),
]
Tests = Annotated[
    list[str] | None, typer.Option("--test", metavar="NAME", help="Only this case; repeatable.")
]
Repeats = Annotated[
    int, typer.Option(help="Runs of a case; odd. A case's own runs come first.", metavar="N")
]
MaxTurns = Annotated[
    int | None, typer.Option(help="Model turns of a trial. Default: 4 for a call, 100 for work.")
]
Timeout = Annotated[
    float | None, typer.Option(help="Seconds of a trial. Default: 180 for a call, 1800 for work.")
]
UnsafeLocal = Annotated[
    bool, typer.Option("--unsafe-local", help="Let real plugins act on this machine.")
]
Judge = Annotated[
    Literal["api", "cli", "simulated"] | None,
    typer.Option(
        help="Who grades by rubrics. Default: simulated for simulated runs, else as --improver.",
        rich_help_panel=JUDGE,
    ),
]
JudgeModel = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Model of the judge. Default: the settings', else the case's, else opus.",
        rich_help_panel=JUDGE,
    ),
]
JudgeRuns = Annotated[
    int,
    typer.Option(
        metavar="N", help="Times the judge is asked about a trial; odd.", rich_help_panel=JUDGE
    ),
]
RunId = Annotated[str | None, typer.Argument(metavar="[RUN_ID]")]
Rescore = Annotated[
    str | None,
    typer.Option(
        metavar="RUN_ID",
        help="Any recorded run: read its trials with today's detector, and only say what changed.",
    ),
]
Asked = Annotated[int, typer.Option(help="Questions to the judge at a time.")]
Force = Annotated[
    bool, typer.Option("--force", help="Without RUN_ID: those that have results as well.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalTrialOptions:
    """How a trial is run."""

    trial_model: options.TrialModel = None
    seed: options.Seed = 0
    engine: options.Engine = None
    claude: options.Claude = None
    max_turns: MaxTurns = None
    timeout: Timeout = None
    concurrency: options.Concurrency = 4
    unsafe_local: UnsafeLocal = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Who grades."""

    judge: Judge = None
    judge_model: JudgeModel = None
    judge_runs: JudgeRuns = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOptions:
    """What is left of an eval run, and shown."""

    junit: options.Junit = None
    no_html: options.NoHtml = False
    quiet: options.Quiet = False
    debug: options.Debug = False
    project: ProjectOption = None
    as_json: JsonOption = False


@spread_groups
def evals_run(
    ctx: typer.Context,
    suites: Suites = None,
    tests: Tests = None,
    repeats: Repeats = 1,
    *,
    trials: EvalTrialOptions,
    judging: JudgeOptions,
    limits: options.LimitOptions,
    asked: ResultOptions,
) -> None:
    """Run the cases of suites and evaluate them: exit 1 on failures, 3 when inconclusive."""
    from skillwalker.cli import eval_planning as planning
    from skillwalker.cli import eval_running as running
    from skillwalker.cli.output_file import output_file
    from skillwalker.cli.usage import one_value

    opened = open_project(ctx, asked.project)
    junit = output_file("--junit", asked.junit, project=opened.places.project)
    task = running.prepare(
        opened,
        suites=tuple(suites or ()),
        tests=tuple(tests or ()),
        engine=trials.engine,
        claude=trials.claude,
        judge=judging.judge,
        limits=limits,
        repeats=repeats,
        trial_model=one_value("--trial-model", trials.trial_model) or opened.settings.models.trial,
        judge_model=judging.judge_model or opened.settings.models.judge,
        judge_runs=judging.judge_runs,
        seed=trials.seed,
        max_turns=trials.max_turns,
        timeout=trials.timeout,
        concurrency=trials.concurrency,
        unsafe_local=trials.unsafe_local,
    )
    as_json = wants_json(ctx, asked.as_json)
    if limits.dry_run:
        raise typer.Exit(planning.show_run(task, opened, as_json=as_json))
    wishes = running.EvalWishes(
        as_json=as_json,
        quiet=asked.quiet,
        debug=asked.debug,
        html=not asked.no_html,
        junit=junit,
    )
    raise typer.Exit(running.run(task, opened, wishes))


def evals_score(
    ctx: typer.Context,
    run_id: RunId = None,
    force: Force = False,
    rescore: Rescore = None,
    judge: Judge = None,
    judge_model: JudgeModel = None,
    judge_runs: JudgeRuns = 1,
    claude: options.Claude = None,
    concurrency: Asked = 4,
    max_cost_usd: options.MaxCostUsd = None,
    deadline: options.Deadline = None,
    max_pause: options.MaxPause = None,
    dry_run: options.DryRun = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a recorded run again, or all that have no results yet; runs no trial."""
    from skillwalker.cli import eval_planning as planning
    from skillwalker.cli import eval_scoring as scoring

    opened = open_project(ctx, project)
    as_json = wants_json(ctx, as_json)
    if rescore is not None:
        if run_id is not None:
            raise typer.BadParameter("--rescore has its own RUN_ID; leave the other one out")
        raise typer.Exit(scoring.rescore(opened, rescore, as_json=as_json))
    task = scoring.prepare(
        opened,
        judge=judge,
        claude=claude,
        limits=options.LimitOptions(
            max_cost_usd=max_cost_usd, deadline=deadline, max_pause=max_pause
        ),
        judge_model=judge_model or opened.settings.models.judge,
        judge_runs=judge_runs,
        concurrency=concurrency,
    )
    if dry_run:
        raise typer.Exit(planning.show_score(task, opened, run_id, again=force, as_json=as_json))
    raise typer.Exit(scoring.score(opened, task, run_id=run_id, again=force, as_json=as_json))
