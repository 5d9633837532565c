"""What a docker engine is told once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.claude_code.command import Access
from skillwalker.engines.docker.image import IMAGE
from skillwalker.engines.protocol import IDLE_TIMEOUT
from skillwalker.prices import Price


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerSettings:
    """What a docker engine is told once."""

    access: Access
    temp_root: Path
    """Folder in which the trials' folders and the key proxy's socket are made."""
    path: str
    """PATH for git on this machine; containers have their own."""
    concurrency: int
    docker_host: str | None = None
    """As in DOCKER_HOST; None takes the user's current Docker context."""
    image: str = IMAGE
    extra_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that the user asked for in `engine-env`; they are visible in the container."""
    permission_mode: str = "dontAsk"
    listing_budget: int | None = None
    idle_timeout: float = IDLE_TIMEOUT
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of the project's settings by model; they hold whatever the table says."""
