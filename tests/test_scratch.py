import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillwalker.errors import EngineUnavailableError
from skillwalker.scratch import PREFIX, is_full, scratch_folder, sweep


def dead_pid() -> int:
    child = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1)
    return int(child.stdout)


def test_the_folder_is_gone_at_the_end(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        (folder / "file").write_text("x")
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_gone_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), scratch_folder(tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}{dead_pid()}-abc"
    mine = tmp_path / f"{PREFIX}{os.getpid()}-def"
    foreign = tmp_path / "other"
    odd = tmp_path / f"{PREFIX}x-y"
    for folder in (left, mine, foreign, odd):
        (folder / "deep").mkdir(parents=True)
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([mine, foreign, odd])


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    with (
        pytest.raises(EngineUnavailableError, match=r"absent: .*No such file.*set TMPDIR"),
        scratch_folder(absent),
    ):
        pass


ERRORS = {
    "full": (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), True),
    "quota": (OSError(errno.EDQUOT, "quota"), True),
    "collected": (
        shutil.Error([("a", "b", str(OSError(errno.ENOSPC, "No space left on device")))]),
        True,
    ),
    "denied": (PermissionError(errno.EACCES, "denied"), False),
}


@pytest.mark.parametrize(("error", "full"), ERRORS.values(), ids=ERRORS.keys())
def test_a_full_disk_is_told_from_one_bad_file(error: OSError, full: bool) -> None:
    assert is_full(error) is full
