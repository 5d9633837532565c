"""Ctrl-C: the first ends a run when what is in flight is done, the second ends it now."""

import signal
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import typer

from skillwalker.errors import SkillwalkerError
from skillwalker.limits import Limits

R = TypeVar("R")


async def run_watched(work: Callable[[], Awaitable[R]], limits: Limits) -> R | None:
    """Do work under the signals that end it; None when it was interrupted twice.

    Raises:
        SkillwalkerError: whatever the work raises.
    """
    done: list[R] = []
    failed: list[SkillwalkerError] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch, limits, tasks.cancel_scope)
        try:
            done.append(await work())
        except SkillwalkerError as error:
            failed.append(error)  # raised below, bare: a task group would wrap it
        finally:
            tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
    return done[0] if done else None


async def _watch(limits: Limits, scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if limits.interrupted:
                scope.cancel()
                return
            limits.interrupt()
            typer.echo("\nfinishing what is in flight; press Ctrl-C again to stop now", err=True)
