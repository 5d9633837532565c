"""Runs a verification command once, and leaves nothing of it running."""

import math
import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.claude_code.process import Next, TimeLimits, run_process

MARKER = "SKILLWALKER_COMMAND"
"""Variable by which everything that a command starts is found again, to be ended."""
MAX_OUTPUT = 16 * 2**20
"""Bytes of stdout that are kept; of more, the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnd:
    """How a command ended, and what it printed."""

    output: str
    stderr: str
    exit_code: int | None
    """None when it did not end by itself."""


class _Tail:
    """Keeps the last lines of an output within a bound."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._size = 0

    def take(self, line: bytes) -> Next:
        """Keep a line, and drop the oldest while there are too many."""
        self._lines.append(line)
        self._size += len(line) + 1
        while self._size > MAX_OUTPUT and len(self._lines) > 1:
            self._size -= len(self._lines.popleft()) + 1
        return Next.MORE

    def text(self) -> str:
        """Give what was kept."""
        return b"\n".join(self._lines).decode("utf-8-sig", errors="replace")


async def run_command(
    argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, wall: float
) -> CommandEnd:
    """Run a program without a shell; at the timeout it and all it started are ended.

    Args:
        argv: program and arguments.
        env: the whole environment.
        cwd: the working folder.
        wall: seconds.

    Raises:
        OSError: the program cannot be started.
    """
    tail = _Tail()
    token = secrets.token_hex(16)
    end = await run_process(
        argv,
        env={**env, MARKER: token},
        cwd=cwd,
        marker=f"{MARKER}={token}",
        stdin=b"",
        on_line=tail.take,
        limits=TimeLimits(wall=wall, idle=math.inf, linger=math.inf),
    )
    return CommandEnd(
        output=tail.text(),
        stderr=end.stderr,
        exit_code=None if end.timed_out else end.exit_code,
    )
