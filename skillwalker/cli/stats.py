"""stats and diff: figures over all recorded runs, and two of them side by side."""

from datetime import datetime
from typing import Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json


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
    from skillwalker.statistics.reading import Wanted, read_history

    wanted = Wanted(simulated=simulated, since=_moment(since), target=_target(target))
    places = open_project(ctx, project).places
    figures = make_figures(read_history(places.output_dir, wanted))
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(statistics_record(figures), ensure_ascii=False, indent=2))
        return
    folder = short_path(places.output_dir, places.project)
    typer.echo("\n".join(statistics_lines(figures, folder=folder)))


def _target(written: str | None) -> str | None:
    """Check that a target was named."""
    from skillwalker.cli.usage import named

    return None if written is None else named("--target", written)


def _moment(written: str | None) -> datetime | None:
    """Read a day or a moment; one without a zone is UTC.

    Raises:
        BadParameter: exit code 2; it is neither.
    """
    from datetime import UTC

    if written is None:
        return None
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        raise typer.BadParameter(
            f"{written!r} is no date; write it as 2026-11-30 or 2026-11-30T08:00",
            param_hint="'--since'",
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
