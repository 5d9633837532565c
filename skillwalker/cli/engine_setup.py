"""What an engine is told by the environment, the settings and the flags."""

from skillwalker.cli.environment import (
    read_docker_host,
    read_login,
    read_variables,
    search_path,
    temporary_folder,
)
from skillwalker.cli.options import Project
from skillwalker.engines.registry import EngineSettings


def engine_settings(opened: Project, *, concurrency: int, claude: str | None) -> EngineSettings:
    """Collect what an engine needs.

    Args:
        opened: the project, with its settings.
        concurrency: trials at the same time.
        claude: the CLI as after `--claude`; None takes the settings' one, else that on PATH.
    """
    return EngineSettings(
        login=read_login(),
        temporary=temporary_folder(),
        path=search_path(),
        concurrency=concurrency,
        claude=claude or opened.settings.claude or "claude",
        engine_env=read_variables(opened.settings.engine_env),
        docker_host=read_docker_host(),
    )
