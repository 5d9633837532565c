"""Ctrl-C at the end of a command: what was done is told all the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillwalker.cli.finishing import DONE, finishing
from skillwalker.cli.process import Interrupted
from skillwalker.limits import Limits
from tests.bench import call_cases, make_bench_project, write_cases
from tests.cli.test_improve import newest, skill

FEW = ("--engine", "simulated", "--runs-per-query", "1")
RUN = ("scil", "run", "--eval", "review", "--engine", "simulated", "--apply", "--allow-simulated")
SCRIPT = """
import os, signal, sys
name, times = sys.argv[1], int(sys.argv[2])
sent = []
def hook(event, arguments):
    if event == "open" and name in str(arguments[0]) and not sent:
        sent.append(name)
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
sys.addaudithook(hook)
sys.argv[1:] = sys.argv[3:]
from skillwalker.cli import main
sys.exit(main())
"""
"""The command line with signals that come when a file of a certain name is written."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_bench_project(tmp_path)


def interrupted_at(
    name: str, times: int, project: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    home = str(project.parent)
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, name, str(times), *arguments],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("name", "times"),
    [
        pytest.param(".report.html.", 1, id="while a report is written"),
        pytest.param(".report.html.", 2, id="twice then"),
        pytest.param("skillwalker.lock", 1, id="when the file is already written"),
    ],
)
def test_a_run_that_wrote_the_file_says_so(project: Path, name: str, times: int) -> None:
    before = skill(project).read_bytes()
    ended = interrupted_at(name, times, project, *RUN, "--json")
    assert ended.returncode == 130, ended.stderr
    assert skill(project).read_bytes() != before
    summary = json.loads(ended.stdout)
    assert summary["applied"]
    assert f"next: skillwalker undo {summary['run_id']}" in ended.stderr
    assert ended.stderr.rstrip().endswith(DONE)
    run = newest(project)
    assert (run / "report.html").exists() == (times == 1)
    cut = f"skillwalker report {run.name}" in ended.stderr
    assert cut == (times == 2)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("measure", "--all", *FEW, "--max-trials", "500"), id="measure all"),
        pytest.param(("evals", "run", "--eval", "review", *FEW[:2]), id="evals run"),
        pytest.param(
            ("overnight", *FEW, "--max-trials", "40"),
            id="overnight",
        ),
    ],
)
def test_every_command_that_spends_tells_its_end(project: Path, command: tuple[str, ...]) -> None:
    name = "overnight-report.md" if command[0] == "overnight" else ".report.md."
    ended = interrupted_at(name, 1, project, *command, "--no-html", "--json")
    assert ended.returncode == 130, ended.stderr
    assert json.loads(ended.stdout)
    assert any(run.name in ended.stderr for run in (project / "output").iterdir())
    assert ended.stderr.rstrip().endswith(DONE)


def test_what_was_not_begun_is_named(project: Path) -> None:
    write_cases(project, "sky", call_cases("demo:weather"))
    targets = ("demo:code-review", "demo:weather")
    ended = interrupted_at(".report.md.", 1, project, "measure", *targets, *FEW, "--no-html")
    assert ended.returncode == 130
    assert ended.stderr.rstrip().endswith("Ctrl-C came first")
    assert len(list((project / "output").iterdir())) == 1


def test_a_third_signal_ends_the_command_wherever_it_is() -> None:
    with finishing(Limits()) as finish:
        for _ in range(2):
            finish.receive(2, None)
        with pytest.raises(Interrupted):
            finish.receive(2, None)


def test_a_signal_that_the_run_took_is_counted() -> None:
    limits = Limits()
    limits.interrupt()
    with finishing(limits) as finish:
        reached = []
        with finish.may_be_cut("cut"):
            finish.receive(2, None)
            reached.append("behind a second signal")
        assert not reached
        assert finish.code(0) == 130


@pytest.mark.parametrize("command", ["run", "score"])
def test_what_the_judge_was_not_asked_has_a_way_on(project: Path, command: str) -> None:
    rubrics = project / "evals" / "judged" / "rubrics"
    rubrics.mkdir(parents=True)
    (rubrics / "review.md").write_text("- it names the bug\n")
    (case, *_) = call_cases()
    graded = {"llm-judge": {"rubricFile": "review.md"}}
    write_cases(project, "judged", [{**case, "expect": [{"skill-call": True}, graded]}])
    words = ("run", "--eval", "judged", "--engine", "simulated", "--no-html")
    judge = "judge.md.j2"
    ended = interrupted_at(judge, 1, project, "evals", *words, "--json")
    run_id = json.loads(ended.stdout)["test_run_id"]
    if command == "score":
        ended = interrupted_at(judge, 1, project, "evals", "score", run_id, "--json")
    assert ended.returncode == 130, ended.stderr
    assert json.loads(ended.stdout)["judge_stopped"] == "interrupted"
    assert f"next: skillwalker evals score {run_id}   (asks the judge)" in ended.stderr
    assert DONE not in ended.stderr
