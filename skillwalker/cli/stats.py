"""stats and diff: figures over all recorded runs, and two of them side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.moments import moment_said
from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say_report

if TYPE_CHECKING:
    from skillwalker.datatypes.comparison import Which


def stats(
    ctx: typer.Context,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Count runs too in which no model was asked.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Runs from this day or time (UTC) on."),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", metavar="TARGET", help="Runs of this target alone.")
    ] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Sum up all recorded runs: coverage, outcomes, rates, gains, gates, cost."""
    import json

    from skillwalker.cli.show_text import short_path
    from skillwalker.report.statistics_text import statistics_lines
    from skillwalker.statistics.figures import make_figures
    from skillwalker.statistics.json_records import statistics_record
    from skillwalker.statistics.reading import RunFilter, read_history

    moment = moment_said(since)
    places = open_project(ctx, project).places
    wanted = RunFilter(simulated=simulated, since=moment, target=_target(target, places.project))
    figures = make_figures(read_history(places.output_dir, wanted))
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(statistics_record(figures), ensure_ascii=False, indent=2))
        return
    folder = short_path(places.output_dir, places.project)
    say_report("\n".join(statistics_lines(figures, folder=folder)))


def _target(written: str | None, project: Path) -> str | None:
    """Check that a target was named; a path is recorded as it lies in the project."""
    from skillwalker.cli.show_text import short_path
    from skillwalker.cli.usage import named

    if written is None:
        return None
    named("--target", written)
    path = Path(written)
    return short_path(path, project) if path.is_absolute() else written


def diff(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(metavar="A", help="A run of scil, acil or measure.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The run to lay beside it.")],
    of: Annotated[
        str | None,
        typer.Option(
            metavar="original|best",
            help="Which description of each run; default: the one its file held at the end.",
        ),
    ] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Compare two recorded runs case by case: rates, change with interval, what moved."""
    import json

    from skillwalker.recording.store import find_run
    from skillwalker.report.comparison_text import comparison_lines
    from skillwalker.statistics.compared_run import read_compared
    from skillwalker.statistics.comparison import compare_runs
    from skillwalker.statistics.json_records import comparison_record

    which = _which(of)
    output_dir = open_project(ctx, project).places.output_dir
    folders = (find_run(output_dir, name) for name in (a, b))
    first, second = (read_compared(folder, which) for folder in folders)
    comparison = compare_runs(first, second)
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(comparison_record(comparison), ensure_ascii=False, indent=2))
        return
    say_report("\n".join(comparison_lines(comparison)))


def _which(written: str | None) -> "Which":
    """Read which description is meant.

    Raises:
        BadParameter: exit code 2; there is no such choice.
    """
    from skillwalker.datatypes.comparison import Which

    if written is None:
        return Which.HELD
    if written not in {Which.ORIGINAL, Which.BEST}:
        raise typer.BadParameter(
            f"{written!r} is none; choose original or best", param_hint="'--of'"
        )
    return Which(written)
