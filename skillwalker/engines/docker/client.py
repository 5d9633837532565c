"""Opens and closes connections to the Docker daemon, and makes the SDK's errors ours."""

import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillwalker.errors import EngineError, EngineUnavailableError, TrialError

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.types import CancellableStream

DEFAULT_HOST = "unix:///var/run/docker.sock"
CALL_TIMEOUT = 60
"""Seconds for one call; making a container on a busy machine takes some of them."""
BUILD_HINT = "build it with `skillwalker sandbox build`"

_START_HINT = "start Docker, or set DOCKER_HOST to a daemon that runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """What answers."""

    version: str
    passes_sockets: bool
    """Whether a bind mount passes a socket of this machine on; the virtual machine of Docker
    Desktop sees files only."""


def connect(
    host: str | None, *, connections: int = 10, timeout: int = CALL_TIMEOUT
) -> "DockerClient":
    """Connect to the daemon; the caller closes the client.

    Args:
        host: as in DOCKER_HOST; None takes the user's current Docker context.
        connections: how many are kept open.
        timeout: seconds for one call.

    Raises:
        EngineUnavailableError: no daemon answers.
    """
    import docker
    from docker.errors import DockerException

    address = host or "the default address"
    try:
        given = (
            {"base_url": host} if host else docker.ContextAPI.kwargs_from_context(environment={})
        )
        address = given.get("base_url") or DEFAULT_HOST
        _knock(address)
        return docker.DockerClient(
            base_url=address,
            tls=given.get("tls") or False,
            timeout=timeout,
            max_pool_size=connections,
        )
    except (DockerException, OSError, ValueError) as error:
        raise EngineUnavailableError(
            f"engine docker: no daemon answers at {address} ({_innermost(error)}); {_START_HINT}"
        ) from error


def _knock(address: str) -> None:
    """Try a socket first: the SDK never closes one that it could not connect.

    Raises:
        OSError: nobody listens there.
    """
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect(address.removeprefix("unix://"))


def read_daemon(client: "DockerClient") -> Daemon:
    """Ask the daemon what it is.

    Raises:
        EngineError: it does not answer.
    """
    from docker.errors import DockerException

    try:
        info = client.api.info()
    except (DockerException, OSError) as error:
        raise translate("asking the daemon what it is", error) from error
    return Daemon(
        version=str(info.get("ServerVersion")),
        passes_sockets=info.get("OperatingSystem") != "Docker Desktop",
    )


def translate(doing: str, error: Exception) -> EngineError:
    """Make an error of the SDK ours.

    Args:
        doing: what was tried, for people.
        error: a `DockerException`, or an OSError, which the errors of the connection are.

    Returns:
        `TrialError` when the daemon refused this one thing, else `EngineUnavailableError`.
    """
    from docker.errors import APIError, ImageNotFound

    if isinstance(error, ImageNotFound):
        return EngineUnavailableError(f"{doing}: the image is not there; {BUILD_HINT}")
    if isinstance(error, APIError):
        return TrialError("set_up", f"{doing}: Docker refused: {error.explanation or error}")
    return EngineUnavailableError(
        f"{doing}: the Docker daemon does not answer ({_innermost(error)}); {_START_HINT}"
    )


def close_stream(stream: "CancellableStream[Any]") -> None:
    """Close a stream; the SDK's own `close` leaves the socket to the garbage collector."""
    from docker.errors import DockerException

    with suppress(DockerException, OSError):
        stream.close()
    vars(stream)["_response"].close()


def _innermost(error: BaseException) -> str:
    """Find the words of the first cause: the SDK wraps a refused connection four times."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:200]
