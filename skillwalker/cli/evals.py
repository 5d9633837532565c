"""evals list, evals schema."""

import json
from typing import TYPE_CHECKING

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillwalker.suites.overview import BareTarget, SuiteOverview

NEVER = " (can never trigger: 'skillwalker show' says why)"


def evals_list(
    ctx: typer.Context, project: ProjectOption = None, as_json: JsonOption = False
) -> None:
    """List the suites; one that is broken is shown with its faults, and the exit code is 1."""
    from skillwalker.cli.endings import short_path
    from skillwalker.suites.overview import overview, targets_without_suite

    places = open_project(ctx, project).places
    suites = overview(places)
    bare = targets_without_suite(places, suites)
    if wants_json(ctx, as_json):
        record = {
            "suites": [_json(suite) for suite in suites],
            "targets_without_suite": [
                {"kind": str(each.kind), "target": each.target, "can_trigger": each.can_trigger}
                for each in bare
            ],
        }
        typer.echo(json.dumps(record, ensure_ascii=False))
    else:
        for suite in suites:
            say("\n".join(_lines(suite)))
        if not suites:
            where = short_path(places.evals_dir)
            say(f"No suites in {where}; a suite is a folder there with a tests.json.", err=True)
        for line in _bare_lines(bare, places.said):
            say(line)
    if any(suite.faults for suite in suites):
        raise typer.Exit(1)


def evals_schema(as_json: JsonOption = False) -> None:
    """Print the JSON Schema of tests.json, for editors and checkers."""
    from skillwalker.suites.schema import json_schema

    del as_json  # a schema has no other form
    typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))


def _lines(suite: "SuiteOverview") -> list[str]:
    if suite.faults:
        return [f"{suite.name}: broken", *(f"  {fault}" for fault in suite.faults)]
    cases = ", ".join(f"{count} {kind}" for kind, count in suite.cases)
    return [
        f"{suite.name}: {cases}",
        *(
            f"  {target.kind} {target.target}: "
            f"{target.positive} positive, {target.negative} negative"
            for target in suite.targets
        ),
    ]


def _bare_lines(bare: "Sequence[BareTarget]", project: str | None) -> "Iterator[str]":
    """Name what has no cases, and how it gets some."""
    from shlex import quote

    from skillwalker.paths import in_project

    if not bare:
        return
    yield "without a suite:"
    for each in bare:
        yield f"  {each.kind} {each.target}{'' if each.can_trigger else NEVER}"
    first = next((each for each in bare if each.can_trigger), None)
    if first is None:
        yield f"next: {in_project('skillwalker show', project)}"
        return
    target = f"--{first.kind} {quote(first.target)}"
    yield f"next: {in_project(f'skillwalker init {target}', project)}   (writes examples, free)"
    draft = in_project(f"skillwalker evals draft {target}", project)
    yield f"  or: {draft}   (lets Claude propose cases)"


def _json(suite: "SuiteOverview") -> dict[str, object]:
    return {
        "name": suite.name,
        "cases": {str(kind): count for kind, count in suite.cases},
        "targets": [
            {
                "kind": str(target.kind),
                "target": target.target,
                "positive": target.positive,
                "negative": target.negative,
            }
            for target in suite.targets
        ],
        "plugins": list(suite.plugins),
        "faults": list(suite.faults),
    }
