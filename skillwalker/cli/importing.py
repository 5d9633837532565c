"""evals import: other tools' trigger evals as a suite."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillwalker.datatypes.inputs import Target
    from skillwalker.foreign.entries import Imported
    from skillwalker.foreign.tree import ForeignSuite
    from skillwalker.paths import Places

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files (.json, .jsonl, .yaml, .csv, .tsv, .txt, .md), or a folder of suites.",
    ),
]
SuiteName = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="NAME",
        help="Name of the new suite. A folder of suites may go without: each keeps its own.",
    ),
]
Skill = Annotated[
    str | None, typer.Option("--skill", metavar="TARGET", help="The skill that they are about.")
]
Agent = Annotated[
    str | None, typer.Option("--agent", metavar="TARGET", help="The agent that they are about.")
]


def evals_import(
    ctx: typer.Context,
    files: Files,
    suite: SuiteName = None,
    skill: Skill = None,
    agent: Agent = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Write other tools' trigger evals as a new suite, or nothing where an entry is unclear."""
    from skillwalker.cli.named_files import target_asked

    places = open_project(ctx, project).places
    target = target_asked(skill, agent, places)
    imported = _import(files, suite, target, places)
    if wants_json(ctx, as_json):
        records = [_record(each, target) for each in imported]
        typer.echo(json.dumps({"suites": records}, ensure_ascii=False))
    else:
        for each in imported:
            say(_line(each, target, places))
    for each in imported:
        for note in each.notes:
            say(f"{_path(each, places)}: {note}", err=True)


def _import(
    files: list[str], suite: str | None, target: "Target | None", places: "Places"
) -> "tuple[Imported, ...]":
    """Import suites of our own form, or files of other tools; not both at once."""
    from skillwalker.errors import SuiteError
    from skillwalker.foreign.importing import import_queries, import_suites
    from skillwalker.targets.names import written_in_suites

    found, foreign = _sorted([(Path.cwd() / name, name) for name in files])
    if found and foreign:
        raise SuiteError(
            f"{foreign[0][1]}: holds queries, but {found[0].label} is a suite; import one at a time"
        )
    written = written_in_suites(target, places) if target is not None else None
    if found:
        return import_suites(found, suite=suite, target=target, written=written, places=places)
    if suite is None:
        raise typer.BadParameter("name the new suite", param_hint="'--suite'")
    if target is None or written is None:
        raise typer.BadParameter(
            "say which skill or agent the entries are about", param_hint="'--skill' / '--agent'"
        )
    return (import_queries(foreign, suite=suite, target=target, written=written, places=places),)


def _sorted(
    paths: "Sequence[tuple[Path, str]]",
) -> "tuple[list[ForeignSuite], list[tuple[Path, str]]]":
    """Tell suites of our own form from files of other tools; what is neither is named at once."""
    from skillwalker.errors import SuiteError
    from skillwalker.foreign.importing import suites_at

    found: list[ForeignSuite] = []
    foreign = []
    faults = []
    for path, label in paths:
        try:
            suites = suites_at(path, label)
        except SuiteError as error:
            faults.append(str(error))
            continue
        if suites is None:
            foreign.append((path, label))
        else:
            found += suites
    if faults:
        raise SuiteError("\n".join(faults))
    return found, foreign


def _path(imported: "Imported", places: "Places") -> str:
    """Write where a suite lies so that it can be opened from here, also with -C."""
    whole, here = places.project / imported.path, Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _line(imported: "Imported", target: "Target | None", places: "Places") -> str:
    parts = [f"{imported.positive} should trigger", f"{imported.negative} should not"]
    if imported.other:
        parts.append(f"{imported.other} of other types")
    total = imported.positive + imported.negative + imported.other
    cases = "1 case" if total == 1 else f"{total} cases"
    about = f" for {target.id}" if target is not None else ""
    return f"{_path(imported, places)}: {cases}{about}, {', '.join(parts)}"


def _record(imported: "Imported", target: "Target | None") -> dict[str, object]:
    return {
        "suite": imported.name,
        "path": imported.path,
        "target": target.id if target is not None else None,
        "positive": imported.positive,
        "negative": imported.negative,
        "other": imported.other,
        "notes": list(imported.notes),
    }
