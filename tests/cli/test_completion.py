"""Shell completion of each console script: the script itself, and what it offers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

NO_LOOK = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"
"""Lets the option name the shell, which is otherwise looked for among the parent processes."""
CALL = "import sys; from skillwalker import cli; sys.exit(cli.{entry}())"


def ask(program: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    entry = "main" if program == "skillwalker" else program
    return subprocess.run(
        [sys.executable, "-c", CALL.format(entry=entry), *words],
        capture_output=True,
        text=True,
        env={"PATH": os.defpath, "HOME": "/nonexistent", **variables},
    )


@pytest.mark.parametrize(
    ("program", "shell"),
    [("skillwalker", "bash"), ("skillwalker", "zsh"), ("scil", "fish"), ("acil", "bash")],
)
def test_each_program_prints_a_script_of_its_own(program: str, shell: str) -> None:
    ran = ask(program, "--show-completion", shell, **{NO_LOOK: "1"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"_{program.upper()}_COMPLETE=complete_{shell}" in ran.stdout


@pytest.mark.parametrize(
    ("program", "line", "offered"),
    [
        ("skillwalker", "skillwalker doc", "doctor"),
        ("skillwalker", "skillwalker evals dr", "draft"),
        ("scil", "scil r", "run"),
        ("acil", "acil run --ag", "--agent"),
    ],
)
def test_a_script_offers_what_there_is(program: str, line: str, offered: str) -> None:
    variables = {
        f"_{program.upper()}_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
    }
    ran = ask(program, **variables)
    assert ran.stdout.split() == [offered]


def test_installing_writes_into_the_home_alone(tmp_path: Path) -> None:
    words = ("--install-completion", "bash")
    ran = ask("skillwalker", *words, HOME=str(tmp_path), **{NO_LOOK: "1"})
    assert ran.returncode == 0
    written = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert ".bashrc" in written


@pytest.mark.parametrize("program", ["skillwalker", "scil"])
def test_wrong_usage_speaks_of_the_program_that_was_called(program: str) -> None:
    ran = ask(program, "--gone")
    assert ran.returncode == 2
    assert f"see '{program} --help'" in ran.stderr
