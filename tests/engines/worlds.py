"""A place to run an engine in: the engine opened as a user would, and what it was asked seen."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from skillwalker.claude_code.command import Access
from skillwalker.datatypes.trials import CalledAs, Invocation, Transcript
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.docker.run import open_docker
from skillwalker.engines.docker.settings import DockerSettings
from skillwalker.engines.local import LocalSettings, open_local
from skillwalker.engines.protocol import Engine
from skillwalker.engines.simulated import SimulatedEngine
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import Behaviour, MessageRequest, serve
from tests.clis import need_cli
from tests.docker_daemon import docker_host, need_docker

MODEL = "claude-sonnet-4-5"
REVIEW = "Reviews code changes. Use when someone wants a diff or commit checked before the merge."
NOTES = "Writes release notes. Use when asked for a changelog of what is new in a version."
GAPS = "Compares a plan with the code. Use when asked what is missing from an implementation."

CODE_REVIEW = CalledAs(
    kind=TargetKind.SKILL,
    names=frozenset({"demo:change-review", "change-review"}),
    path_suffix="skills/change-review/SKILL.md",
)


@dataclass(slots=True)
class World:
    """One engine with the folders it is shown."""

    name: str
    root: Path
    opener: "Callable[[World], AbstractAsyncContextManager[Engine]]"
    behaviour: Behaviour = field(default_factory=RoutedBehaviour)
    requests: list[MessageRequest] = field(default_factory=list)
    idle_timeout: float = 30.0
    concurrency: int = 1
    access: Access = field(default_factory=lambda: Access(api_key="sk-ant-dummy"))
    url: str = ""

    @property
    def temp_root(self) -> Path:
        """Where the engine puts the trials' folders."""
        return self.root / "t"

    @property
    def asks_an_api(self) -> bool:
        """Whether requests can be looked at."""
        return self.name != "simulated"

    def answer(self, asked: MessageRequest) -> object:
        """Answer by the behaviour that the test chose."""
        self.requests.append(asked)
        return self.behaviour(asked)

    def plugin(self) -> Path:
        """Write a plugin with two skills and an agent."""
        plugin = self.root / "demo"
        if not plugin.exists():
            (plugin / ".claude-plugin").mkdir(parents=True)
            (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "demo"}')
            write_skill(plugin / "skills", "change-review", REVIEW)
            write_skill(plugin / "skills", "release-notes", NOTES)
            write_agent(plugin / "agents", "gap-finder", GAPS)
        return plugin

    def project(self) -> Path:
        """Write a project with a skill and an agent of its own."""
        claude = self.root / "project" / ".claude"
        if not claude.exists():
            write_skill(claude / "skills", "change-review", REVIEW)
            write_agent(claude / "agents", "gap-finder", GAPS)
        return claude.parent

    def invocation(self, prompt: str, **given: object) -> Invocation:
        """Build an invocation of the plugin."""
        fields: dict[str, object] = {
            "prompt": prompt,
            "plugin_dirs": (self.plugin(),),
            "project_dir": None,
            "scaffold": None,
            "model": MODEL,
            "max_turns": 3,
            "timeout": 45.0,
            "called_as": CODE_REVIEW,
            "run_index": 0,
        }
        build: Callable[..., Invocation] = Invocation
        return build(**{**fields, **given})

    def run(self, *invocations: Invocation) -> list[Transcript]:
        """Open the engine and run the invocations, all at once."""

        async def run_all() -> list[Transcript]:
            done: dict[int, Transcript] = {}

            async def run_one(number: int, invocation: Invocation) -> None:
                done[number] = await engine.run(invocation)

            async with self.opener(self) as engine, anyio.create_task_group() as tasks:
                for number, invocation in enumerate(invocations):
                    tasks.start_soon(run_one, number, invocation)
            return [done[number] for number in range(len(invocations))]

        with self.serving():
            return anyio.run(run_all)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve the stand-in while something runs."""
        answer: Callable[..., object] = self.answer
        with serve(answer) as standin:  # type: ignore[arg-type]  # answers what the behaviour does
            self.url = standin.url
            yield


def write_skill(folder: Path, name: str, description: str) -> None:
    """Write a skill."""
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\nSay: done.\n")


def write_agent(folder: Path, name: str, description: str) -> None:
    """Write an agent."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.md"
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\nSay: done.\n")


@asynccontextmanager
async def open_simulated(world: World) -> AsyncIterator[Engine]:
    """Open the simulated engine."""
    del world
    yield SimulatedEngine(seed=0)


def local_settings(world: World, claude: str) -> LocalSettings:
    """Build settings for a local engine whose API is the world's stand-in."""
    world.temp_root.mkdir(exist_ok=True)
    return LocalSettings(
        access=replace(world.access, base_url=world.url),
        temp_root=world.temp_root,
        path="/usr/local/bin:/usr/bin:/bin",
        concurrency=world.concurrency,
        claude=claude,
        idle_timeout=world.idle_timeout,
    )


def local_opener(claude: str) -> Callable[[World], AbstractAsyncContextManager[Engine]]:
    """Make what opens a local engine with a CLI."""

    @asynccontextmanager
    async def open_it(world: World) -> AsyncIterator[Engine]:
        async with open_local(local_settings(world, claude)) as engine:
            yield engine

    return open_it


def docker_settings(world: World, image: str) -> DockerSettings:
    """Build settings for a docker engine whose API is the world's stand-in."""
    world.temp_root.mkdir(exist_ok=True)
    return DockerSettings(
        access=replace(world.access, base_url=world.url),
        temp_root=world.temp_root,
        path="/usr/local/bin:/usr/bin:/bin",
        concurrency=world.concurrency,
        docker_host=docker_host(),
        image=image,
        idle_timeout=world.idle_timeout,
    )


def docker_opener(image: str) -> Callable[[World], AbstractAsyncContextManager[Engine]]:
    """Make what opens a docker engine with an image."""

    @asynccontextmanager
    async def open_it(world: World) -> AsyncIterator[Engine]:
        async with open_docker(docker_settings(world, image)) as engine:
            yield engine

    return open_it


def make_world(name: str, root: Path) -> World:
    """Make the world of an engine named `simulated`, `local-VERSION` or `docker-VERSION`."""
    if name == "simulated":
        return World(name, root, open_simulated)
    if name.startswith("docker-"):
        return World(name, root, docker_opener(need_docker(name.removeprefix("docker-"))))
    version = name.removeprefix("local-")
    return World(name, root, local_opener(str(need_cli(version))))
