"""Bounded concurrency: the one place that starts tasks for work.

A worker asks for its next job only when it is free, so memory does not grow with the number of
jobs that wait (`anyio` alone would start every task at once).
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio
from anyio.lowlevel import checkpoint

J = TypeVar("J")
R = TypeVar("R")


async def drain(
    take: Callable[[], J | None],
    run: Callable[[J], Awaitable[None]],
    *,
    limit: int,
    ready: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Run jobs with `limit` workers until there are none.

    A worker that finishes a job asks again, so a job may make one follow-up that `take` hands out
    next. The first exception cancels the other jobs and is raised itself, not in a group.

    Args:
        take: gives the next job, None when there is none; called between jobs, never at once.
        run: does one job.
        limit: most jobs at a time, at least 1.
        ready: waited for before each job is asked for, so that a pause holds for every worker.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1; got {limit}")

    async def work() -> None:
        while True:
            if ready is not None:
                await ready()
            await checkpoint()  # a job that never waits must not keep others or a cancel waiting
            job = take()
            if job is None:
                return
            await run(job)

    try:
        async with anyio.create_task_group() as workers:
            for _ in range(limit):
                workers.start_soon(work)
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(error: BaseException) -> BaseException:
    """Take the exception that came first out of a group, however deep."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def map_bounded(
    run: Callable[[J], Awaitable[R]], jobs: Iterable[J], *, limit: int
) -> tuple[R, ...]:
    """Run every job with `limit` workers; gives the results in the order of the jobs.

    The jobs are taken from the iterable one by one; errors are those of `drain`.
    """
    waiting = enumerate(jobs)
    results: dict[int, R] = {}

    async def keep(numbered: tuple[int, J]) -> None:
        index, job = numbered
        results[index] = await run(job)

    await drain(lambda: next(waiting, None), keep, limit=limit)
    return tuple(results[index] for index in sorted(results))
