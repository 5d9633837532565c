"""Runs one program: feeds it, reads it line by line within limits, and leaves nothing of it."""

import fcntl
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum, auto
from io import FileIO
from pathlib import Path
from subprocess import PIPE
from typing import NamedTuple

import anyio
from anyio.abc import Process

from skillwalker.claude_code.lines import MAX_LINE, LineCutter
from skillwalker.claude_code.process_tree import end_group

_PIPE_SIZE = 2**20
_CHUNK = 2**16
_STDERR_TAIL = 16 * 2**10
_DRAIN = 1.0
"""Seconds for what is still in the pipe when the program has ended but a child holds it open."""


class Next(Enum):
    """What a reader of lines wants to happen next."""

    MORE = auto()
    LINGER = auto()
    """The program should end by itself now; it is ended when it does not."""
    STOP = auto()
    """Enough was seen; end the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """How long a program may take, in seconds."""

    wall: float
    idle: float
    """Without a line on stdout."""
    linger: float = 3.0
    """From a line that was to be the last one to the end."""
    grace: float = 1.0
    """From the request to end to the kill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEnd:
    """How a program ended."""

    exit_code: int | None
    """None when it did not end by itself."""
    timed_out: bool
    idle: bool
    stderr: str
    """The last part of it."""


async def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path,
    marker: str,
    stdin: bytes,
    on_line: Callable[[bytes], Next],
    limits: TimeLimits,
) -> ProcessEnd:
    """Run a program in a session of its own until it ends, is enough or reaches a limit.

    When this returns or is cancelled, the program and everything it started has ended.

    Args:
        argv: program and arguments; no shell.
        env: the whole environment.
        cwd: the working folder.
        marker: an entry of `env`, `NAME=value`, that no other process has.
        stdin: fed while the output is read, then closed.
        on_line: takes each line of stdout without its end.
        limits: how long it may take.

    Raises:
        OSError: the program cannot be started.
    """
    process, ends, closing = await _start(argv, env=env, cwd=cwd)
    run = _Run(process, ends, on_line, limits)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run.feed, stdin)
            tasks.start_soon(run.read_errors)
            tasks.start_soon(run.watch)
            await run.read()
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            running = process.returncode is None
            await end_group(process.pid, marker, is_running=running, grace=run.grace)
            with anyio.move_on_after(limits.grace + 1):
                await process.aclose()
            closing.close()
    return run.end()


class _Ends(NamedTuple):
    """Our ends of a program's stdin and stdout, neither of which blocks."""

    feed: FileIO
    output: int


async def _start(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path
) -> tuple[Process, _Ends, ExitStack]:
    """Start a program: with our ends of its pipes, and what closes them.

    The pipes are our own: asyncio's complain on stderr about a program that does not read.
    """
    with ExitStack() as ours, ExitStack() as theirs:
        output, stdout = _open_pipe()
        ours.callback(os.close, output)
        theirs.callback(os.close, stdout)
        stdin, feed = os.pipe()
        theirs.callback(os.close, stdin)
        ends = _Ends(ours.enter_context(FileIO(feed, "w")), output)
        os.set_blocking(feed, False)
        process = await anyio.open_process(
            list(argv),
            stdin=stdin,
            stdout=stdout,
            stderr=PIPE,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        return process, ends, ours.pop_all()


def _open_pipe() -> tuple[int, int]:
    """Open a pipe as large as the system allows: older CLIs drop at their end what did not fit."""
    output, write_end = os.pipe()
    os.set_blocking(output, False)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
    return output, write_end


class _Run:
    """One program and what was seen of it."""

    def __init__(
        self, process: Process, ends: _Ends, on_line: Callable[[bytes], Next], limits: TimeLimits
    ) -> None:
        self._process = process
        self._feed, self._output = ends
        self._on_line = on_line
        self._limits = limits
        self._cutter = LineCutter(MAX_LINE)
        self._next = Next.MORE
        self._receiving: anyio.CancelScope | None = None
        self._exit_code: int | None = None
        self._timed_out = False
        self._idle = False
        self._gave_up = False
        self._errors = bytearray()

    @property
    def grace(self) -> float:
        """How long it may take to end when asked; nobody waits for it when enough was seen."""
        return 0.0 if self._next is Next.STOP else self._limits.grace

    def end(self) -> ProcessEnd:
        """Say how it ended."""
        return ProcessEnd(
            exit_code=self._exit_code,
            timed_out=self._timed_out,
            idle=self._idle,
            stderr=self._errors.decode(errors="replace"),
        )

    async def feed(self, data: bytes) -> None:
        """Write the input; a program that does not want it is no error."""
        rest = memoryview(data)
        with self._feed, suppress(OSError):
            while rest:
                await anyio.wait_writable(self._feed)
                rest = rest[self._feed.write(rest) or 0 :]

    async def read_errors(self) -> None:
        """Keep the end of what it says on stderr."""
        stream = self._process.stderr
        if stream is None:
            return
        try:
            async for chunk in stream:
                self._errors += chunk
                del self._errors[:-_STDERR_TAIL]
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    async def watch(self) -> None:
        """Note the exit code; a child that holds the pipe must not keep the reader waiting."""
        self._exit_code = await self._process.wait()
        if self._receiving is not None:
            self._receiving.deadline = min(self._receiving.deadline, anyio.current_time() + _DRAIN)

    async def read(self) -> None:
        """Read lines until the end, a limit, or until it is enough."""
        with anyio.move_on_after(self._limits.wall) as wall:
            while self._next is not Next.STOP and (chunk := await self._receive()):
                self._take(chunk)
            if self._next is Next.STOP:
                return
            if last := self._cutter.last():
                self._next = self._on_line(last)
            await self._await_exit()
        self._timed_out = wall.cancelled_caught

    async def _receive(self) -> bytes:
        """Receive some output; nothing at its end and when the program is silent for too long."""
        patience = self._limits.linger if self._next is Next.LINGER else self._limits.idle
        if self._exit_code is not None:
            patience = _DRAIN
        with anyio.move_on_after(patience) as self._receiving:
            await anyio.wait_readable(self._output)
            return os.read(self._output, _CHUNK)
        self._idle = self._next is Next.MORE and self._exit_code is None
        self._gave_up = True
        return b""

    async def _await_exit(self) -> None:
        """Give a program that closed its output the time to end."""
        if self._gave_up or self._exit_code is not None:
            return
        with anyio.move_on_after(self._limits.linger):
            self._exit_code = await self._process.wait()

    def _take(self, chunk: bytes) -> None:
        """Hand out the whole lines, until it is enough."""
        for line in self._cutter.cut(chunk):
            self._next = self._on_line(line)
            if self._next is Next.STOP:
                return
