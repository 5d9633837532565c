"""Runs one program in one container within limits, reads it line by line, and leaves nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import to_thread

from skillwalker.claude_code.lines import LineCutter
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits
from skillwalker.datatypes.trials import OutputFiles
from skillwalker.engines.docker.client import close_stream, translate
from skillwalker.engines.docker.hardening import MEMORY, Job, create_container
from skillwalker.engines.docker.sweep import remove
from skillwalker.engines.docker.taking_out import take_out
from skillwalker.engines.output_files import Snapshot

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.types import CancellableStream

_STDERR_TAIL = 16 * 2**10
_CONTROL_CALLS = 8
_KILLED = 137
_TAKING = 60.0
"""Seconds for taking a trial's files."""

_Result = TypeVar("_Result")
_Chunk = tuple[bytes | None, bytes | None]
"""A piece of stdout or of stderr."""


class Containers:
    """Starts containers and reads what they say; the SDK's blocking calls run in threads.

    Args:
        client: the daemon.
        streams: how many containers may be read at a time.
    """

    def __init__(self, client: "DockerClient", *, streams: int) -> None:
        self._client = client
        # Their own limiters: a stream holds its thread until its container ends, and on the
        # default one forty of them would keep everything else that needs a thread from running.
        self._streams = anyio.CapacityLimiter(streams)
        # A stream that was given up can hold its thread until the container is gone.
        self._taking = anyio.CapacityLimiter(streams)
        self._control = anyio.CapacityLimiter(_CONTROL_CALLS)

    async def run(
        self,
        job: Job,
        *,
        on_line: Callable[[bytes], Next],
        limits: TimeLimits,
        before: Snapshot | None = None,
    ) -> tuple[ProcessEnd, OutputFiles | None]:
        """Run a program until it ends, is enough or reaches a limit.

        When this returns or is cancelled, the container and everything in it is gone.

        Args:
            job: what to run.
            on_line: takes each line.
            limits: of time.
            before: what the working folder holds, for a job with a mark; its files are given back
                unless the program was cut off.

        Raises:
            EngineUnavailableError: the daemon does not answer, or the image is gone.
            TrialError: the container cannot be made or started.
        """
        chunks: CancellableStream[_Chunk] | None = None
        try:
            await self._ask("making", job, partial(create_container, wall=limits.wall))
            chunks = await self._ask("reading", job, _attach)
            await self._ask("starting", job, _start)
            reading = _Reading(on_line, limits, mark=job.mark)
            with anyio.move_on_after(limits.wall) as wall:
                await self._read(reading, chunks, job)
            if reading.is_at_end:
                await self._ask("ending", job, partial(_note_exit, reading=reading))
            end = reading.end(timed_out=wall.cancelled_caught)
            if before is None or end.timed_out or end.idle or reading.is_at_end:
                return end, None
            return end, await self._take_out(job, before)
        finally:
            with anyio.CancelScope(shield=True):
                try:
                    await to_thread.run_sync(remove, self._client, job.name, limiter=self._control)
                finally:
                    if chunks is not None:
                        await to_thread.run_sync(close_stream, chunks, limiter=self._control)

    async def _ask(
        self, doing: str, job: Job, call: "Callable[[DockerClient, Job], _Result]"
    ) -> _Result:
        """Do one call to the daemon."""
        with _ours(doing, job):
            return await to_thread.run_sync(call, self._client, job, limiter=self._control)

    async def _take_out(self, job: Job, before: Snapshot) -> OutputFiles:
        """Take the files; what goes wrong is told beside them, for the trial itself is sound."""
        from docker.errors import DockerException

        with anyio.move_on_after(_TAKING):
            try:
                return await to_thread.run_sync(
                    take_out,
                    self._client,
                    job.name,
                    before,
                    abandon_on_cancel=True,
                    limiter=self._taking,
                )
            except (DockerException, OSError) as error:
                words = str(translate("taking the files", error))
                return OutputFiles(fault=words)
        return OutputFiles(fault=f"they could not be taken within {_TAKING:g} seconds")

    async def _read(self, reading: "_Reading", chunks: Iterator[_Chunk], job: Job) -> None:
        while reading.next is not Next.STOP:
            chunk = None
            with _ours("reading", job), anyio.move_on_after(reading.patience) as silence:
                # The thread stays behind when it is cancelled, until the container is removed.
                chunk = await to_thread.run_sync(
                    next, chunks, None, abandon_on_cancel=True, limiter=self._streams
                )
            if chunk is None:
                reading.stop(at_end=not silence.cancelled_caught)
                return
            reading.take(chunk)


class _Reading:
    """What was seen of one container."""

    def __init__(
        self, on_line: Callable[[bytes], Next], limits: TimeLimits, *, mark: str | None = None
    ) -> None:
        self._on_line = on_line
        self._mark = None if mark is None else mark.encode() + b" "
        self._limits = limits
        self._cutter = LineCutter()
        self._errors = bytearray()
        self._is_idle = False
        self.next = Next.MORE
        self.is_at_end = False
        """Whether the program closed its output."""
        self.exit_code: int | None = None

    @property
    def patience(self) -> float:
        """Seconds to wait for the next word."""
        return self._limits.linger if self.next is Next.LINGER else self._limits.idle

    def take(self, chunk: _Chunk) -> None:
        """Hand out the whole lines, up to the one that is enough."""
        out, errors = chunk
        self._errors += errors or b""
        del self._errors[:-_STDERR_TAIL]
        for line in self._cutter.cut(out or b""):
            self.next = self._take_line(line)
            if self.next is Next.STOP:
                return

    def _take_line(self, line: bytes) -> Next:
        """Hand a line out, unless it says that the program ended."""
        if self._mark is None or not line.startswith(self._mark):
            return self._on_line(line)
        code = line.removeprefix(self._mark).strip()
        self.exit_code = int(code) if code.isdigit() else None
        return Next.STOP

    def stop(self, *, at_end: bool) -> None:
        """Take what is left when nothing more comes."""
        self.is_at_end = at_end
        self._is_idle = not at_end and self.next is Next.MORE
        if at_end and (last := self._cutter.last()):
            self.next = self._take_line(last)

    def note(self, words: str) -> None:
        """Add to what was said on stderr."""
        self._errors += words.encode()

    def end(self, *, timed_out: bool) -> ProcessEnd:
        """Say how it ended."""
        return ProcessEnd(
            exit_code=self.exit_code,
            timed_out=timed_out,
            idle=self._is_idle,
            stderr=self._errors.decode(errors="replace"),
        )


@contextmanager
def _ours(doing: str, job: Job) -> Iterator[None]:
    """Make the SDK's errors ours; the one border of a container at which that is done."""
    from docker.errors import DockerException

    try:
        yield
    except (DockerException, OSError) as error:
        raise translate(f"{doing} container {job.name}", error) from error


def _attach(client: "DockerClient", job: Job) -> "CancellableStream[_Chunk]":
    """Open the stream of what a container says; it must be open before the start."""
    return client.api.attach(job.name, stream=True, demux=True)


def _start(client: "DockerClient", job: Job) -> None:
    client.api.start(job.name)


def _note_exit(client: "DockerClient", job: Job, *, reading: _Reading) -> None:
    """Wait for the exit code; a stream that ends says nothing of how."""
    code = int(client.api.wait(job.name)["StatusCode"])
    reading.exit_code = code
    if code == _KILLED and client.api.inspect_container(job.name)["State"]["OOMKilled"]:
        reading.note(f"it needed more memory than the {MEMORY / 2**30:g} GB of a container")
