"""scil run, acil run and measure: one command, with another kind and another last step."""

from collections.abc import Callable
from typing import Annotated

import typer

from skillwalker.cli import loop_options as options
from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json


def improve_command(noun: str, run_kind: str) -> Callable[..., None]:
    """Make `scil run` or `acil run`.

    Args:
        noun: skill or agent, the kind of target and the option that names it.
        run_kind: scil or acil, the first word of the run's files.
    """
    target_option = typer.Option(
        f"--{noun}", metavar="TARGET", help=f"The {noun}: plugin:name, project:name or a path."
    )

    def run(
        ctx: typer.Context,
        suite: options.Eval = None,
        target: Annotated[str | None, target_option] = None,
        max_iterations: options.MaxIterations = 5,
        holdout: options.Holdout = 0.0,
        runs_per_query: options.RunsPerQuery = 1,
        model: options.Model = "opus",
        trial_model: options.TrialModel = None,
        seed: options.Seed = 0,
        gate: options.Gate = 0.9,
        no_gate: options.NoGate = False,
        confirm_runs: options.ConfirmRuns = 3,
        max_loss: options.MaxLoss = 0.05,
        engine: options.Engine = None,
        improver: options.Improver = None,
        neighbours: options.Neighbours = None,
        listing: options.Listing = "real",
        claude: options.Claude = None,
        max_turns: options.MaxTurns = 4,
        timeout: options.Timeout = 180.0,
        concurrency: options.Concurrency = 4,
        max_trials: options.MaxTrials = None,
        apply: options.Apply = False,
        allow_simulated: options.AllowSimulated = False,
        require_improvement: options.RequireImprovement = False,
        fail_under: options.FailUnder = None,
        resume: options.Resume = None,
        accept_changes: options.AcceptChanges = False,
        fresh: options.Fresh = False,
        quiet: options.Quiet = False,
        debug: options.Debug = False,
        project: ProjectOption = None,
        as_json: JsonOption = False,
    ) -> None:
        del fresh  # every trial is one: no run reuses another's
        from skillwalker.cli import running
        from skillwalker.cli.endings import Wishes
        from skillwalker.cli.usage import named, one_value
        from skillwalker.datatypes.vocabulary import TargetKind

        opened = open_project(ctx, project)
        wishes = Wishes(
            as_json=wants_json(ctx, as_json),
            quiet=quiet,
            debug=debug,
            apply=apply,
            allow_simulated=allow_simulated,
            require_improvement=require_improvement,
            fail_under=running.fraction("--fail-under", fail_under),
        )
        if resume is not None:
            from skillwalker.cli import resuming

            code = resuming.resume(
                ctx,
                opened,
                resume,
                run_kind=run_kind,
                concurrency=concurrency,
                max_trials=max_trials,
                accept_changes=accept_changes,
                wishes=wishes,
            )
            raise typer.Exit(code)
        running.require_resume("--accept-changes", accept_changes)
        machinery = running.machinery(
            opened,
            engine=engine,
            improver=improver,
            concurrency=concurrency,
            claude=claude,
            listing=listing,
        )
        order = running.order(
            run_kind=run_kind,
            kind=TargetKind(noun),
            suite=suite,
            target=target,
            machinery=machinery,
            neighbours=neighbours,
            config=running.config(
                max_iterations=max_iterations,
                holdout=holdout,
                runs_per_query=runs_per_query,
                improver_model=named("--model", model),
                trial_model=one_value("--trial-model", trial_model),
                seed=seed,
                gate=None if no_gate else gate,
                confirm_runs=confirm_runs,
                max_loss=max_loss,
                max_turns=max_turns,
                timeout=timeout,
                concurrency=concurrency,
                max_trials=max_trials,
            ),
        )
        raise typer.Exit(running.run((order,), opened, machinery, wishes))

    run.__doc__ = f"Improve the description of one {noun}."
    return run


scil_run = improve_command("skill", "scil")
acil_run = improve_command("agent", "acil")


def measure(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TARGET]...", help="Skills or agents; default: the suite's one."),
    ] = None,
    suite: options.Eval = None,
    runs_per_query: options.RunsPerQuery = 1,
    trial_model: options.TrialModel = None,
    seed: options.Seed = 0,
    engine: options.Engine = None,
    neighbours: options.Neighbours = None,
    listing: options.Listing = "real",
    claude: options.Claude = None,
    max_turns: options.MaxTurns = 4,
    timeout: options.Timeout = 180.0,
    concurrency: options.Concurrency = 4,
    max_trials: options.MaxTrials = None,
    fail_under: options.FailUnder = None,
    resume: options.Resume = None,
    accept_changes: options.AcceptChanges = False,
    fresh: options.Fresh = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how often Claude Code uses a skill or agent; never writes it."""
    del fresh  # every trial is one: no run reuses another's
    from skillwalker.cli import running
    from skillwalker.cli.endings import Wishes
    from skillwalker.cli.usage import one_value

    opened = open_project(ctx, project)
    wishes = Wishes(
        as_json=wants_json(ctx, as_json),
        quiet=quiet,
        debug=debug,
        fail_under=running.fraction("--fail-under", fail_under),
    )
    if resume is not None:
        from skillwalker.cli import resuming

        code = resuming.resume(
            ctx,
            opened,
            resume,
            run_kind="measure",
            concurrency=concurrency,
            max_trials=max_trials,
            accept_changes=accept_changes,
            wishes=wishes,
        )
        raise typer.Exit(code)
    running.require_resume("--accept-changes", accept_changes)
    machinery = running.machinery(
        opened, engine=engine, concurrency=concurrency, claude=claude, listing=listing
    )
    config = running.config(
        runs_per_query=runs_per_query,
        trial_model=one_value("--trial-model", trial_model),
        seed=seed,
        max_turns=max_turns,
        timeout=timeout,
        concurrency=concurrency,
        max_trials=max_trials,
    )
    orders = tuple(
        running.order(
            run_kind="measure",
            kind=running.kind_of(opened, target=target, suite=suite),
            suite=suite,
            target=target,
            machinery=machinery,
            neighbours=neighbours,
            config=config,
        )
        for target in targets or (None,)
    )
    raise typer.Exit(running.run(orders, opened, machinery, wishes))
