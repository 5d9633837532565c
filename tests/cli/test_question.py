"""The question before a write, on a real terminal."""

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.bench import make_bench_project

SKILL = "plugins/demo/skills/code-review/SKILL.md"
COMMAND = "scil run --engine simulated --max-iterations 2 --confirm-runs 1 --allow-simulated"


def answer(project: Path, keys: bytes) -> tuple[int, str]:
    """Run on a terminal of its own, press keys at the question; give exit code and screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(project)
        environment = {"PATH": os.environ["PATH"], "HOME": str(project.parent), "TERM": "dumb"}
        environment["TMPDIR"] = str(project.parent)
        argv = [sys.executable, "-m", "skillwalker", *COMMAND.split()]
        os.execve(sys.executable, argv, environment)  # noqa: S606 (a child on a terminal)
    screen = b""
    while chunk := read(terminal):
        screen += chunk
        if keys and screen.rstrip().endswith(b"(n):"):
            os.write(terminal, keys)
            keys = b""
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), screen.decode()


def read(terminal: int) -> bytes:
    """Read from a terminal; one whose program has ended gives an error on Linux."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("keys", "code", "is_written"),
    [
        pytest.param(b"y\r", 0, True, id="yes"),
        pytest.param(b"n\r", 0, False, id="no"),
        pytest.param(b"\x04", 0, False, id="end of input"),
        pytest.param(b"\x03", 130, False, id="ctrl-c"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_file_changes_only_on_yes_and_ctrl_c_ends_at_once(
    tmp_path: Path, keys: bytes, code: int, is_written: bool
) -> None:
    project = make_bench_project(tmp_path)
    before = (project / SKILL).read_bytes()
    ended, screen = answer(project, keys)
    assert "Write it to" in screen
    assert ended == code, screen
    assert ((project / SKILL).read_bytes() != before) is is_written
    assert "recorded in" in screen
    assert "Traceback" not in screen
