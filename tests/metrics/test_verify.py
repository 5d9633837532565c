"""Commands are run, ended, and summed up by their median."""

import os
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.claude_code.process_tree import find_marked
from skillwalker.datatypes.metrics import CommandRun, Direction, Goal, Verification
from skillwalker.metrics.command import MAX_OUTPUT, CommandEnd, run_command
from skillwalker.metrics.verify import describe_failures, read_end, verify

ENV = {"PATH": os.defpath}


def ended(output: str = "", *, code: int | None = 0, stderr: str = "") -> CommandEnd:
    return CommandEnd(output=output, stderr=stderr, exit_code=code)


def read(end: CommandEnd, primary: str | None = None) -> CommandRun:
    return read_end(end, wall=300, primary=primary)


def python(code: str, folder: Path, **more: object) -> Verification:
    command = [sys.executable, "-S", "-c", code]
    return anyio.run(partial(verify, command, env=ENV, cwd=folder, **more))  # type: ignore[arg-type]  # options of verify


OK = '{"success": true, "metric_value": 5}'


@pytest.mark.parametrize(
    ("end", "error"),
    [
        pytest.param(ended(OK, code=3), "crashed with exit code 3", id="crash beats JSON"),
        pytest.param(
            ended(code=1, stderr="Trace\n  boom\n\n"),
            'crashed with exit code 1: "boom"',
            id="last words",
        ),
        pytest.param(
            ended('{"success": false, "error": "refused"}', code=1),
            'crashed with exit code 1: "refused"',
            id="its own error",
        ),
        pytest.param(ended(code=-9), "was killed by signal 9", id="signal"),
        pytest.param(ended(OK, code=None), "timed out after 300 seconds", id="timeout"),
        pytest.param(ended("42\n"), 'invalid JSON output: "42\\n"', id="a bare number"),
        pytest.param(ended("x" * 300), f'invalid JSON output: "{"x" * 100}"', id="text, cut"),
        pytest.param(
            ended("METRIC a=1\nMETRIC b=2"),
            'several METRIC lines ("a", "b"); name the one that counts by --primary',
            id="which of two",
        ),
    ],
)
def test_a_failed_run_says_why(end: CommandEnd, error: str) -> None:
    run = read(end)
    assert (run.success, run.value, run.error) == (False, None, error)


@pytest.mark.parametrize(
    "output",
    ["METRIC a=1", '{"metric_name": "a", "metric_value": 1}', '{"success": true}'],
)
def test_a_missing_primary_is_a_crash(output: str) -> None:
    run = read(ended(output), "b")
    assert (run.success, run.value) == (False, None)
    assert run.error is not None
    assert run.error.startswith('the metric "b" is missing')


@pytest.mark.parametrize(
    ("output", "primary", "value", "place"),
    [
        ("METRIC a=1", None, 1, "METRIC lines"),
        ("METRIC a=1\nMETRIC b=2", "b", 2, "METRIC lines"),
        (f"METRIC a=1\n{OK}", None, 1, "METRIC lines"),
        (OK, "anything", 5, "stdout"),
        (f"hello\n{OK}\n", None, 5, "last JSON line"),
    ],
)
def test_a_result_says_where_it_stood(
    output: str, primary: str | None, value: float, place: str
) -> None:
    run = read(ended(output), primary)
    assert (run.success, run.value, run.read_from) == (True, value, place)


def runs(*values: float | None) -> Verification:
    return Verification(
        runs=tuple(
            CommandRun(success=value is not None, value=value, error=None if value else "boom")
            for value in values
        )
    )


@pytest.mark.parametrize(
    ("verification", "success", "value", "error"),
    [
        pytest.param(runs(30, 10, 20), True, 20, None, id="median of three"),
        pytest.param(runs(1, 2, 3, 4), True, 3, None, id="the upper of two"),
        pytest.param(runs(-5, 0, 2), True, 0, None, id="zero and negatives"),
        pytest.param(runs(10, None, 2), True, 10, "1 of 3 runs failed; the first: boom", id="some"),
        pytest.param(
            runs(None, None), False, None, "2 of 2 runs failed; the first: boom", id="all"
        ),
        pytest.param(runs(None), False, None, "boom", id="one"),
        pytest.param(runs(), False, None, None, id="none"),
    ],
)
def test_the_median_is_of_the_runs_that_measured(
    verification: Verification, success: bool, value: float | None, error: str | None
) -> None:
    median = verification.median
    assert (verification.success, median.value if median else None) == (success, value)
    assert describe_failures(verification, None) == error


def test_without_numbers_every_run_must_succeed() -> None:
    good, bad = CommandRun(success=True), CommandRun(success=False, error="no")
    assert Verification(runs=(good, good)).success
    assert Verification(runs=(good, good)).meets(None) is True
    assert not Verification(runs=(good, bad)).success
    goal = Goal(value=1, direction=Direction.INCREASE)
    assert Verification(runs=(good,)).meets(goal) is None
    assert describe_failures(Verification(runs=(good,)), goal) == (
        "the command gave no number to compare with the goal"
    )


@pytest.mark.parametrize(
    ("value", "goal", "direction", "met"),
    [
        (45, 50, Direction.DECREASE, True),
        (50, 50, Direction.DECREASE, True),
        (51, 50, Direction.DECREASE, False),
        (45, 50, Direction.INCREASE, False),
        (50, 50, Direction.INCREASE, True),
        (51, 50, Direction.INCREASE, True),
    ],
)
def test_goals_are_inclusive(value: float, goal: float, direction: Direction, met: bool) -> None:
    assert runs(value).meets(Goal(value=goal, direction=direction)) is met
    assert runs(value).meets(None) is None


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=60, deadline=None)
@given(values=st.lists(FINITE | st.none(), min_size=1), data=st.data())
def test_the_order_of_runs_makes_no_difference(
    values: list[float | None], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(values))
    first, second = runs(*values).median, runs(*shuffled).median
    assert (first and first.value) == (second and second.value)
    assert first is None or first.value in values


def test_a_command_sees_no_shell_and_what_it_prints_arrives(tmp_path: Path) -> None:
    code = "import sys; print('METRIC a=%d' % len(sys.argv[1])); print('ü', file=sys.stderr)"
    command = [sys.executable, "-S", "-c", code, "$(rm x); `y`"]
    found = anyio.run(partial(verify, command, env=ENV, cwd=tmp_path, runs=2))
    assert [run.value for run in found.runs] == [12, 12]


def test_a_program_that_is_not_there_is_tried_once(tmp_path: Path) -> None:
    found = anyio.run(partial(verify, ["no-such-program"], env=ENV, cwd=tmp_path, runs=3))
    assert len(found.runs) == 1
    assert "cannot be started" in (found.runs[0].error or "")


FORKING = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    time.sleep(600)
print("METRIC a=1", flush=True)
time.sleep(600)
"""


def test_a_timeout_ends_the_whole_process_tree(tmp_path: Path) -> None:
    marked = {**ENV, "TREE": str(tmp_path)}
    command = [sys.executable, "-S", "-c", FORKING]
    found = anyio.run(partial(verify, command, env=marked, cwd=tmp_path, runs=1, wall=0.5))
    assert found.runs[0].error == "timed out after 0.5 seconds"
    assert find_marked(f"TREE={tmp_path}") == frozenset()


def test_a_program_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    code = "import os, time; print('METRIC a=1', flush=True); os.close(1); time.sleep(.3)"
    assert python(code, tmp_path, runs=1).runs[0].value == 1


ENDLESS = """
for _ in range({lines}):
    print("y" * 9999)
print("METRIC a=2")
"""


def test_of_an_endless_output_the_end_is_kept(tmp_path: Path) -> None:
    code = ENDLESS.format(lines=MAX_OUTPUT // 10_000 + 99)
    command = [sys.executable, "-S", "-c", code]
    end = anyio.run(partial(run_command, command, env=ENV, cwd=tmp_path, wall=60))
    assert MAX_OUTPUT - 20_000 < len(end.output) <= MAX_OUTPUT
    assert end.output.endswith("METRIC a=2")
