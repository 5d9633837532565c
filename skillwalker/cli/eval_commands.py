"""evals run, evals score."""

from typing import Annotated

import typer

from skillwalker.cli import loop_options as options
from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json

Suites = Annotated[
    list[str] | None,
    typer.Option("--eval", metavar="SUITE", help="A suite; repeatable. Default: the only one."),
]
Test = Annotated[str | None, typer.Option("--test", metavar="NAME", help="Only this case.")]
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
RunId = Annotated[str | None, typer.Argument(metavar="[RUN_ID]")]
Force = Annotated[
    bool, typer.Option("--force", help="Without RUN_ID: those that have results as well.")
]


def evals_run(
    ctx: typer.Context,
    suites: Suites = None,
    test: Test = None,
    repeats: Repeats = 1,
    trial_model: options.TrialModel = None,
    seed: options.Seed = 0,
    engine: options.Engine = None,
    claude: options.Claude = None,
    max_turns: MaxTurns = None,
    timeout: Timeout = None,
    concurrency: options.Concurrency = 4,
    max_trials: options.MaxTrials = None,
    unsafe_local: UnsafeLocal = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the cases of suites and evaluate them: exit 1 on failures, 3 when inconclusive."""
    from skillwalker.cli import eval_running as running
    from skillwalker.cli.usage import one_value

    opened = open_project(ctx, project)
    task = running.prepare(
        opened,
        suites=tuple(suites or ()),
        test=test,
        engine=engine,
        claude=claude,
        repeats=repeats,
        trial_model=one_value("--trial-model", trial_model),
        seed=seed,
        max_turns=max_turns,
        timeout=timeout,
        concurrency=concurrency,
        max_trials=max_trials,
        unsafe_local=unsafe_local,
    )
    as_json = wants_json(ctx, as_json)
    raise typer.Exit(running.run(task, opened, as_json=as_json, quiet=quiet, debug=debug))


def evals_score(
    ctx: typer.Context,
    run_id: RunId = None,
    force: Force = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a recorded run again, or all that have no results yet; runs nothing."""
    from skillwalker.cli import eval_running as running

    opened = open_project(ctx, project)
    as_json = wants_json(ctx, as_json)
    raise typer.Exit(running.score(opened, run_id=run_id, again=force, as_json=as_json))
