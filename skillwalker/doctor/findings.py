"""What is right and wrong with a machine and a project, and the command that mends it (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from skillwalker.claude_code.command import Access
from skillwalker.counting import counted
from skillwalker.listing.budget import KNOWN_VERSIONS

SETUP_TOKEN = "claude setup-token"  # noqa: S105 (a command, not a token)
FIRST_SUITE = "skillwalker init --skill TARGET, or skillwalker evals draft --skill TARGET"
LOGIN_REMEDY = (
    f"run `{SETUP_TOKEN}` (a Claude subscription pays) and set CLAUDE_CODE_OAUTH_TOKEN to what it "
    "prints; or set ANTHROPIC_API_KEY (each request is paid)"
)
INSTALL = "npm install -g @anthropic-ai/claude-code"
OR_NAME = "or name it by --claude PATH, or `claude` in skillwalker.toml"


class Health(StrEnum):
    """How it is with what was looked at."""

    OK = "ok"
    NOTE = "note"
    """Something is missing that not everybody needs."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """One thing that was looked at."""

    area: str
    health: Health
    text: str
    remedy: str | None = None
    """What to do about it: a command where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CliSeen:
    """The Claude CLI of this machine."""

    path: str | None = None
    version: str | None = None
    fault: str | None = None
    """Why it cannot be used; where there is a path, with the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSeen:
    """The Docker daemon and the sandbox image."""

    daemon: str | None = None
    """The daemon's version."""
    lack: str | None = None
    """What is missing for a sandbox; None when nothing is."""
    image: str | None = None
    """The image that a run would take, in words."""
    abandoned: int = 0
    """Containers of killed runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSeen:
    """What lies in the project."""

    settings: str | None
    """The file of settings; None where there is none."""
    settings_fault: str | None
    suites: int
    broken: tuple[tuple[str, str], ...]
    """Suites that cannot be read, each with its first fault."""
    targets: int
    """Skills and agents."""
    folders: tuple[tuple[str, str, bool], ...]
    """Role, path and whether it can be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that was looked at."""

    cli: CliSeen
    access: Access
    docker: DockerSeen
    project: ProjectSeen
    standin: bool = False
    """Whether a stand-in answers where the requests go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """What an engine would do now."""

    name: str
    can_run: bool
    text: str


def examine(seen: Seen) -> tuple[Checkup, ...]:
    """Judge what was seen, in the order in which one would mend it."""
    return (
        _cli(seen.cli),
        *_login(seen.access, standin=seen.standin),
        *_docker(seen.docker, seen.access),
        *_project(seen.project),
    )


def engine_states(seen: Seen) -> tuple[EngineState, ...]:
    """Say of each engine whether it could run now and who would pay."""
    return _docker_state(seen), _local_state(seen), _SIMULATED


_SIMULATED = EngineState(
    name="simulated",
    can_run=True,
    text="runs always and costs nothing; its figures say nothing about Claude",
)


def _local_state(seen: Seen) -> EngineState:
    lacks = [
        *(["the Claude CLI"] if seen.cli.version is None else []),
        *(["a login"] if not seen.access.is_set else []),
    ]
    if lacks:
        return EngineState(name="local", can_run=False, text=f"lacks {' and '.join(lacks)}")
    if seen.access.fault is not None:
        return EngineState(name="local", can_run=False, text=seen.access.fault)
    where = f"Claude Code {seen.cli.version} on this machine, in an emptied home"
    return EngineState(
        name="local", can_run=True, text=f"{where}; {_paid(seen.access, standin=seen.standin)}"
    )


def _docker_state(seen: Seen) -> EngineState:
    if seen.docker.lack is not None:
        return EngineState(name="docker", can_run=False, text=seen.docker.lack)
    if not seen.access.is_set:
        return EngineState(name="docker", can_run=False, text="lacks a login")
    if seen.access.fault is not None:
        return EngineState(name="docker", can_run=False, text=seen.access.fault)
    where = f"containers of image {seen.docker.image}"
    return EngineState(
        name="docker", can_run=True, text=f"{where}; {_paid(seen.access, standin=seen.standin)}"
    )


def _paid(access: Access, *, standin: bool) -> str:
    if standin:
        return f"requests go to {access.endpoint}, where a stand-in answers: nobody is billed"
    return f"requests go to {access.endpoint} and are paid by the {access.payer}"


def _cli(cli: CliSeen) -> Checkup:
    if cli.version is None:
        text = cli.fault or "the Claude CLI was not found"
        return Checkup(
            area="claude", health=Health.FAULT, text=text, remedy=f"{INSTALL}, {OR_NAME}"
        )
    text = f"Claude Code {cli.version} at {cli.path}"
    if cli.version in KNOWN_VERSIONS:
        return Checkup(area="claude", health=Health.OK, text=text)
    known = ", ".join(KNOWN_VERSIONS)
    return Checkup(
        area="claude",
        health=Health.NOTE,
        text=f"{text}; its listing was not measured (tested: {known}), so the free look at the "
        "real request before each run decides",
        remedy=f"{INSTALL}@{KNOWN_VERSIONS[0]}",
    )


def _login(access: Access, *, standin: bool) -> Iterator[Checkup]:
    variables = {
        "ANTHROPIC_API_KEY": access.api_key,
        "ANTHROPIC_AUTH_TOKEN": access.auth_token,
        "CLAUDE_CODE_OAUTH_TOKEN": access.oauth_token,
    }
    names = [name for name, value in variables.items() if value]
    if not names:
        text = "no login is set"
        yield Checkup(area="login", health=Health.FAULT, text=text, remedy=LOGIN_REMEDY)
        return
    if access.fault is not None:
        text, _, remedy = access.fault.partition("; ")
        yield Checkup(area="login", health=Health.FAULT, text=text, remedy=remedy)
        return
    yield Checkup(
        area="login", health=Health.OK, text=f"{names[0]} is set; {_paid(access, standin=standin)}"
    )
    if len(names) > 1:
        others = " and ".join(names[1:])
        yield Checkup(
            area="login",
            health=Health.NOTE,
            text=f"{others} is set too; {names[0]} pays",
            remedy=f"unset {names[0]}",
        )


def _docker(docker: DockerSeen, access: Access) -> Iterator[Checkup]:
    if docker.daemon is None:
        text = docker.lack or "no Docker daemon answers"
        remedy = "start Docker, or set DOCKER_HOST; engine local does without"
        yield Checkup(area="docker", health=Health.NOTE, text=text, remedy=remedy)
        return
    yield Checkup(area="docker", health=Health.OK, text=f"daemon {docker.daemon} answers")
    if docker.lack is not None:
        remedy = "skillwalker sandbox build"
        yield Checkup(area="docker", health=Health.NOTE, text=docker.lack, remedy=remedy)
    elif docker.image is not None:
        yield Checkup(area="docker", health=Health.OK, text=f"image {docker.image}")
        if access.is_set and access.api_key is None:
            text = "without an API key docker is not chosen by itself"
            remedy = "add --engine docker, or engine in skillwalker.toml"
            yield Checkup(area="docker", health=Health.NOTE, text=text, remedy=remedy)
    if docker.abandoned:
        yield Checkup(
            area="docker",
            health=Health.NOTE,
            text=f"{counted(docker.abandoned, 'container')} of killed runs left",
            remedy="skillwalker sandbox clean --containers-only",
        )


def _project(project: ProjectSeen) -> Iterator[Checkup]:
    for role, path, can_write in project.folders:
        health = Health.OK if can_write else Health.FAULT
        text = f"{path} ({role}) {'can' if can_write else 'cannot'} be written"
        remedy = (
            None if can_write else f"mkdir -p {path} && chmod u+w {path}; or name another folder"
        )
        yield Checkup(area="folders", health=health, text=text, remedy=remedy)
    yield _settings(project)
    yield _targets(project)
    yield from _suites(project)


def _settings(project: ProjectSeen) -> Checkup:
    if project.settings_fault is not None:
        return Checkup(
            area="settings",
            health=Health.FAULT,
            text=project.settings_fault,
            remedy="correct it there; until then this page takes the defaults",
        )
    text = f"{project.settings or 'no skillwalker.toml: the defaults hold'}"
    return Checkup(area="settings", health=Health.OK, text=text)


def _targets(project: ProjectSeen) -> Checkup:
    text = f"skills and agents: {project.targets}"
    if project.targets:
        return Checkup(area="targets", health=Health.OK, text=text)
    remedy = "skillwalker init, in the folder that holds them"
    return Checkup(area="targets", health=Health.NOTE, text=text, remedy=remedy)


def _suites(project: ProjectSeen) -> Iterator[Checkup]:
    sound = project.suites - len(project.broken)
    text = f"suites without faults: {sound}"
    remedy = None if project.suites else FIRST_SUITE
    health = Health.OK if project.suites else Health.NOTE
    yield Checkup(area="suites", health=health, text=text, remedy=remedy)
    for _, fault in project.broken:
        remedy = "skillwalker evals check"
        yield Checkup(area="suites", health=Health.FAULT, text=fault, remedy=remedy)
