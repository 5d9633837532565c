"""What cannot be written or read is said before anything is spent, once a file.

As an ordinary user, whom a mode binds; root gives up what lets it pass over modes.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import make_bench_project

AS_USER = (
    "import ctypes, os, sys\n"
    "if os.geteuid() == 0:\n"
    "    for capability in (1, 2, 3):\n"  # DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER
    "        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)\n"  # PR_CAPBSET_DROP
    "os.execv(sys.executable, [sys.executable, '-m', 'skillwalker', *sys.argv[1:]])\n"
)
SIMULATED = ("--engine", "simulated", "--no-html")
WRITES = ("--apply", "--allow-simulated")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    made = make_bench_project(tmp_path)
    yield made
    for path in (made, *made.rglob("*")):
        path.chmod(0o755)


def as_user(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", AS_USER, *words],
        cwd=project,
        env={
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HOME": str(project),
            "TMPDIR": str(project),
            "PATH": os.defpath,
        },
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("place", "mode", "words"),
    [
        pytest.param("SKILL.md", 0o444, "SKILL.md is read-only", id="file"),
        pytest.param(".", 0o555, "its folder is read-only", id="folder"),
    ],
)
def test_what_apply_could_not_write_is_refused_before_the_first_trial(
    project: Path, place: str, mode: int, words: str
) -> None:
    (project / "plugins/demo/skills/code-review" / place).chmod(mode)
    refused = as_user(project, "scil", "run", *SIMULATED, *WRITES)
    assert refused.returncode == 1
    assert words in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not list((project / "output").glob("2*"))
    measured = as_user(project, "measure", *SIMULATED)
    assert measured.returncode == 0, measured.stderr


@pytest.mark.parametrize("command", ["list", "check"])
def test_a_file_that_cannot_be_read_is_said_once_however_many_cases_name_it(
    project: Path, command: str
) -> None:
    (project / "plugins/demo/skills/code-review/SKILL.md").chmod(0)
    told = as_user(project, "evals", command)
    assert told.returncode == 1
    lines = [line for line in told.stdout.splitlines() if "tests[" in line]
    assert len(lines) == 1
    assert "Errno" not in told.stdout
    assert told.stdout.count("tests[") == 1


def test_an_output_folder_that_cannot_be_written_is_named_once(project: Path) -> None:
    (project / "output").mkdir()
    (project / "output").chmod(0o555)
    refused = as_user(project, "measure", *SIMULATED)
    assert refused.returncode == 1
    assert "Permission denied" in refused.stderr
    assert "Errno" not in refused.stderr
    assert refused.stderr.count(str(project / "output")) == 1
