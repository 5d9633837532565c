"""show, describe, apply, undo: what Claude Code is shown of a file, and writing it."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from skillwalker.datatypes.edits import Edit, WrittenFile
    from skillwalker.paths import Places

ForceOption = Annotated[bool, typer.Option("--force", help="Do it even if the file changed.")]


def show(
    ctx: typer.Context,
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TARGET|PATH]...", help="Default: all targets of the project."),
    ] = None,
    position: Annotated[
        str | None,
        typer.Option(metavar="plugin|project", help="Read the files as if they lay there."),
    ] = None,
    installed: Annotated[
        bool,
        typer.Option("--installed", help="All that your Claude Code lists here, and its room."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 if one is not listed or has an error.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Print what Claude Code is shown of skills and agents."""
    from skillwalker.cli.installed import installed_record, room_text
    from skillwalker.cli.named_files import position_of, shown_targets
    from skillwalker.cli.show_text import is_sound, listed_record, listed_text, written_text
    from skillwalker.targets.installed import find_installed, rooms
    from skillwalker.targets.names import invoked_as

    places = open_project(ctx, project).places
    there = find_installed(places) if installed else ()
    shown = [(each.target, each.listed) for each in there]
    if targets or not installed:
        shown += shown_targets(targets, places, position_of(position))
    if wants_json(ctx, as_json):
        records = [listed_record(listed, places.project) for _, listed in shown]
        more = installed_record(there, rooms(there)) if installed else {}
        typer.echo(json.dumps({"targets": records, **more}, ensure_ascii=False, indent=2))
    else:
        texts = [
            listed_text(
                each, written_text(t), places, name=None if position else invoked_as(t, places)
            )
            for t, each in shown
        ]
        typer.echo("\n\n".join([*texts, room_text(rooms(there))] if installed else texts))
    if not shown:
        where = f"{places.home} or {places.project}" if installed else f"{places.project}"
        say(f"there is no skill or agent in {where}; name a folder that holds some", err=True)
    if strict and not all(is_sound(listed) for _, listed in shown):
        raise typer.Exit(1)


def describe(
    ctx: typer.Context,
    target: Annotated[str, typer.Argument(metavar="TARGET", help="plugin:name or a path.")],
    text_file: Annotated[
        str, typer.Option("--text-file", metavar="F|-", help="File with the text; - is stdin.")
    ],
    kind: Annotated[
        str | None, typer.Option(metavar="skill|agent", help="Where a name means both.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the change.")] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Write a description by hand: same checks, diff and undo as a run's."""
    from skillwalker.cli.named_files import kind_said, one_target
    from skillwalker.cli.own_text import read_text, require_clean, warn_of_file
    from skillwalker.recording.edits import write_recorded
    from skillwalker.recording.store import create_run
    from skillwalker.steps.step_7_write_back import plan_write

    places = open_project(ctx, project).places
    found = one_target(target, places, kind_said(kind))
    text = read_text(text_file)
    require_clean(found, text)
    planned = plan_write(found, text)
    warn_of_file(found, planned.after, places.project)
    run_id = None
    if planned.after != planned.before and not dry_run:
        run = create_run(places.output_dir)
        try:
            write_recorded(run, found, text, project=places.project, force=force)
        except BaseException:
            _drop_if_empty(run)
            raise
        run_id = run.name
    _report(ctx, as_json, planned, places, run_id=run_id, dry_run=dry_run)


def apply(
    ctx: typer.Context,
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="A run of scil or acil.")],
    force: Annotated[
        bool,
        typer.Option("--force", help="Even if the file changed since, or the gate was not passed."),
    ] = False,
    allow_simulated: Annotated[
        bool, typer.Option("--allow-simulated", help="Even if the run was simulated.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Write a recorded run's best description into its target's file."""
    from skillwalker.overnight.afterwards import note_applied
    from skillwalker.recording.best import (
        mark_applied,
        read_best,
        require_applicable,
        require_unchanged,
    )
    from skillwalker.recording.edits import write_recorded
    from skillwalker.recording.store import find_run
    from skillwalker.steps.step_7_write_back import plan_write
    from skillwalker.targets.file import read_target
    from skillwalker.targets.known import with_owner

    places = open_project(ctx, project).places
    run = find_run(places.output_dir, run_id)
    best = read_best(run)
    require_applicable(best, force=force, allow_simulated=allow_simulated)
    path = places.project / best.target_path
    found = with_owner(read_target(path, best.target_kind, best.position), places)
    require_unchanged(found, best, force=force)
    planned = plan_write(found, best.best_description)
    if planned.after != planned.before:
        write_recorded(run, found, best.best_description, project=places.project, force=force)
        note = partial(
            note_applied, places, run, replaced=found.description, text=best.best_description
        )
        _remember(note)
    mark_applied(run, applied=True)
    _refresh(run, places.said)
    _report(ctx, as_json, planned, places, run_id=run.name, dry_run=False)


def undo(
    ctx: typer.Context,
    what: Annotated[
        str | None,
        typer.Argument(metavar="[RUN_ID|TARGET]", help="Default: the newest write of all."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Even if the file is no longer what was written.")
    ] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Put back the bytes that a write replaced."""
    from skillwalker.cli.show_text import diff_text, short_path
    from skillwalker.overnight.afterwards import note_undone
    from skillwalker.recording.edits import undo_edit

    places = open_project(ctx, project).places
    rows = []
    for edit in _edits_to_undo(what, places):
        undone = undo_edit(edit, project=places.project, force=force)
        _mark_not_applied(places.output_dir / edit.run_id, places.said)
        _remember(partial(note_undone, places, places.output_dir / edit.run_id, edit.path))
        path = short_path(edit.path, places.project)
        diff = diff_text(undone, path)
        rows.append({"run_id": edit.run_id, "path": path, "target": edit.target, "diff": diff})
        say(f"{path}: holds again what it held before run {edit.run_id}", err=True)
    if wants_json(ctx, as_json):
        typer.echo(json.dumps({"undone": rows}, ensure_ascii=False))
    else:
        typer.echo("".join(row["diff"] for row in rows), nl=False)


def _edits_to_undo(what: str | None, places: "Places") -> list["Edit"]:
    """Find the writes that are meant and not yet undone."""
    import re

    from skillwalker.cli.endings import short_path
    from skillwalker.cli.named_files import path_meant
    from skillwalker.errors import StoreError
    from skillwalker.recording.edits import list_edits, read_edits
    from skillwalker.recording.store import find_run
    from skillwalker.user_files import real_path

    if what is not None and re.fullmatch(r"\d{8}T\d{6}(-\d+)?", what):
        run = find_run(places.output_dir, what)
        open_edits = [e for e in read_edits(run, places.project) if e.undone_at is None]
        if not open_edits:
            raise StoreError(f"run {what} wrote no file that is not undone already")
        return open_edits
    open_edits = [e for e in list_edits(places.output_dir, places.project) if e.undone_at is None]
    if what is not None:
        path = path_meant(what, places)
        open_edits = [edit for edit in open_edits if real_path(edit.path) == real_path(path)]
    if not open_edits:
        of = "" if what is None else f" of {what}"
        where = short_path(places.output_dir)
        raise StoreError(f"there is nothing to undo: {where} records no write{of}")
    return open_edits[:1]


def _mark_not_applied(run: Path, project: str | None) -> None:
    """A run whose write was undone is not applied; a write by hand or of a merge has no summary."""
    from skillwalker.recording.best import mark_applied
    from skillwalker.recording.store import SUMMARIES

    if any((run / name).is_file() for name in SUMMARIES):
        mark_applied(run, applied=False)
        _refresh(run, project)


def _remember(note: Callable[[], None]) -> None:
    """Put a write into skillwalker.lock; the write stands whatever becomes of that."""
    from skillwalker.errors import SkillwalkerError

    try:
        note()
    except SkillwalkerError as error:
        say(f"warning: skillwalker.lock was not updated: {error}", err=True)


def _refresh(run: Path, project: str | None) -> None:
    """Let the run's reports say what is in the file now, and what to do next."""
    from skillwalker.report.files import refresh_reports

    for fault in refresh_reports(run, project=project).faults:
        say(f"warning: {fault}", err=True)


def _drop_if_empty(run: Path) -> None:
    import contextlib

    for folder in (run / "original", run):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _report(
    ctx: typer.Context,
    as_json: bool,
    written: "WrittenFile",
    places: "Places",
    *,
    run_id: str | None,
    dry_run: bool,
) -> None:
    """Print the change on stdout, and what became of it on stderr."""
    from skillwalker.cli.show_text import diff_text, short_path
    from skillwalker.paths import in_project

    path = short_path(written.path, places.project)
    changed = written.after != written.before
    diff = diff_text(written, path)
    if wants_json(ctx, as_json):
        record = {"path": path, "changed": changed and not dry_run, "dry_run": dry_run}
        typer.echo(json.dumps({**record, "run_id": run_id, "diff": diff}, ensure_ascii=False))
        return
    if diff:
        typer.echo(diff, nl=False)
    if not changed:
        say(f"{path}: nothing to change", err=True)
    elif dry_run:
        say(f"{path}: nothing was written (--dry-run)", err=True)
    else:
        undo = in_project(" ".join(filter(None, ("skillwalker undo", run_id))), places.said)
        say(f"{path}: written; '{undo}' takes it back", err=True)
