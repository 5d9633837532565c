"""stdout and stderr that take any character, and that cannot end a run by being closed or full."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

STDIN, STDOUT, STDERR = range(3)


class OutputLost(Exception):  # noqa: N818 (not an error of ours; `cli` alone sees it)
    """Results could not be written to stdout.

    Args:
        reason: why, in the system's words; empty where the reader left, which is no fault.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Sink(io.RawIOBase):
    """Writes to a descriptor until that fails.

    Args:
        descriptor: where to write.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lost = False

    def writable(self) -> bool:
        """Say that it can be written."""
        return True

    def fileno(self) -> int:
        """Give the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Say whether it is a terminal."""
        return os.isatty(self._descriptor)

    def write(self, data: "Buffer", /) -> int:
        """Write some of the data, or drop all of it once writing has failed."""
        size = memoryview(data).nbytes
        if self._lost:
            return size
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            self._lost = True
            self._fail(error)
        return size

    def _fail(self, error: OSError) -> None:
        """Say that writing failed; nobody need know about lost progress."""


class _Results(_Sink):
    """stdout: losing what it was asked for ends the command."""

    def _fail(self, error: OSError) -> None:
        reason = "" if error.errno == errno.EPIPE else str(error.strerror)
        raise OutputLost(reason) from error


@contextmanager
def steady_streams() -> Iterator[None]:
    """Put streams in place of the process's own that write UTF-8 and bear a failure.

    A stream that somebody else put there, as a test does, stays.
    """
    _occupy_closed()
    own = (sys.stdin, sys.stdout, sys.stderr)
    if sys.stdin is None:
        sys.stdin = open(STDIN, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _text(_Results(STDOUT))
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Sink(STDERR))
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = own


def _text(sink: _Sink) -> TextIO:
    return io.TextIOWrapper(
        io.BufferedWriter(sink), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


def _occupy_closed() -> None:
    """Open what is closed of the first three descriptors, so that no file of ours gets one.

    In the wrong direction: reading or writing there fails, as it must.
    """
    for descriptor, stream, mode in (
        (STDIN, sys.stdin, os.O_WRONLY),
        (STDOUT, sys.stdout, os.O_RDONLY),
        (STDERR, sys.stderr, os.O_RDONLY),
    ):
        if stream is not None:
            continue
        try:
            os.fstat(descriptor)
        except OSError:
            taken = os.open(os.devnull, mode)  # the lowest that is free
            if taken != descriptor:
                os.dup2(taken, descriptor)
                os.close(taken)
