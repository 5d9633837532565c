"""evals check: what is wrong with suites and descriptions, before anything is spent."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, direct, open_project, wants_json
from skillwalker.cli.saying import say, say_report

if TYPE_CHECKING:
    from skillwalker.checking.check import Checked
    from skillwalker.checking.findings import CheckFinding, TargetCases
    from skillwalker.checking.subjects import Subject
    from skillwalker.paths import Places

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH]...", help="Files or folders. Default: the whole project."),
]
Change = Annotated[
    float | None,
    typer.Option(
        metavar="POINTS", min=1, max=100, help="Warn of suites that cannot show such a change."
    ),
]


def evals_check(
    ctx: typer.Context,
    paths: Paths = None,
    change: Change = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 on warnings too.")] = False,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Say what is wrong with suites, skills and agents: exit 1 on errors; spends nothing."""
    from skillwalker.checking.check import check
    from skillwalker.datatypes.vocabulary import Severity

    places = open_project(ctx, project).places
    checked = check(_subject(paths or [], places), None if change is None else change / 100)
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(_record(checked, places.project), ensure_ascii=False, indent=2))
    else:
        _print(checked, places.project)
    errors, warnings = checked.count(Severity.ERROR), checked.count(Severity.WARNING)
    if errors or (strict and warnings):
        raise typer.Exit(1)


def _subject(paths: list[str], places: "Places") -> "Subject":
    """Find what is meant: the project where nothing is named."""
    from skillwalker.checking.subjects import at_paths, is_there, whole_project

    if not paths:
        return whole_project(places)
    found = []
    for written in paths:
        here, there = Path.cwd() / written, places.project / written
        found.append(direct((here if is_there(here) else there).absolute()))
    return at_paths(found, places)


def _print(checked: "Checked", project: Path) -> None:
    from skillwalker.cli.show_text import plain
    from skillwalker.datatypes.vocabulary import Severity

    for finding in checked.findings:
        say(plain(_line(finding, project)))
    for each in checked.cases:
        say_report(plain(_power(each, project)), err=True)
    suites = len({each.path for each in checked.cases})
    counts = {
        "skills and agents": len(checked.targets),
        "suites with call cases": suites,
        "errors": checked.count(Severity.ERROR),
        "warnings": checked.count(Severity.WARNING),
    }
    say_report(", ".join(f"{name}: {count}" for name, count in counts.items()), err=True)


def _line(finding: "CheckFinding", project: Path) -> str:
    from skillwalker.cli.show_text import short_path

    where = short_path(finding.path, project)
    at = f"{where}:{finding.line}" if finding.line is not None else where
    return f"{at}: {finding.severity}: {finding.message}; {finding.remedy} [{finding.rule}]"


def _power(cases: "TargetCases", project: Path) -> str:
    """Say how large a change the cases about a target can show."""
    from skillwalker.checking.cases import RUNS
    from skillwalker.checking.power import cases_needed, detectable_change
    from skillwalker.cli.show_text import short_path

    positive, negative = len(cases.positive), len(cases.negative)
    seen = detectable_change(positive, negative, RUNS)
    head = f"{short_path(cases.path, project)}: {cases.checked.target.id}:"
    if seen is None:
        return f"{head} cases of one side only show no change of both"
    return (
        f"{head} with {positive + negative} cases x {RUNS} runs you can see a change of about "
        f"{seen * 100:.0f} points; for 10 points it takes {cases_needed(0.1, RUNS)} cases"
    )


def _record(checked: "Checked", project: Path) -> dict[str, object]:
    from skillwalker.cli.show_text import listed_record, short_path
    from skillwalker.datatypes.vocabulary import Severity

    return {
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.severity,
                "path": short_path(finding.path, project),
                "line": finding.line,
                "message": finding.message,
                "remedy": finding.remedy,
            }
            for finding in checked.findings
        ],
        "errors": checked.count(Severity.ERROR),
        "warnings": checked.count(Severity.WARNING),
        "targets": [listed_record(each.listed, project) for each in checked.targets],
        "suites": [_suite_record(each, project) for each in checked.cases],
    }


def _suite_record(cases: "TargetCases", project: Path) -> dict[str, object]:
    from skillwalker.checking.cases import RUNS
    from skillwalker.checking.power import cases_needed, detectable_change
    from skillwalker.cli.show_text import short_path

    positive, negative = len(cases.positive), len(cases.negative)
    seen = detectable_change(positive, negative, RUNS)
    return {
        "suite": cases.suite.name,
        "path": short_path(cases.path, project),
        "kind": cases.checked.target.kind,
        "target": cases.checked.target.id,
        "positive": positive,
        "negative": negative,
        "power": {
            "runs": RUNS,
            "detectable_change": seen,
            "cases_for_10_points": cases_needed(0.1, RUNS),
        },
    }
