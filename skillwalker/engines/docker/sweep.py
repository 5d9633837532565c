"""Marks our containers with who made them, and removes those whose maker is gone.

A killed run cannot clean up, and its containers go on until their own limit. The next run finds
them by their labels; a container of a run that lives is never touched.
"""

import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from skillwalker.engines.docker.client import translate

if TYPE_CHECKING:
    from docker import DockerClient

LABEL = "skillwalker"
"""On each container and image of ours."""

_PID, _START, _HOST, _DEADLINE = (f"{LABEL}.{key}" for key in ("pid", "start", "host", "deadline"))
_CONTAINER = "container"
"""Value of `LABEL`; a container that a user starts from our image inherits another."""
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A process, so named that no later one is mistaken for it."""

    pid: int
    start: str
    """When it began, in the kernel's count; empty where that cannot be read (macOS)."""
    host: str
    """The machine, and the view on its processes that a container has."""


def this_process() -> Owner:
    """Name the process that runs this."""
    try:
        space = (_PROC / "self" / "ns" / "pid").readlink().name
    except OSError:
        space = ""
    pid = os.getpid()
    return Owner(pid=pid, start=_started(pid), host=f"{platform.node()} {space}".strip())


def owner_labels(owner: Owner, *, deadline: float) -> dict[str, str]:
    """Build a container's labels.

    Args:
        owner: who makes it.
        deadline: when it will have ended by itself, in seconds since 1970.
    """
    return {
        LABEL: _CONTAINER,
        _PID: str(owner.pid),
        _START: owner.start,
        _HOST: owner.host,
        _DEADLINE: str(int(deadline)),
    }


def is_abandoned(labels: Mapping[str, str], *, here: Owner, now: float) -> bool:
    """Say whether the maker of a container is surely gone.

    On this machine the process tells; of another one only the time does.
    """
    pid, deadline = labels.get(_PID, ""), labels.get(_DEADLINE, "")
    if labels.get(_HOST) == here.host and pid.isdecimal():
        return not _is_running(int(pid), labels.get(_START, ""))
    return not deadline.isdecimal() or int(deadline) < now


def list_abandoned(client: "DockerClient") -> tuple[str, ...]:
    """List our containers, running or not, whose maker is gone.

    Raises:
        EngineError: the daemon does not answer.
    """
    from docker.errors import DockerException

    try:
        ours = client.api.containers(all=True, filters={"label": f"{LABEL}={_CONTAINER}"})
    except (DockerException, OSError) as error:
        raise translate("looking for left containers", error) from error
    here, now = this_process(), time.time()
    return tuple(str(one["Id"]) for one in ours if is_abandoned(one["Labels"], here=here, now=now))


def sweep(client: "DockerClient") -> int:
    """Remove the containers whose maker is gone, and say how many there were.

    Raises:
        EngineError: the daemon does not answer.
    """
    left = list_abandoned(client)
    for one in left:
        remove(client, one)
    return len(left)


def remove(client: "DockerClient", container: str) -> None:
    """End a container and everything in it; one that is gone already is no error.

    Args:
        client: the daemon.
        container: id or name.

    Raises:
        EngineError: it is still there.
    """
    from docker.errors import APIError, DockerException, NotFound

    try:
        client.api.remove_container(container, force=True, v=True)
    except NotFound:
        return
    except APIError as error:
        # Another one removes it at this moment.
        if error.status_code != 409:
            raise translate(f"removing container {container}", error) from error
    except (DockerException, OSError) as error:
        raise translate(f"removing container {container}", error) from error


def _is_running(pid: int, start: str) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # no process has so large a number
        return False
    except PermissionError:
        pass
    return not start or _started(pid) == start


def _started(pid: int) -> str:
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return ""
    # Source: proc_pid_stat(5), field 22; the name before it may hold spaces.
    return text.rpartition(")")[2].split()[19]
