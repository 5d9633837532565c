"""What a failing daemon does to the reading of a container; no daemon is needed for that."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from docker.errors import DockerException

from skillwalker.claude_code.process import Next, TimeLimits
from skillwalker.engines.docker.container import Containers
from skillwalker.engines.docker.hardening import Job
from skillwalker.engines.docker.sweep import this_process
from skillwalker.errors import EngineError, EngineUnavailableError

LOST = OSError(104, os.strerror(104))


class FakeStream:
    """What a container says, until something fails."""

    def __init__(
        self, *said: bytes, fault: Exception | None, close_fault: Exception | None
    ) -> None:
        self.said = said
        self.fault = fault
        self.close_fault = close_fault
        self.is_closed = False
        self._chunks = self._speak()
        self._response = SimpleNamespace(close=partial(setattr, self, "is_closed", True))

    def __next__(self) -> tuple[bytes, None]:
        return next(self._chunks)

    def _speak(self) -> Iterator[tuple[bytes, None]]:
        for line in self.said:
            yield line, None
        if self.fault is not None:
            raise self.fault

    def close(self) -> None:
        """Close as the SDK does: over some transports it cannot."""
        if self.close_fault is not None:
            raise self.close_fault


class FakeApi:
    """A daemon that makes and starts whatever it is asked."""

    def __init__(self, stream: FakeStream, *, remove_fault: Exception | None) -> None:
        self.stream = stream
        self.remove_fault = remove_fault

    def create_host_config(self, **_settings: object) -> dict[str, object]:
        """Take any settings."""
        return {}

    def create_container(self, *_words: object, **_settings: object) -> None:
        """Make it."""

    def attach(self, *_words: object, **_settings: object) -> FakeStream:
        """Give the stream."""
        return self.stream

    def start(self, _name: str) -> None:
        """Start it."""

    def wait(self, _name: str) -> dict[str, int]:
        """It ended well."""
        return {"StatusCode": 0}

    def remove_container(self, _name: str, **_settings: object) -> None:
        """Remove it, or fail."""
        if self.remove_fault is not None:
            raise self.remove_fault


def run(
    tmp_path: Path,
    *,
    fault: Exception | None = None,
    remove_fault: Exception | None = None,
    close_fault: Exception | None = None,
) -> tuple[list[bytes], FakeStream, EngineError | None]:
    """Run a container that says two lines, and then whatever happens to it."""
    stream = FakeStream(b"one\n", b"two\n", fault=fault, close_fault=close_fault)
    client: Any = SimpleNamespace(api=FakeApi(stream, remove_fault=remove_fault))
    job = Job(
        name="c",
        image="i",
        argv=("x",),
        env={},
        folder=tmp_path,
        sockets=None,
        owner=this_process(),
    )
    lines: list[bytes] = []

    def take(line: bytes) -> Next:
        lines.append(line)
        return Next.MORE

    work = partial(
        Containers(client, streams=1).run,
        job,
        on_line=take,
        limits=TimeLimits(wall=20.0, idle=20.0),
    )
    try:
        anyio.run(work)
    except EngineError as error:
        return lines, stream, error
    return lines, stream, None


@pytest.mark.parametrize("close_fault", [None, LOST, DockerException("not over ssh")])
def test_the_stream_is_closed_at_the_end(tmp_path: Path, close_fault: Exception | None) -> None:
    lines, stream, error = run(tmp_path, close_fault=close_fault)
    assert (lines, stream.is_closed, error) == ([b"one", b"two"], True, None)


@pytest.mark.parametrize("fault", [LOST, DockerException("gone")])
def test_a_daemon_that_is_lost_while_it_is_read_is_said(tmp_path: Path, fault: Exception) -> None:
    lines, stream, error = run(tmp_path, fault=fault)
    assert (lines, stream.is_closed) == ([b"one", b"two"], True)
    assert isinstance(error, EngineUnavailableError)
    assert str(error).startswith("reading container c: the Docker daemon does not answer (")


def test_a_container_that_stays_leaves_no_socket_open(tmp_path: Path) -> None:
    _, stream, error = run(tmp_path, remove_fault=LOST)
    assert stream.is_closed
    assert str(error).startswith("removing container c: the Docker daemon does not answer (")
