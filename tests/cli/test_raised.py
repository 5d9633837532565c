import errno

import pytest

from skillwalker.cli.raised import told_of
from skillwalker.errors import SkillwalkerError, StoreError, SuiteError

FULL = OSError(errno.ENOSPC, "No space left on device", "runs/trials.jsonl")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(SuiteError("wrong"), "wrong", id="bare"),
        pytest.param(
            ExceptionGroup("", [ExceptionGroup("", [FULL, SuiteError("wrong")])]),
            "wrong",
            id="ours before the system's",
        ),
        pytest.param(
            ExceptionGroup("", [FULL]),
            "cannot use runs/trials.jsonl: No space left on device",
            id="a full disk",
        ),
        pytest.param(
            OSError(errno.EMFILE, "Too many open files"),
            "the system refused: Too many open files",
            id="no file named",
        ),
    ],
)
def test_what_was_raised_is_told_in_one_line(error: Exception, said: str) -> None:
    told = told_of(error)
    assert isinstance(told, SkillwalkerError)
    assert str(told) == said


@pytest.mark.parametrize("error", [ValueError("x"), ExceptionGroup("", [KeyError("x")])])
def test_what_nobody_foresaw_keeps_its_traceback(error: Exception) -> None:
    assert told_of(error) is None


def test_a_group_keeps_the_exit_code() -> None:
    told = told_of(ExceptionGroup("", [StoreError("x")]))
    assert told is not None
    assert told.exit_code == StoreError.exit_code
