"""Engine name to open engine: the only list of engines, and the rule for choosing one."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from skillwalker.claude_code.command import Access
from skillwalker.config import Login
from skillwalker.engines.protocol import Engine
from skillwalker.errors import ConfigError
from skillwalker.prices import prices_by_model
from skillwalker.settings import PriceSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSettings:
    """What every engine that runs Claude Code is told; each takes what concerns it."""

    login: Login
    temporary: Path
    """Where the trials' folders are made."""
    path: str
    """PATH: where the CLI and git are looked for."""
    concurrency: int = 4
    claude: str = "claude"
    """The CLI of the local engine: a name on `path`, or a path. A sandbox image has its own."""
    engine_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names and values of the variables that the user lets through to a trial."""
    docker_host: str | None = None
    """As in DOCKER_HOST; None takes the user's current Docker context."""
    sandbox_image: str | None = None
    """None takes the image that `sandbox build` made last."""
    permission_mode: str = "dontAsk"
    listing_budget: int | None = None
    prices: tuple[PriceSettings, ...] = ()
    """Of the project's settings."""

    @property
    def access(self) -> Access:
        """The login, as a command line takes it."""
        return Access(
            api_key=self.login.api_key,
            auth_token=self.login.auth_token,
            oauth_token=self.login.oauth_token,
            base_url=self.login.base_url,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which engine a run gets, and why."""

    name: str
    why: str

    def explain(self, headline: str) -> str:
        """Write the first line that a user reads.

        Args:
            headline: of the opened engine's facts.
        """
        return f"{headline} ({self.why})"


_Opener = Callable[[int, EngineSettings | None], AbstractAsyncContextManager[Engine]]


@asynccontextmanager
async def _open_simulated(seed: int, _settings: EngineSettings | None) -> AsyncIterator[Engine]:
    from skillwalker.engines.simulated import SimulatedEngine

    yield SimulatedEngine(seed=seed)


@asynccontextmanager
async def _open_local(_seed: int, given: EngineSettings | None) -> AsyncIterator[Engine]:
    from skillwalker.engines.local import LocalSettings, open_local

    settings = _need_settings("local", given)
    told = LocalSettings(
        access=settings.access,
        temp_root=settings.temporary,
        path=settings.path,
        concurrency=settings.concurrency,
        claude=settings.claude,
        extra_env=settings.engine_env,
        permission_mode=settings.permission_mode,
        listing_budget=settings.listing_budget,
        prices=prices_by_model(settings.prices),
    )
    async with open_local(told) as engine:
        yield engine


@asynccontextmanager
async def _open_docker(_seed: int, given: EngineSettings | None) -> AsyncIterator[Engine]:
    from skillwalker.engines.docker.image import IMAGE
    from skillwalker.engines.docker.run import open_docker
    from skillwalker.engines.docker.settings import DockerSettings

    settings = _need_settings("docker", given)
    told = DockerSettings(
        access=settings.access,
        temp_root=settings.temporary,
        path=settings.path,
        concurrency=settings.concurrency,
        docker_host=settings.docker_host,
        image=settings.sandbox_image or IMAGE,
        extra_env=settings.engine_env,
        permission_mode=settings.permission_mode,
        listing_budget=settings.listing_budget,
        prices=prices_by_model(settings.prices),
    )
    async with open_docker(told) as engine:
        yield engine


_ENGINES: Final[Mapping[str, _Opener]] = MappingProxyType(
    {"docker": _open_docker, "local": _open_local, "simulated": _open_simulated}
)


def open_engine(
    name: str, *, seed: int, settings: EngineSettings | None = None
) -> AbstractAsyncContextManager[Engine]:
    """Open an engine by its name; it owns what it starts until the block ends.

    Args:
        name: as written after `--engine`.
        seed: of the run; only the simulated engine draws from it.
        settings: what the others need.

    Raises:
        ConfigError: there is no engine of that name (the message lists those there are), or it
            needs settings.
    """
    opener = _ENGINES.get(name)
    if opener is None:
        known = ", ".join(sorted(_ENGINES))
        raise ConfigError(f"--engine: there is no engine {name!r}; choose one of: {known}")
    return opener(seed, settings)


def choose_engine(settings: EngineSettings, *, asked: str | None = None) -> Choice:
    """Choose the engine of a run: what was asked for, else docker if it is ready, else local.

    It asks the Docker daemon, for five seconds at most. Never simulated by itself.

    Args:
        settings: of the run.
        asked: as written after `--engine` or in the settings.

    Raises:
        EngineError: a daemon answers, but not as one does.
    """
    if asked is not None:
        return Choice(name=asked, why="as asked")
    if settings.login.api_key is None:
        return Choice(name="local", why="no API key is set for a sandbox")
    from skillwalker.engines.docker.image import IMAGE
    from skillwalker.engines.docker.readiness import look

    lack = look(settings.docker_host, image=settings.sandbox_image or IMAGE).lack
    if lack is not None:
        return Choice(name="local", why=lack)
    return Choice(
        name="docker",
        why="a Docker daemon answers, the sandbox image is there and an API key is set",
    )


def is_simulated(name: str, login: Login) -> bool:
    """Say whether the trials of an engine ask no model, as its facts will: a stand-in may answer.

    What answers at a base URL of the user's own is asked, for two seconds at most.

    Args:
        name: as written after `--engine`.
        login: whose base URL is asked.
    """
    from skillwalker.standin.server import is_standin

    return name == "simulated" or is_standin(login.base_url or "")


def _need_settings(name: str, settings: EngineSettings | None) -> EngineSettings:
    if settings is None:
        raise ConfigError(f"engine {name} needs settings: a login, PATH and a temporary folder")
    return settings
