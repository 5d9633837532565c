"""report: the reports of recorded runs, written again or for the first time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from skillwalker.report.files import Reports


def report(
    ctx: typer.Context,
    run_id: Annotated[
        str | None, typer.Argument(metavar="[RUN_ID]", help="A recorded run.")
    ] = None,
    all_runs: Annotated[
        bool, typer.Option("--all", help="An index of all runs, with trends by target.")
    ] = False,
    no_transcripts: Annotated[
        bool, typer.Option("--no-transcripts", help="Leave out what was said in the trials.")
    ] = False,
    no_html: Annotated[bool, typer.Option("--no-html", help="Write no report.html.")] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the run as JUnit XML, too.")
    ] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Write a run's report.html and report.md, or with --all an index.html of every run."""
    if all_runs == (run_id is not None):
        raise typer.BadParameter("name one run, or give --all")
    if all_runs and (no_html or junit is not None):
        raise typer.BadParameter("--no-html and --junit go with one run, not with --all")
    from skillwalker.cli.output_file import output_file

    places = open_project(ctx, project).places
    output = places.output_dir
    junit = output_file("--junit", junit, project=places.project)
    if run_id is None:
        _show(ctx, as_json, _report_all(output, places.said, transcripts=not no_transcripts))
        return
    from skillwalker.errors import StoreError
    from skillwalker.recording.store import find_run
    from skillwalker.report.files import write_reports

    folder = find_run(output, run_id)
    reports = write_reports(
        folder,
        html=not no_html,
        junit=junit,
        transcripts=not no_transcripts,
        next_command=_next_command(folder, places.said),
    )
    if reports.faults:
        raise StoreError("; ".join(reports.faults))
    _show(ctx, as_json, reports)


def _next_command(folder: Path, project: str | None) -> str | None:
    """Name what a user would do now with a run; nothing with an eval run.

    Raises:
        StoreError: it has no summary; the message says how to go on.
    """
    from skillwalker.errors import StoreError
    from skillwalker.recording.recorded_evals import is_evaluated
    from skillwalker.recording.store import SUMMARIES, read_plan, read_summary
    from skillwalker.recording.summary_records import read_summary as read_record
    from skillwalker.report.next_step import next_command, resume_command

    if any((folder / name).is_file() for name in SUMMARIES):
        return next_command(read_record(read_summary(folder)), quiet=False, project=project)
    if is_evaluated(folder):
        return None
    kind = read_plan(folder).get("kind")
    resume = resume_command(str(kind), folder.name, project=project)
    how = f"; go on with it: {resume}" if kind else ""
    raise StoreError(f"run {folder.name} has no summary: it did not end{how}")


def _report_all(output: Path, project: str | None, *, transcripts: bool) -> "Reports":
    """Write the index, and the reports that are missing, so that it leads somewhere."""
    from skillwalker.cli.endings import short_path
    from skillwalker.errors import StoreError
    from skillwalker.recording.glances import glance_at_runs
    from skillwalker.recording.recorded_evals import is_evaluated
    from skillwalker.report.files import Reports, write_index, write_reports
    from skillwalker.report.next_step import next_command

    if not output.is_dir():
        raise StoreError(f"there is no recorded run: {short_path(output)} does not exist")
    written: list[Path] = []
    faults: list[str] = []
    for glance in glance_at_runs(output):
        folder, summary = output / glance.run_id, glance.summary
        if glance.report is None and (summary is not None or is_evaluated(folder)):
            command = (
                None if summary is None else next_command(summary, quiet=False, project=project)
            )
            reports = write_reports(folder, transcripts=transcripts, next_command=command)
            written += reports.written
            faults += reports.faults
    return Reports(written=(write_index(output), *written), faults=tuple(faults))


def _show(ctx: typer.Context, as_json: bool, reports: "Reports") -> None:
    """Say what was written."""
    import json

    from skillwalker.cli.endings import short_path

    for fault in reports.faults:
        say(f"warning: {fault}", err=True)
    paths = [short_path(path) for path in reports.written]
    if wants_json(ctx, as_json):
        typer.echo(json.dumps({"written": paths}, ensure_ascii=False, indent=2))
    else:
        typer.echo("\n".join(paths))
