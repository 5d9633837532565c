"""Takes the files that a trial left out of its container, before the container ends.

They lie in a file system in memory, which no copy command of Docker sees; so a tar stream is read
from a program of the image, with bounds, and nothing of it is ever written here under its name.
"""

import io
import tarfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from skillwalker.datatypes.trials import OutputFiles
from skillwalker.engines.docker.client import close_stream
from skillwalker.engines.docker.hardening import USER, WORK
from skillwalker.engines.output_files import LEFT_OUT, Output, Snapshot, is_safe_name

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.types import CancellableStream

MAX_STREAM = 2**30
"""Bytes of the stream that are read; the working folder holds half of it."""
_STDERR_TAIL = 500
_CHANGED_MEANWHILE = 1
"""Exit code of tar when a program that the trial left running wrote while it read."""
_MISSING = 127
_SCRIPT = (
    f"cd {WORK} && chmod -R u+rX . 2>/dev/null; exec tar --sort=name --sparse --hard-dereference"
    f" --ignore-failed-read --exclude={LEFT_OUT} -cf - ."
)


def take_out(client: "DockerClient", container: str, before: Snapshot) -> OutputFiles:
    """Read the working folder of a container that runs.

    Args:
        client: the daemon.
        container: its name.
        before: what the working folder held at the start.

    Raises:
        DockerException: the daemon refused it.
        OSError: the daemon does not answer.
    """
    command = ["/bin/sh", "-c", _SCRIPT]
    started = client.api.exec_create(container, command, user=USER, stdin=False)["Id"]
    stream = client.api.exec_start(started, stream=True, demux=True)
    reader = _Stream(stream)
    output = Output(before)
    fault = None
    try:
        _read(reader, output)
        for _ in iter(lambda: reader.read(2**16), b""):
            continue
    except _TooLongError:
        fault = f"more than {MAX_STREAM >> 20} MB in the working folder; the rest was not read"
    except (tarfile.TarError, EOFError) as error:
        fault = f"the working folder could not be read ({reader.words or error})"
    finally:
        close_stream(stream)
    if fault is None:
        fault = _fault_of(client.api.exec_inspect(started)["ExitCode"], reader.words)
    return output.result(fault)


def _fault_of(code: object, words: str) -> str | None:
    """Say what the program's exit code means for the list of files."""
    if code in (0, _CHANGED_MEANWHILE, None):
        return None
    if code == _MISSING:
        return "the image has no tar; build the sandbox on a base that has it"
    return f"the working folder was read in part only ({words or f'tar ended with {code}'})"


def _read(reader: "_Stream", output: Output) -> None:
    with tarfile.open(fileobj=reader, mode="r|", errors="surrogateescape") as archive:
        for member in archive:
            _take(archive, member, output)


def _take(archive: tarfile.TarFile, member: tarfile.TarInfo, output: Output) -> None:
    """Offer one member; what could not stand in a folder is named and not read."""
    path = str(PurePosixPath(member.name))
    if member.isdir():
        return
    if not is_safe_name(path):
        output.take_other(path, reason="special")
    elif member.issym():
        output.take_link(path, member.linkname)
    elif member.isfile() and (content := archive.extractfile(member)) is not None:
        with content:
            output.take_file(path, member.size, content)
    else:
        output.take_other(path)


class _TooLongError(Exception):
    """More came than is read."""


class _Stream(io.RawIOBase):
    """What a program in a container writes to stdout, as a file; its last words on stderr."""

    def __init__(self, chunks: "CancellableStream[tuple[bytes | None, bytes | None]]") -> None:
        self._chunks: Iterator[tuple[bytes | None, bytes | None]] = iter(chunks)
        self._held = b""
        self._total = 0
        self._errors = b""

    @property
    def words(self) -> str:
        """What was said on stderr, in one line."""
        return " ".join(self._errors.decode(errors="replace").split())

    def readable(self) -> bool:
        """It can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes, fewer only at the end.

        Raises:
            _TooLongError: the whole is longer than `MAX_STREAM`.
        """
        parts, missing = [self._held], size - len(self._held)
        while missing > 0 and (chunk := next(self._chunks, None)) is not None:
            out, errors = chunk
            self._errors = (self._errors + (errors or b""))[-_STDERR_TAIL:]
            parts.append(out or b"")
            missing -= len(parts[-1])
            self._total += len(parts[-1])
            if self._total > MAX_STREAM:
                raise _TooLongError
        whole = b"".join(parts)
        self._held = whole[size:]
        return whole[:size]
