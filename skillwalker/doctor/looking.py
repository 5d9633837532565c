"""Looks at a machine and a project; nothing is paid for, nothing of the project is changed."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from skillwalker.claude_code.binary import find_binary
from skillwalker.config import Login
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.doctor.findings import CliSeen, DockerSeen, ProjectSeen
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.errors import EngineError, SuiteError
from skillwalker.paths import Places
from skillwalker.settings import Settings
from skillwalker.suites.load import list_suites, load_suite
from skillwalker.targets.known import known_targets

NO_LOGIN = Login(api_key="none: only the version is asked for")


async def look_at_cli(settings: EngineSettings) -> CliSeen:
    """Open the local engine as a run does: it finds the CLI, asks its version, makes its folders.

    Args:
        settings: of a run; its login is not used.
    """
    told = replace(settings, login=NO_LOGIN, concurrency=1)
    path = None
    try:
        path = find_binary(settings.claude, path=settings.path)
        async with open_engine("local", seed=0, settings=told) as engine:
            return CliSeen(path=path, version=engine.facts.cli_version)
    except EngineError as error:
        return CliSeen(path=path, fault=str(error).removeprefix("engine local: "))


def look_at_docker(settings: EngineSettings) -> DockerSeen:
    """Ask the Docker daemon, for five seconds at most."""
    from skillwalker.engines.docker.image import IMAGE
    from skillwalker.engines.docker.readiness import look

    try:
        found = look(settings.docker_host, image=settings.sandbox_image or IMAGE)
    except EngineError as error:
        return DockerSeen(lack=str(error))
    image = found.image
    return DockerSeen(
        daemon=found.daemon,
        lack=found.lack,
        image=None if image is None else f"{image.short_id} with Claude Code {image.cli_version}",
        abandoned=found.abandoned,
    )


def look_at_project(
    places: Places, settings: Settings, temporary: Path, *, settings_fault: str | None
) -> ProjectSeen:
    """Read the project's suites and targets, and see whether its folders can be written.

    Args:
        places: the project.
        settings: as read, or the defaults where they are faulty.
        temporary: where throw-away copies are made.
        settings_fault: why the settings could not be read.
    """
    suites = list_suites(places)
    return ProjectSeen(
        settings=None if settings.source is None else str(settings.source),
        settings_fault=settings_fault,
        suites=len(suites),
        broken=tuple(_broken(places, suites)),
        targets=sum(len(known_targets(places, kind)) for kind in TargetKind),
        folders=(
            ("runs", str(places.output_dir), _can_write(places.output_dir)),
            ("TMPDIR", str(temporary), temporary.is_dir() and _can_write(temporary)),
        ),
    )


def _broken(places: Places, suites: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in suites:
        try:
            load_suite(places, name)
        except SuiteError as error:
            first, *others = str(error).splitlines()
            more = f" (and {len(others)} more faults)" if others else ""
            yield name, f"{first}{more}"


def _can_write(folder: Path) -> bool:
    """Whether a folder can be written, or made where it is not there yet."""
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
