"""Describes the container of a trial: nothing of the host can be read or changed from inside.

Source: each of these settings was taken away once to see what it keeps out, and the whole set ran
Claude Code through skills, Bash, git and an early stop (docs/decisions.md).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from skillwalker.engines.docker.sweep import Owner, owner_labels
from skillwalker.engines.key_proxy import GATEWAY

if TYPE_CHECKING:
    from docker import DockerClient

HOME = "/home/runner"
WORK = "/workspace"
TEMP = "/tmp"  # noqa: S108 (inside the container, where it is a file system of its own)
INPUT = "/trial"
"""The trial's folder, read-only: `prompt`, `work` and `plugins`."""
SOCKETS = "/run/skillwalker"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CANNOT_SET_UP = 96
"""Exit code when the working folder could not be filled."""
MEMORY = 2 * 2**30
"""Bytes, the file systems in memory included. One Claude Code takes 0.2 GB."""

_USER_ID = 10001
"""A user that exists neither in the image nor, most likely, on the host."""
USER = f"{_USER_ID}:{_USER_ID}"
_OWN_LIMIT = 30
"""Seconds after our limit at which a container ends itself, should we have been killed."""
_PIPE_SIZE = 2**20
_LARGE_PIPE = f"perl -e 'fcntl STDOUT, 1031, {_PIPE_SIZE}' 2>/dev/null"
"""Older CLIs drop at their end what did not fit into the pipe; an image without perl keeps the
small one. Source: fcntl(2), F_SETPIPE_SZ."""
_FILL = f"cp -a {INPUT}/work/. {WORK}/ || exit {CANNOT_SET_UP}\n{_LARGE_PIPE}\n"
_START = f'{_FILL}exec timeout -k 5 "$@" <{INPUT}/prompt'
_STAY = 120
"""Seconds for which a container whose program has ended waits for its files to be taken."""
_START_AND_STAY = (
    f'{_FILL}mark=$1; shift\ntimeout -k 5 "$@" <{INPUT}/prompt; code=$?\n'
    f"printf '\\n%s %d\\n' \"$mark\" $code; exec sleep {_STAY}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one container is to do."""

    name: str
    image: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(repr=False)
    folder: Path
    """Here; inside it is `INPUT`."""
    sockets: Path | None
    """Here; inside it is `SOCKETS`. None gives the container a network instead."""
    owner: Owner
    mark: str | None = None
    """Begins the line that says that the program ended, with its exit code; the container then
    waits for its files to be taken. None ends it with its program."""


def create_container(client: "DockerClient", job: Job, *, wall: float) -> None:
    """Make the container of a job, without starting it.

    Args:
        client: the daemon.
        job: what it is to do.
        wall: seconds after which somebody will have ended it.

    Raises:
        DockerException: the daemon refused it.
        OSError: the daemon does not answer.
    """
    seconds = int(wall) + _OWN_LIMIT
    script, first = (_START, []) if job.mark is None else (_START_AND_STAY, [job.mark])
    client.api.create_container(
        job.image,
        # The prompt is a file, so that no length and no way of closing a stream matters.
        ["/bin/sh", "-c", script, "sh", *first, str(seconds), *job.argv],
        entrypoint=[],
        name=job.name,
        user=USER,
        working_dir=WORK,
        environment=dict(job.env),
        labels=owner_labels(job.owner, deadline=time.time() + seconds + 60 + _STAY),
        host_config=_host_config(client, job),
        # The client's own settings would put the host's HTTP proxy, with its login, inside.
        use_config_proxy=False,
    )


def _host_config(client: "DockerClient", job: Job) -> dict[str, object]:
    from docker.types import LogConfig, Mount, Ulimit

    mounts = [Mount(INPUT, str(job.folder), type="bind", read_only=True)]
    if job.sockets is not None:
        mounts.append(Mount(SOCKETS, str(job.sockets), type="bind", read_only=True))
    own = f"uid={_USER_ID},gid={_USER_ID}"
    config: dict[str, object] = client.api.create_host_config(
        read_only=True,
        network_mode="bridge" if job.sockets is None else "none",
        extra_hosts={GATEWAY: "host-gateway"} if job.sockets is None else None,
        ipc_mode="private",
        init=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        pids_limit=512,
        mem_limit=MEMORY,
        memswap_limit=MEMORY,
        nano_cpus=10**9,
        ulimits=[
            Ulimit(name="nofile", soft=4096, hard=4096),
            Ulimit(name="core", soft=0, hard=0),
        ],
        tmpfs={
            TEMP: "rw,nosuid,nodev,size=256m,mode=1777",
            HOME: f"rw,nosuid,nodev,size=256m,{own},mode=0700",
            # What the model writes may be run; Docker forbids it unless told.
            WORK: f"rw,nosuid,nodev,exec,size=512m,{own},mode=0755",
        },
        mounts=mounts,
        # What a trial says may be of any length, and holds the user's scaffold.
        log_config=LogConfig(type=LogConfig.types.NONE),
    )
    return config
