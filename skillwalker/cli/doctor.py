"""doctor and init: what a machine lacks, and a project made ready; neither spends anything."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from skillwalker.cli.options import JsonOption, ProjectOption, open_project, wants_json
from skillwalker.cli.saying import say, say_report

if TYPE_CHECKING:
    from pathlib import Path

    from skillwalker.cli.options import Project
    from skillwalker.doctor.findings import Checkup, EngineState
    from skillwalker.engines.registry import Choice
    from skillwalker.starting.start import Start

Claude = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The Claude CLI; default: `claude` in the settings or PATH."),
]


def doctor(
    ctx: typer.Context,
    claude: Claude = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Say what is missing for a real run and what mends it; spends nothing.

    Exit 0 if engine docker or local could run now, else 1.
    """
    import anyio

    from skillwalker.cli.engines import engine_settings
    from skillwalker.cli.environment import temporary_folder
    from skillwalker.doctor.findings import Seen, engine_states, examine
    from skillwalker.doctor.looking import look_at_cli, look_at_docker, look_at_project
    from skillwalker.standin.server import is_standin

    opened, fault = _opened(ctx, project)
    settings = engine_settings(opened, concurrency=1, claude=claude)
    seen = Seen(
        cli=anyio.run(look_at_cli, settings),
        access=settings.access,
        standin=is_standin(settings.login.base_url or ""),
        docker=look_at_docker(settings),
        project=look_at_project(
            opened.places, opened.settings, temporary_folder(), settings_fault=fault
        ),
    )
    states = engine_states(seen)
    choice = _choice(opened, states)
    if wants_json(ctx, as_json):
        record = _record(examine(seen), states, choice)
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        _print(examine(seen), states, choice)
    if not _is_ready(states):
        raise typer.Exit(1)


def _opened(ctx: typer.Context, project: "Path | None") -> "tuple[Project, str | None]":
    """Open the project; where its settings are faulty, with the defaults and the fault.

    Raises:
        ConfigError: there is no such folder.
    """
    from skillwalker.cli.environment import home_folder
    from skillwalker.cli.options import Project, project_folder
    from skillwalker.errors import ConfigError
    from skillwalker.paths import open_places
    from skillwalker.settings import Settings

    folder = project_folder(ctx, project)
    try:
        return open_project(ctx, project), None
    except ConfigError as error:
        places = open_places(folder, Settings(), home_folder())
        return Project(places=places, settings=Settings()), str(error)


def _choice(opened: "Project", states: "tuple[EngineState, ...]") -> "Choice":
    """Say which engine a run would take, by the rule that runs go by."""
    from skillwalker.cli.engines import chosen_engine, engine_settings
    from skillwalker.engines.registry import Choice
    from skillwalker.errors import EngineError

    try:
        return chosen_engine(opened, engine_settings(opened, concurrency=1), None)
    except EngineError as error:
        local = next(state for state in states if state.name == "local")
        return Choice(name=local.name, why=str(error))


def _is_ready(states: "tuple[EngineState, ...]") -> bool:
    return any(state.can_run for state in states if state.name != "simulated")


def _print(
    checkups: "tuple[Checkup, ...]", states: "tuple[EngineState, ...]", choice: "Choice"
) -> None:
    from skillwalker.cli.show_text import plain

    for each in checkups:
        say_report(plain(f"{each.health:5}  {each.area}: {each.text}"))
        if each.remedy is not None:
            say_report(plain(f"       -> {each.remedy}"))
    for state in states:
        say_report(
            plain(f"{'can' if state.can_run else 'no':5}  engine {state.name}: {state.text}")
        )
    say_report(plain(f"a run would take engine {choice.name} ({choice.why})"))
    if not _is_ready(states):
        say_report(
            "no real engine can run; try it without Claude: add --engine simulated", err=True
        )


def _record(
    checkups: "tuple[Checkup, ...]", states: "tuple[EngineState, ...]", choice: "Choice"
) -> dict[str, object]:
    return {
        "ready": _is_ready(states),
        "engine": choice.name,
        "engine_why": choice.why,
        "engines": [
            {"name": state.name, "can_run": state.can_run, "text": state.text} for state in states
        ],
        "findings": [
            {
                "area": each.area,
                "health": str(each.health),
                "text": each.text,
                "remedy": each.remedy,
            }
            for each in checkups
        ],
    }


def init(
    ctx: typer.Context,
    skill: Annotated[
        str | None, typer.Option("--skill", metavar="TARGET", help="What the suite is about.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="TARGET", help="What the suite is about.")
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Name of the suite; default: the target's."),
    ] = None,
    as_json: JsonOption = False,
    project: ProjectOption = None,
) -> None:
    """Write settings, lines for git and a first suite, where they are not there; spends nothing."""
    from skillwalker.cli.named_files import target_asked
    from skillwalker.starting.start import find_targets, start

    opened = open_project(ctx, project)
    places = opened.places
    target = target_asked(skill, agent, places)
    targets = find_targets(places, target)
    done = start(places, opened.settings, targets, target=target, suite=suite)
    if wants_json(ctx, as_json):
        typer.echo(json.dumps(_start_record(done), ensure_ascii=False, indent=2))
    else:
        _print_start(done, places.said)


def _print_start(done: "Start", project: str | None) -> None:
    from shlex import quote

    from skillwalker.cli.show_text import plain
    from skillwalker.paths import in_project
    from skillwalker.targets.kind import KINDS

    for step in done.steps:
        say_report(plain(f"{step.done:8}  {step.path}: {step.text}"))
    for note in done.notes:
        say_report(plain(f"note: {note}"), err=True)
    target, suite = done.target, done.suite
    if target is None:
        names = [f"{KINDS[each.kind].option} {quote(each.id)}" for each in done.targets]
        say_report(plain("\n".join(("found:", *(f"  {name}" for name in names)))))
        if None in done.suites:
            first = names[done.suites.index(None)]
            command = in_project(f"skillwalker init {first}", project)
            say(plain(f"next: {command}   (its first suite)"))
            return
        target, suite = done.targets[0], done.suites[0]
    named = f"--eval {quote(suite or target.name)}"
    if done.suites.count(suite) > 1:
        named += f" {KINDS[target.kind].option} {quote(target.id)}"
    run = f"{KINDS[target.kind].run_prefix} run {named} --engine simulated"
    check = in_project("skillwalker evals check", project)
    say(plain(f"next: {check}, then {in_project(run, project)}   (free)"))


def _start_record(done: "Start") -> dict[str, object]:
    return {
        "files": [{"path": step.path, "done": step.done, "text": step.text} for step in done.steps],
        "targets": [each.id for each in done.targets],
        "target": None if done.target is None else done.target.id,
        "suite": done.suite,
        "notes": list(done.notes),
    }
