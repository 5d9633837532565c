"""Closed and full streams, odd locales, and interrupts that come early."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import make_bench_project

MEASURE = "measure --engine simulated"
SKILL = "plugins/demo/skills/code-review/SKILL.md"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_bench_project(tmp_path)


def shell(project: Path, words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `skillwalker …` in a shell, for the sake of its redirections."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent),
        "TMPDIR": str(project.parent),
        **variables,
    }
    line = f"{sys.executable} -m skillwalker {words}"
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("command", ["show --json", f"{MEASURE} --quiet --json", "--help"])
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
    ids=["full", "closed"],
)
def test_results_that_cannot_be_written_are_one_line_and_exit_1(
    project: Path, command: str, redirection: str, reason: str
) -> None:
    ended = shell(project, f"{command} {redirection}")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == f"skillwalker: stdout cannot be written: {reason}"
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


def test_a_reader_that_leaves_is_told_nothing(project: Path) -> None:
    ended = shell(project, "show --json | true")
    assert (ended.returncode in {0, 1}, ended.stderr) == (True, "")


@pytest.mark.parametrize(
    "redirection", ["2>&1 >/dev/null | head -n 1", "2>&-", "2>/dev/full", "<&- >/dev/null 2>&-"]
)
def test_lost_progress_neither_ends_a_run_nor_loses_its_record(
    project: Path, redirection: str
) -> None:
    ended = shell(project, f"{MEASURE} {redirection}")
    assert (ended.returncode, ended.stderr) == (0, "")
    (run,) = (project / "output").iterdir()
    assert json.loads((run / "measure-summary.json").read_text("utf-8"))["verdict"] == "kept"
    for line in (run / "trials.jsonl").read_text("utf-8").splitlines():
        assert json.loads(line)["case"]


def test_a_closed_stdin_is_an_input_error(project: Path) -> None:
    ended = shell(project, f"describe {SKILL} --text-file - <&-")
    assert ended.returncode == 1
    assert ended.stderr.startswith("skillwalker: --text-file -: cannot be read")
    assert len(ended.stderr.splitlines()) == 1


PLAIN_C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_a_c_locale_changes_no_name(project: Path) -> None:
    named = project.rename(project.with_name("é项目"))
    outside = named.parent
    unknown = shell(outside, "-C é项目 measure --eval größe", **PLAIN_C)
    assert (unknown.returncode, "größe" in unknown.stderr) == (1, True)
    shown = shell(outside, "show --json é项目", **PLAIN_C)
    assert json.loads(shown.stdout)["targets"][0]["path"].startswith("é项目/")
    assert shell(outside, f"-C é项目 {MEASURE} --quiet", **PLAIN_C).returncode == 0
    assert (named / "output").is_dir()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["typer", "pydantic", "skillwalker.targets.names"])
def test_an_interrupt_while_it_starts_is_exit_130_without_a_word(
    project: Path, module: str, number: signal.Signals
) -> None:
    """The signal comes when a module begins to be imported: start-up is nothing but imports."""
    script = f"""
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), {int(number)})
sys.meta_path.insert(0, Finder())
sys.argv[1:] = ["show"]
from skillwalker.cli import main
sys.exit(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_an_interrupt_inside_exec_is_an_exit_code_all_the_same(project: Path) -> None:
    script = """
import sys
import typer
from skillwalker.cli.app import app
@app.command()
def probe() -> None:
    exec("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
sys.argv[1:] = ["probe"]
from skillwalker.cli import main
sys.exit(main())
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=project, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (130, "")
