import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import BusyError, StoreError
from skillwalker.recording.lock import locked_target

HOLD = """
import sys
from pathlib import Path
from skillwalker.recording.lock import locked_target
from tests.recording.test_lock import target_of
with locked_target(Path(sys.argv[1]), target_of(Path(sys.argv[2]))) as lock:
    lock.name_run("20261130T120000")
    print("held", flush=True)
    sys.stdin.read()
"""

RACE = """
import sys
from pathlib import Path
from skillwalker.recording.lock import locked_target
from tests.recording.test_lock import target_of
output, target = Path(sys.argv[1]), target_of(Path(sys.argv[2]))
others = ["one that ends just now"]
def end_another(event, _arguments):
    if event == "fcntl.flock" and others:
        others.pop()
        [lock] = output.glob(".*.lock")
        lock.unlink()
sys.addaudithook(end_another)
with locked_target(output, target):
    print(others, len([*output.glob(".*.lock")]))
    try:
        with locked_target(output, target):
            print("two hold it")
    except Exception as error:
        print(type(error).__name__)
"""
"""Between the opening of the lock's file and its lock, the run that held it removes it and ends."""


def target_of(path: Path) -> Target:
    return Target(
        kind=TargetKind.SKILL,
        position=Position.PLUGIN,
        plugin="demo",
        name="code-review",
        alias=None,
        path=path,
        content=b"",
        description="",
        body="",
    )


def test_a_second_run_is_told_the_process_and_the_run_of_the_first(tmp_path: Path) -> None:
    output, target = tmp_path / "output", target_of(tmp_path / "SKILL.md")
    with locked_target(output, target) as lock:
        lock.name_run("20261130T120000-2")
        with (
            pytest.raises(BusyError, match=rf"run 20261130T120000-2 \(process {os.getpid()}\)"),
            locked_target(output, target),
        ):
            pytest.fail("two runs hold one lock")


def test_a_run_without_a_folder_yet_is_named_by_its_process(tmp_path: Path) -> None:
    target = target_of(tmp_path / "SKILL.md")
    with (
        locked_target(tmp_path, target),
        pytest.raises(StoreError, match=rf"just begun \(process {os.getpid()}\)"),
        locked_target(tmp_path, target),
    ):
        pytest.fail("two runs hold one lock")


def test_another_target_has_another_lock_and_a_link_has_not(tmp_path: Path) -> None:
    file, link = tmp_path / "SKILL.md", tmp_path / "link.md"
    file.touch()
    link.symlink_to(file)
    with locked_target(tmp_path, target_of(file)):
        with locked_target(tmp_path, target_of(tmp_path / "other.md")):
            pass
        with pytest.raises(StoreError), locked_target(tmp_path, target_of(link)):
            pytest.fail("two spellings of one file are two locks")


def test_the_end_of_a_run_leaves_no_file_and_no_lock(tmp_path: Path) -> None:
    for _ in range(2):
        with locked_target(tmp_path / "output", target_of(tmp_path / "SKILL.md")):
            pass
    assert list((tmp_path / "output").iterdir()) == []


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "SKILL.md"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), str(file)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(StoreError, match=rf"20261130T120000 \(process {holder.pid}\)"),
            locked_target(tmp_path, target_of(file)),
        ):
            pytest.fail("two runs hold one lock")
        holder.kill()
        holder.wait()
    (left,) = tmp_path.glob(".*.lock")
    assert json.loads(left.read_bytes())["pid"] == holder.pid
    with locked_target(tmp_path, target_of(file)):
        assert json.loads(left.read_bytes()) == {"pid": os.getpid(), "run_id": None}


def test_a_folder_that_cannot_hold_a_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    with (
        pytest.raises(StoreError, match=r"cannot lock demo:code-review in .*output"),
        locked_target(tmp_path / "output", target_of(tmp_path / "SKILL.md")),
    ):
        pytest.fail("a file holds a lock")


def test_a_lock_on_a_file_that_its_last_holder_removed_is_none(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", RACE, str(tmp_path), str(tmp_path / "SKILL.md")],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines() == ["[] 1", "BusyError"]
