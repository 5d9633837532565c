import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from skillwalker.report.aside import write_aside
from skillwalker.report.files import Reports

PATIENCE = 5.0
"""Seconds until a writer on the loop's own thread, which nothing can let go on, gives up."""
TICKS = 2000
"""Rounds of a loop in which a thread that nothing holds up has long begun."""
DONE = Reports(written=(Path("report.md"),), faults=())


class SlowWriter:
    """Writes two halves, and goes on to the second when it is let."""

    def __init__(self) -> None:
        self.halves: list[str] = []
        self.began = threading.Event()
        self.go_on = threading.Event()

    def __call__(self) -> Reports:
        """Write."""
        self.halves.append("first")
        self.began.set()
        assert self.go_on.wait(PATIENCE), "the loop stood still"
        self.halves.append("second")
        return DONE


async def tick(until: Callable[[], bool], then: Callable[[], object]) -> None:
    """Let the loop go round: until something is so, and a few times more."""
    while not until():
        await checkpoint()
    for _ in range(TICKS):
        await checkpoint()
    then()


def test_the_loop_goes_on_while_reports_are_written() -> None:
    writer = SlowWriter()

    async def run() -> Reports:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(tick, writer.began.is_set, writer.go_on.set)
            return await write_aside(writer)
        raise AssertionError

    assert anyio.run(run) == DONE
    assert writer.halves == ["first", "second"]


def test_a_cancellation_leaves_whole_reports() -> None:
    writer = SlowWriter()

    async def cancel(scope: anyio.CancelScope) -> None:
        with anyio.CancelScope(shield=True):
            await tick(writer.began.is_set, scope.cancel)
            await tick(lambda: True, writer.go_on.set)

    async def run() -> tuple[bool, list[str]]:
        found: list[str] = []
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(cancel, scope)
                try:
                    await write_aside(writer)
                finally:
                    found.extend(writer.halves)
                await checkpoint()
        return scope.cancelled_caught, found

    assert anyio.run(run) == (True, ["first", "second"])


def test_a_cancelled_caller_begins_no_report() -> None:
    writer = SlowWriter()

    async def run() -> None:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await write_aside(writer)

    anyio.run(run)
    assert writer.halves == []


def test_two_runs_of_a_program_write_one_after_the_other() -> None:
    inside: list[str] = []
    first = SlowWriter()

    def second() -> Reports:
        inside.extend(first.halves)
        return DONE

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write_aside, first)
            await tick(first.began.is_set, lambda: tasks.start_soon(write_aside, second))
            await tick(lambda: True, first.go_on.set)

    anyio.run(run)
    assert inside == ["first", "second"]


def test_what_a_writer_raises_is_raised() -> None:
    def broken() -> Reports:
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        anyio.run(write_aside, broken)
