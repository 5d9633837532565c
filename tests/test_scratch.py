import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from skillwalker import scratch
from skillwalker.errors import EngineUnavailableError
from skillwalker.scratch import PREFIX, is_full, scratch_folder, sweep
from tests.clis import ROOT

LIVING = """
import sys
from pathlib import Path
from skillwalker.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


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
    left = [tmp_path / f"{PREFIX}{number}-abc" for number in (1, os.getpid(), "9" * 20)]
    foreign = tmp_path / "other"
    odd = tmp_path / f"{PREFIX}x-y"
    for folder in (*left, foreign, odd):
        (folder / "deep").mkdir(parents=True)
    link = tmp_path / f"{PREFIX}1-link"
    link.symlink_to(foreign)
    file = tmp_path / f"{PREFIX}1-file"
    file.write_text("x")
    with scratch_folder(tmp_path) as mine:
        sweep(tmp_path)
        assert sorted(tmp_path.iterdir()) == sorted([mine, foreign, odd, link, file])
    assert (foreign / "deep").is_dir()


def test_a_folder_stays_as_long_as_its_process_lives_whatever_its_number(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIVING, str(tmp_path)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=ROOT) as child:
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        # As another container sees it: the process has another number there, or none.
        other = folder.rename(tmp_path / f"{PREFIX}1-abc")
        sweep(tmp_path)
        assert other.is_dir()
        child.kill()
        child.wait()
        sweep(tmp_path)
        assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_swept_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def make(*words: str, **settings: str) -> str:
        made.append(tempfile.mkdtemp(*words, **settings))
        if len(made) == 1:
            sweep(tmp_path)
        return made[-1]

    monkeypatch.setattr(scratch, "tempfile", SimpleNamespace(mkdtemp=make))
    with scratch_folder(tmp_path) as folder:
        assert [*tmp_path.iterdir()] == [folder]
    assert [Path(one).exists() for one in made] == [False, False]


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
