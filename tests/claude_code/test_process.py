"""A program is fed, read and ended: what it prints arrives, and nothing of it stays."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code import process
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits, run_process
from skillwalker.claude_code.process_tree import end_marked, find_descendants, find_marked

SHORT = TimeLimits(wall=20.0, idle=10.0, linger=0.3, grace=0.2)


class Runner:
    """Runs Python programs under one marker and collects their lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.marker = f"HOME={folder}"
        self.lines: list[bytes] = []
        self.wants: Callable[[bytes], Next] = lambda _line: Next.MORE

    def take(self, line: bytes) -> Next:
        """Collect a line and ask the test what should happen next."""
        self.lines.append(line)
        return self.wants(line)

    async def start(self, code: str, stdin: bytes, limits: TimeLimits) -> ProcessEnd:
        """Run Python code."""
        return await run_process(
            [sys.executable, "-S", "-c", code],
            env={"HOME": str(self.folder), "PATH": os.defpath},
            cwd=self.folder,
            marker=self.marker,
            stdin=stdin,
            on_line=self.take,
            limits=limits,
        )

    def run(self, code: str, *, stdin: bytes = b"", limits: TimeLimits = SHORT) -> ProcessEnd:
        """Run Python code from a plain test."""
        return anyio.run(self.start, code, stdin, limits)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_lines_and_exit_code_arrive(runner: Runner) -> None:
    end = runner.run("import sys; print('a'); print(); print('ü', end=''); sys.exit(3)")
    assert runner.lines == [b"a", b"", "ü".encode()]
    assert (end.exit_code, end.timed_out, end.idle) == (3, False, False)


def test_a_program_has_a_session_of_its_own(runner: Runner) -> None:
    runner.run("import os; print(os.getsid(0) == os.getpid())")
    assert runner.lines == [b"True"]


DEAF = """
import anyio, sys
from pathlib import Path
from tests.claude_code.test_process import Runner
runner = Runner(Path(sys.argv[1]))
for code in ("", "import os, time; os.close(0); time.sleep(0.2)"):
    assert runner.run(code, stdin=b"x" * 2**22).exit_code == 0
"""


def test_a_program_that_does_not_read_its_input_is_no_error(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", DEAF, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert (child.stderr, child.returncode) == ("", 0)


def test_a_large_input_and_output_pass_each_other(runner: Runner) -> None:
    data = b"0123456789abcdef" * 64_000
    code = "import sys\nwhile chunk := sys.stdin.buffer.read1(1000): sys.stdout.buffer.write(chunk)"
    end = runner.run(code, stdin=data)
    assert end.exit_code == 0
    assert runner.lines == [data]


def test_a_program_that_reads_no_input_is_no_error(runner: Runner) -> None:
    end = runner.run("print('done')", stdin=b"x" * 1_000_000)
    assert (end.exit_code, runner.lines) == (0, [b"done"])


def test_much_on_stderr_blocks_nothing_and_its_end_is_kept(runner: Runner) -> None:
    end = runner.run("import sys; sys.stderr.write('x' * 1_000_000 + 'the end'); print('out')")
    assert runner.lines == [b"out"]
    assert end.stderr.endswith("the end")
    assert len(end.stderr) < 20_000


def test_a_line_that_is_too_long_is_dropped(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "MAX_LINE", 100_000)
    runner.run("print('a'); print('x' * 1_000_000); print('b')")
    assert runner.lines == [b"a", b"b"]


def test_a_silent_program_is_ended(runner: Runner) -> None:
    limits = TimeLimits(wall=20.0, idle=0.3, grace=0.1)
    end = runner.run("import time; print('a', flush=True); time.sleep(60)", limits=limits)
    assert (end.idle, end.timed_out, end.exit_code) == (True, False, None)
    assert runner.lines == [b"a"]


def test_a_slow_program_is_ended_with_what_it_said(runner: Runner) -> None:
    limits = TimeLimits(wall=0.6, idle=10.0, grace=0.1)
    code = "import time\nwhile True: print('tick', flush=True); time.sleep(0.05)"
    end = runner.run(code, limits=limits)
    assert (end.timed_out, end.idle) == (True, False)
    assert b"tick" in runner.lines


def test_enough_ends_the_program_and_no_later_line_is_read(runner: Runner) -> None:
    runner.wants = lambda line: Next.STOP if line == b"2" else Next.MORE
    end = runner.run("import time; print('0\\n1\\n2\\n3\\n4', flush=True); time.sleep(60)")
    assert runner.lines == [b"0", b"1", b"2"]
    assert (end.timed_out, end.idle) == (False, False)


def test_a_program_that_should_end_by_itself_gets_the_time(runner: Runner) -> None:
    runner.wants = lambda line: Next.LINGER if line == b"result" else Next.MORE
    end = runner.run("import time; print('result', flush=True); time.sleep(0.05); print('late')")
    assert (end.exit_code, runner.lines) == (0, [b"result", b"late"])


def test_a_program_that_stays_after_its_last_line_is_ended(runner: Runner) -> None:
    runner.wants = lambda _line: Next.LINGER
    end = runner.run("import time; print('result', flush=True); time.sleep(60)")
    assert (end.exit_code, end.idle, end.timed_out) == (None, False, False)


def test_a_child_that_holds_the_pipe_keeps_nobody_waiting(runner: Runner) -> None:
    code = "import subprocess\nsubprocess.Popen(['sleep', '60'])\nprint('bye')"
    began = time.monotonic()
    end = runner.run(code)
    assert (end.exit_code, runner.lines) == (0, [b"bye"])
    assert time.monotonic() - began < 5
    assert not find_marked(runner.marker)


STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print('ready', flush=True)
        time.sleep(60)
    os._exit(0)
time.sleep(60)
"""


def test_descendants_that_left_the_session_and_ignore_requests_are_ended(runner: Runner) -> None:
    seen: list[frozenset[int]] = []

    def wants(_line: bytes) -> Next:
        seen.append(find_marked(runner.marker))
        return Next.STOP

    runner.wants = wants
    runner.run(STUBBORN)
    assert len(seen[0]) >= 2
    assert not find_marked(runner.marker)


def test_a_cancelled_run_leaves_nothing(runner: Runner) -> None:
    async def cancel_when_ready() -> None:
        async with anyio.create_task_group() as tasks:

            def wants(_line: bytes) -> Next:
                tasks.cancel_scope.cancel()
                return Next.MORE

            runner.wants = wants
            await runner.start(STUBBORN, b"", SHORT)

    anyio.run(cancel_when_ready)
    assert runner.lines == [b"ready"]
    assert not find_marked(runner.marker)


def test_an_absent_program_is_an_os_error(runner: Runner) -> None:
    async def start() -> None:
        await run_process(
            [str(runner.folder / "absent")],
            env={},
            cwd=runner.folder,
            marker=runner.marker,
            stdin=b"",
            on_line=runner.take,
            limits=SHORT,
        )

    with pytest.raises(FileNotFoundError):
        anyio.run(start)


def test_only_the_marked_processes_of_an_earlier_life_are_ended(tmp_path: Path) -> None:
    command = ["sleep", "60"]
    ours = subprocess.Popen(command, env={"HOME": f"{tmp_path}/a"}, start_new_session=True)
    other = subprocess.Popen(command, env={"HOME": f"{tmp_path}/a2"}, start_new_session=True)
    try:
        anyio.run(end_marked, f"HOME={tmp_path}/a")
        assert ours.wait(5) != 0
        assert other.poll() is None
        assert {ours.pid, other.pid} & find_descendants(os.getpid()) == {other.pid}
    finally:
        other.kill()
        other.wait()
