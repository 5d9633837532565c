"""Writes reports beside the event loop of a program, which has other things to do meanwhile."""

from collections.abc import Callable
from threading import Lock

from anyio import to_thread

from skillwalker.report.files import Reports

_drawing = Lock()
"""Held while reports are written: nobody promises that the drawing of charts may run twice at once,
and before it had a thread of its own it never did."""


async def write_aside(write: Callable[[], Reports]) -> Reports:
    """Write reports in a worker thread.

    A cancellation waits until they are written: nobody finds a part of them, and nothing goes on
    writing into a folder that the program has let go of.

    Args:
        write: writes them; anything it raises is raised here.
    """

    def alone() -> Reports:
        with _drawing:
            return write()

    return await to_thread.run_sync(alone)
