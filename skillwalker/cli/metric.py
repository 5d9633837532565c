"""metric run, extract, list, status, calibrate."""

from pathlib import Path
from typing import Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, wants_json

COMMAND_CONTEXT = {"allow_interspersed_args": False}
"""What stands behind the program of `metric run` is the program's, with or without `--`."""
DIRECTIONS = ("increase", "decrease")

Primary = Annotated[
    str | None, typer.Option(metavar="NAME", help="The metric that counts; missing is an error.")
]


def metric_run(
    ctx: typer.Context,
    command: Annotated[list[str], typer.Argument(metavar="COMMAND…")],
    goal: Annotated[
        float | None, typer.Option(metavar="N", help="Exit 4 when the median misses it.")
    ] = None,
    direction: Annotated[
        str | None, typer.Option(metavar="|".join(DIRECTIONS), help="Which way is better.")
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="The median of so many runs counts.")] = 3,
    timeout: Annotated[
        float, typer.Option(help="Seconds of a run; then all that it started is ended.")
    ] = 300.0,
    primary: Primary = None,
    shell: Annotated[
        bool, typer.Option("--shell", help="Give the command to /bin/sh; without it, no shell.")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history/--no-history", help="Note the result under metrics/.")
    ] = True,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a verification command: exit 0 success, 1 failure, 4 when it missed the goal."""
    from skillwalker.cli import metric_running as running

    task = running.Task(
        argv=running.command_line(command, shell=shell),
        goal=running.goal(goal, direction),
        runs=runs,
        wall=running.seconds(timeout),
        primary=primary,
        keep=history,
    )
    raise typer.Exit(running.run(ctx, task, project, as_json=wants_json(ctx, as_json)))


def metric_extract(
    ctx: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", show_default=False)] = None,
    primary: Primary = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read METRIC lines of a file or stdin; exit 1 when the named primary is missing."""
    from skillwalker.cli import metric_running as running

    del project  # an output belongs to none
    raise typer.Exit(running.extract(file, primary, as_json=wants_json(ctx, as_json)))


def metric_list(
    ctx: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """List the declared metrics, and the secondary ones that runs ever had."""
    from skillwalker.cli import metric_registry as registry

    registry.show_list(ctx, project, as_json=wants_json(ctx, as_json))


def metric_status(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", show_default=False)] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what each metric is worth by its calibrations."""
    from skillwalker.cli import metric_registry as registry

    registry.show_status(ctx, project, name, as_json=wants_json(ctx, as_json))


def metric_calibrate(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME")],
    predicted: Annotated[float, typer.Option(metavar="X", help="What was expected.")],
    observed: Annotated[float, typer.Option(metavar="Y", help="What was measured then.")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Note a prediction and what came of it; a metric is promoted once the gate is passed."""
    from skillwalker.cli import metric_registry as registry

    registry.calibrate(
        ctx,
        project,
        name,
        predicted=registry.finite("--predicted", predicted),
        observed=registry.finite("--observed", observed),
        as_json=wants_json(ctx, as_json),
    )
