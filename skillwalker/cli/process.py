"""What belongs to the whole process: its exit codes, what a signal means to it, its encoding."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

EXIT_FAILED = 1
EXIT_INCONCLUSIVE = 3
EXIT_GATE = 4
EXIT_INTERRUPTED = 130
SIGNALS = (signal.SIGINT, signal.SIGTERM)
Handler = Callable[[int, FrameType | None], object]


@contextmanager
def handled(handler: Handler) -> Iterator[None]:
    """Handle both signals that end a process; they mean again what they meant, afterwards.

    Python runs a handler between two instructions of the main thread, so work that never waits
    is interrupted as well. In another thread nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [(number, signal.signal(number, handler)) for number in SIGNALS]
    try:
        yield
    finally:
        for number, old in before:
            signal.signal(number, signal.SIG_DFL if old is None else old)


@contextmanager
def interrupts_leave() -> Iterator[None]:
    """Let a signal end the process at once: while it starts, there is nothing to put in order.

    An exception would come up in the middle of some import, which may print or swallow it.
    """
    with handled(lambda _number, _frame: os._exit(EXIT_INTERRUPTED)):
        yield


class Interrupted(KeyboardInterrupt):
    """A signal asked the process to end.

    A class of its own: where a bare KeyboardInterrupt passes through `exec`, as in the making of a
    dataclass, Python ends the process by a signal in spite of the exit code.
    """


@contextmanager
def interrupts_raise() -> Iterator[None]:
    """Let a signal raise Interrupted, so that what is open is closed in good order."""
    with handled(_raise):
        yield


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted


def speak_utf8() -> None:
    """Start the process anew in UTF-8 mode where its locale cannot write every name.

    Names and prompts come in any script. In a C locale, arguments and paths are otherwise half
    decoded: they can be neither compared with what a file says nor printed.
    """
    if sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execv(sys.executable, command)  # noqa: S606 (this very program again, there is no shell)
