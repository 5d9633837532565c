from collections.abc import Iterator

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.trials.pool import drain, map_bounded


def test_results_come_in_the_order_of_the_jobs() -> None:
    async def main() -> tuple[int, ...]:
        gates = [anyio.Event() for _ in range(4)]

        async def run(job: int) -> int:
            if job + 1 < len(gates):
                await gates[job + 1].wait()  # each job waits for the one behind it
            gates[job].set()
            return job * 10

        return await map_bounded(run, range(4), limit=4)

    assert anyio.run(main) == (0, 10, 20, 30)


@given(jobs=st.integers(0, 30), limit=st.integers(1, 32))
@settings(max_examples=30, deadline=None)
def test_never_more_than_the_limit_and_as_many_as_allowed(jobs: int, limit: int) -> None:
    running = 0
    most = 0

    async def run(job: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        return job

    async def main() -> tuple[int, ...]:
        return await map_bounded(run, range(jobs), limit=limit)

    assert anyio.run(main) == tuple(range(jobs))
    assert most == min(jobs, limit)


def test_jobs_are_taken_only_when_a_worker_is_free() -> None:
    taken = 0

    def jobs() -> Iterator[int]:
        nonlocal taken
        for job in range(1_000_000):
            taken += 1
            yield job

    async def run(job: int) -> None:
        if job == 5:
            raise KeyError(job)

    async def main() -> None:
        await map_bounded(run, jobs(), limit=2)

    with pytest.raises(KeyError):
        anyio.run(main)
    assert taken < 10


def test_a_finished_job_may_add_one_more() -> None:
    waiting = [1]
    done: list[int] = []

    async def run(job: int) -> None:
        await anyio.lowlevel.checkpoint()
        done.append(job)
        if job < 5:
            waiting.append(job + 1)

    async def main() -> None:
        await drain(lambda: waiting.pop() if waiting else None, run, limit=3)

    anyio.run(main)
    assert done == [1, 2, 3, 4, 5]


def test_the_first_error_is_raised_bare_and_cancels_the_rest() -> None:
    ended: list[str] = []

    async def run(job: str) -> None:
        if job == "fails":
            raise LookupError("bare")
        try:
            await anyio.sleep_forever()
        finally:
            ended.append(job)

    async def main() -> None:
        await map_bounded(run, ("waits", "fails", "never taken"), limit=2)

    with pytest.raises(LookupError, match="bare"):
        anyio.run(main)
    assert ended == ["waits"]


def test_an_error_out_of_a_nested_group_is_bare_too() -> None:
    async def run(job: int) -> None:
        async with anyio.create_task_group():
            raise LookupError(job)

    async def main() -> None:
        await map_bounded(run, (7,), limit=1)

    with pytest.raises(LookupError, match="7"):
        anyio.run(main)


def test_a_cancel_reaches_jobs_that_never_wait() -> None:
    done = 0

    async def main() -> None:
        with anyio.CancelScope() as scope:

            async def run(job: int) -> None:
                nonlocal done
                done += 1
                if job == 3:
                    scope.cancel()

            await map_bounded(run, range(1000), limit=1)

    anyio.run(main)
    assert done == 4


def test_a_limit_below_one_is_a_mistake() -> None:
    async def run(job: int) -> None:
        raise AssertionError(job)

    async def main() -> None:
        await map_bounded(run, (1,), limit=0)

    with pytest.raises(ValueError, match="limit must be at least 1; got 0"):
        anyio.run(main)
