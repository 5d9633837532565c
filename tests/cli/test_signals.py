import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio.lowlevel import checkpoint

from skillwalker.cli.signals import run_watched
from skillwalker.errors import SuiteError
from skillwalker.limits import Limits


def test_work_that_is_left_alone_gives_its_result() -> None:
    async def work() -> int:
        await checkpoint()
        return 7

    limits = Limits()
    assert anyio.run(run_watched, work, limits) == 7
    assert not limits.interrupted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_work_finish(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    limits = Limits()

    async def work() -> int:
        await checkpoint()  # the watcher starts before the signal comes
        os.kill(os.getpid(), number)
        while not limits.interrupted:
            await checkpoint()
        return 7

    assert anyio.run(run_watched, work, limits) == 7
    assert "press Ctrl-C again" in capfd.readouterr().err


def test_the_second_signal_ends_work_now() -> None:
    limits = Limits()

    async def work() -> None:
        await checkpoint()
        os.kill(os.getpid(), signal.SIGINT)
        while not limits.interrupted:
            await checkpoint()
        os.kill(os.getpid(), signal.SIGINT)
        await anyio.sleep_forever()

    assert anyio.run(run_watched, work, limits) is None


def test_an_error_comes_out_bare() -> None:
    async def work() -> None:
        await checkpoint()
        raise SuiteError("wrong")

    with pytest.raises(SuiteError, match="wrong"):
        anyio.run(run_watched, work, Limits())


# --- what never yields -------------------------------------------------------------------------

STUBBORN = """
import os, subprocess, sys, time
import anyio
from skillwalker.cli import signals
from skillwalker.limits import Limits
signals.TERM_GRACE = signals.STUCK = 0.2
async def work():
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print(child.pid, flush=True)
    while True:  # never yields
        pass
anyio.run(signals.run_watched, work, Limits())
"""


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param((signal.SIGINT, signal.SIGINT), id="ctrl-c twice"),
        pytest.param((signal.SIGTERM,), id="terminate"),
    ],
)
def test_work_that_never_yields_is_left_and_takes_its_children_along(
    numbers: tuple[signal.Signals, ...],
) -> None:
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        child = int(run.stdout.readline())
        for number in numbers:
            run.send_signal(number)
            run.stderr.readline()  # the answer to the first signal; the second has none
            if number is numbers[0]:
                run.stderr.readline()
        assert run.wait(timeout=20) == 130
    assert not is_running(child)


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_an_error_comes_out_of_a_group_bare() -> None:
    async def work() -> None:
        await checkpoint()
        raise ExceptionGroup("tasks", [OSError(28, "No space left"), SuiteError("wrong")])

    with pytest.raises(SuiteError, match="wrong"):
        anyio.run(run_watched, work, Limits())
