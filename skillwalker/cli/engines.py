"""Which engine a command runs on: what was asked, the settings, the environment, the machine."""

import anyio

from skillwalker.cli.environment import (
    read_docker_host,
    read_login,
    read_variables,
    search_path,
    temporary_folder,
)
from skillwalker.cli.options import Project
from skillwalker.engines.protocol import EngineFacts
from skillwalker.engines.registry import Choice, EngineSettings, choose_engine, open_engine

SIMULATED, NOBODY = "simulated", "nobody"
_STANDIN = f"{NOBODY}: a stand-in answers"
ROOMY_BUDGET = 1_000_000
"""Characters of listing budget that drop no description (`--listing roomy`)."""


def engine_settings(
    opened: Project, *, concurrency: int, claude: str | None = None, roomy: bool = False
) -> EngineSettings:
    """Gather what every engine that runs Claude Code is told.

    Args:
        opened: the project; its settings name the CLI and the variables that pass.
        concurrency: trials at the same time.
        claude: the CLI, as after `--claude`.
        roomy: whether the listing budget is lifted.
    """
    settings = opened.settings
    return EngineSettings(
        login=read_login(),
        temporary=temporary_folder(),
        path=search_path(),
        concurrency=concurrency,
        claude=claude or settings.claude or "claude",
        engine_env=read_variables(settings.engine_env),
        docker_host=read_docker_host(),
        listing_budget=ROOMY_BUDGET if roomy else None,
        prices=settings.prices,
    )


def chosen_engine(opened: Project, settings: EngineSettings, asked: str | None) -> Choice:
    """Choose the engine: the flag, else the project's settings, else what the machine can.

    Raises:
        EngineError: a Docker daemon answers, but not as one does.
    """
    if asked is None and opened.settings.engine is not None:
        source = opened.settings.source.name if opened.settings.source is not None else "settings"
        return Choice(name=opened.settings.engine, why=f"as {source} says")
    return choose_engine(settings, asked=asked)


def payer_of(engine: str, settings: EngineSettings) -> str:
    """Say who would pay for the calls of an engine; a stand-in is asked whether it is one."""
    from skillwalker.standin.server import is_standin

    if engine == SIMULATED:
        return NOBODY
    if is_standin(settings.login.base_url or ""):
        return _STANDIN
    return settings.access.payer


def is_unpaid(payer: str) -> bool:
    """Say whether no model would be asked: of a simulated engine, and where a stand-in answers.

    Args:
        payer: as `payer_of` says.
    """
    return payer in {NOBODY, _STANDIN}


def lacks_login(engine: str, settings: EngineSettings) -> str | None:
    """Say of a plan that nothing of it could run for want of a login; None where one is set."""
    if engine == SIMULATED or settings.access.is_set:
        return None
    return (
        "no login is set, so a run would end with exit code 3; skillwalker doctor says what helps,"
        f" or add --engine {SIMULATED}"
    )


def look_at_engine(choice: Choice, settings: EngineSettings) -> EngineFacts:
    """Open an engine and close it again, to learn what it is; this costs nothing.

    Raises:
        EngineUnavailableError: no trial can run.
    """

    async def look() -> EngineFacts:
        async with open_engine(choice.name, seed=0, settings=settings) as engine:
            return engine.facts

    return anyio.run(look)
