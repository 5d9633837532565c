"""Says whether the docker engine could run, without starting anything."""

from contextlib import closing
from dataclasses import dataclass

from skillwalker.engines.docker.client import BUILD_HINT, connect, read_daemon
from skillwalker.engines.docker.image import IMAGE, SandboxImage, find_image, list_images
from skillwalker.engines.docker.sweep import list_abandoned
from skillwalker.errors import EngineUnavailableError

_PATIENCE = 5
"""Seconds for a daemon to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What there is to run sandboxes with."""

    daemon: str | None
    """The daemon's version; None when none answers."""
    lack: str | None
    """What is missing, in a few words; None when a run could start."""
    image: SandboxImage | None = None
    """What a run would take."""
    images: tuple[SandboxImage, ...] = ()
    abandoned: int = 0
    """Containers that killed runs left behind; the next run removes them."""


def look(host: str | None, *, image: str = IMAGE) -> Readiness:
    """Look at daemon, images and what was left behind.

    Args:
        host: as in DOCKER_HOST; None takes the user's current Docker context.
        image: the one that a run would take.

    Raises:
        EngineError: the daemon answers, but not to this.
    """
    try:
        client = connect(host, timeout=_PATIENCE)
    except EngineUnavailableError:
        return Readiness(daemon=None, lack="no Docker daemon answers")
    with closing(client):
        found = find_image(client, image)
        return Readiness(
            daemon=read_daemon(client).version,
            lack=None if found else f"there is no sandbox image {image!r}; {BUILD_HINT}",
            image=found,
            images=list_images(client),
            abandoned=len(list_abandoned(client)),
        )
