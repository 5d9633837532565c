"""The options that many commands share, and the project they speak of."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from skillwalker.paths import Places
    from skillwalker.settings import Settings

ProjectOption = Annotated[
    Path | None,
    typer.Option(
        "-C",
        "--project",
        metavar="DIR",
        help="Project folder; default: the nearest parent with skillwalker.toml, else evals/.",
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout instead of text.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalOptions:
    """What was given before the subcommand."""

    project: Path | None = None
    as_json: bool = False


def remember(ctx: typer.Context, *, project: Path | None, as_json: bool, version: bool) -> None:
    """Keep the options that stand before the subcommand for the command to read."""
    del version  # handled by its own callback
    earlier = ctx.obj if isinstance(ctx.obj, GlobalOptions) else GlobalOptions()
    ctx.obj = GlobalOptions(
        project=project if project is not None else earlier.project,
        as_json=as_json or earlier.as_json,
    )


def wants_json(ctx: typer.Context, as_json: bool) -> bool:
    """Whether `--json` stands before or after the subcommand."""
    return as_json or (isinstance(ctx.obj, GlobalOptions) and ctx.obj.as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The folder a command works in and its settings."""

    places: "Places"
    settings: "Settings"


def open_project(ctx: typer.Context, project: Path | None) -> Project:
    """Find the project and read its settings.

    Raises:
        ConfigError: the folder does not exist, or its settings are wrong.
    """
    from skillwalker.cli.environment import home_folder
    from skillwalker.paths import open_places
    from skillwalker.settings import load_settings

    folder = project_folder(ctx, project)
    settings = load_settings(folder)
    said = project_said(ctx, project)
    places = replace(
        open_places(folder, settings, home_folder()), said=None if said is None else str(said)
    )
    return Project(places=places, settings=settings)


def project_said(ctx: typer.Context, project: Path | None) -> Path | None:
    """Give the project that was named, before or after the subcommand."""
    if project is None and isinstance(ctx.obj, GlobalOptions):
        return ctx.obj.project
    return project


def project_folder(ctx: typer.Context, project: Path | None) -> Path:
    """Find the project: what was named, else by what lies here and above.

    Raises:
        ConfigError: the folder does not exist.
    """
    from skillwalker.errors import ConfigError
    from skillwalker.paths import find_project

    said = project_said(ctx, project)
    if said is not None and not said.is_dir():
        what = "it is not a folder" if said.exists() else "there is no such folder"
        raise ConfigError(f"--project {said}: {what}")
    return direct(said.absolute()) if said is not None else find_project(Path.cwd())


def direct(path: Path) -> Path:
    """Leave `..` out of an absolute path where it leads to the same place: paths are shown."""
    short = Path(os.path.normpath(path))
    try:
        return short if short.samefile(path) else path
    except OSError:  # behind a link, `..` is elsewhere; or there is nothing
        return path
