"""Ctrl-C: the first ends a run when what is in flight is done, the second ends it now.

A request to terminate (SIGTERM) is a first Ctrl-C whose sender does not wait for long. Whatever
the work does, and even if it never yields, the process is gone a few seconds after it was told.
"""

import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import FrameType
from typing import TypeVar

import anyio
from anyio import from_thread
from anyio.lowlevel import EventLoopToken, current_token

from skillwalker.claude_code.process_tree import find_descendants
from skillwalker.cli.process import EXIT_INTERRUPTED, handled
from skillwalker.cli.raised import told_of
from skillwalker.limits import Limits

R = TypeVar("R")

TERM_GRACE = 4.0
"""Seconds from SIGTERM until what is in flight is cancelled.
Source: `docker stop` kills after 10 seconds; cancelling a trial takes about one."""
STUCK = 1.5
"""Seconds in which work must yield once to be cancelled in good order."""
LEAVE_GRACE = 4.0
"""Seconds that cancelled work may take to close what it opened."""
FIRST = "\nfinishing what is in flight; press Ctrl-C again to stop now\n"


async def run_watched(
    work: Callable[[], Awaitable[R]], limits: Limits, *, at_once: bool = False
) -> R | None:
    """Do work under the signals that end it; None when it was interrupted twice.

    Args:
        work: is cancelled by the second signal.
        limits: are told of the first, so that what is in flight is finished.
        at_once: whether the first signal cancels the work, since nothing of it is worth keeping.

    Raises:
        SkillwalkerError: what the work raises, taken out of any group of tasks.
    """
    done: list[R] = []
    failed: list[Exception] = []
    async with anyio.create_task_group() as tasks:
        watch = _Watch(limits, tasks.cancel_scope, current_token(), at_once=at_once)
        with handled(watch.receive):
            try:
                done.append(await work())
            except Exception as error:  # noqa: BLE001 (any)
                failed.append(error)  # raised below, bare: a task group would wrap it
            finally:
                watch.end()
                tasks.cancel_scope.cancel()
    if failed:
        raise told_of(failed[0]) or failed[0]
    return done[0] if done else None


class _Watch:
    """Receives signals while a run is on, in the main thread between two instructions."""

    def __init__(
        self, limits: Limits, scope: anyio.CancelScope, loop: EventLoopToken, *, at_once: bool
    ) -> None:
        self._limits = limits
        self._scope = scope
        self._loop = loop
        self._told = at_once
        self._yielded = threading.Event()
        self._over = threading.Event()

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """Take a signal."""
        if self._told:
            self._stop_after(0.0)
            return
        self._told = True
        self._limits.interrupt()
        with suppress(OSError, ValueError):
            # A print could meet itself: the signal may have come in the middle of one.
            os.write(sys.stderr.fileno(), FIRST.encode())
        if number == signal.SIGTERM:
            self._stop_after(TERM_GRACE)

    def end(self) -> None:
        """Take note that the run is over; nobody is waited for any more."""
        self._over.set()

    def _stop_after(self, seconds: float) -> None:
        threading.Thread(target=self._stop, args=(seconds,), daemon=True).start()

    def _stop(self, seconds: float) -> None:
        """Cancel the work after some time, and leave without it if it does not end by that."""
        if self._over.wait(seconds):
            return
        threading.Thread(target=self._cancel, daemon=True).start()
        if not (self._yielded.wait(STUCK) and self._over.wait(LEAVE_GRACE)):
            self._leave()

    def _cancel(self) -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile
            from_thread.run_sync(self._scope.cancel, token=self._loop)
        self._yielded.set()

    def _leave(self) -> None:
        """End this process and its children; what they leave on disk, the next run removes."""
        for pid in find_descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        os._exit(EXIT_INTERRUPTED)
