import os
import signal

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
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = Limits()

    async def work() -> int:
        await checkpoint()  # the watcher starts before the signal comes
        os.kill(os.getpid(), number)
        while not limits.interrupted:
            await checkpoint()
        return 7

    assert anyio.run(run_watched, work, limits) == 7
    assert "press Ctrl-C again" in capsys.readouterr().err


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
