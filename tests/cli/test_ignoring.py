"""What a run says of git when it makes the folder of runs."""

import subprocess
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import make_bench_project

FEW = ("--engine", "simulated", "--runs-per-query", "1", "--no-html")
WORDS = "output/ is not ignored by git: `skillwalker init` adds the lines"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def in_git(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "demo:code-review", *FEW),
        ("evals", "run", "--eval", "review", *FEW[:2], "--no-html"),
        ("overnight", *FEW, "--max-trials", "20"),
    ],
)
def test_a_new_folder_that_git_would_take_in_is_named_once(
    project: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    in_git(project)
    main([*command])
    assert capsys.readouterr().err.count(WORDS) == 1
    main([*command])
    assert WORDS not in capsys.readouterr().err


@pytest.mark.parametrize("lines", ["output/\n", "/output\n", "*\n", None])
def test_a_folder_that_git_leaves_out_or_does_not_see_is_not(
    project: Path, lines: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if lines is not None:
        in_git(project)
        (project / ".gitignore").write_text(lines, "utf-8")
    assert main(["measure", "demo:code-review", *FEW]) == 0
    assert "ignored by git" not in capsys.readouterr().err


def test_without_git_a_run_is_the_same(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_git(project)
    monkeypatch.setenv("PATH", str(project / "nothing"))
    assert main(["measure", "demo:code-review", *FEW]) == 0
    assert "ignored by git" not in capsys.readouterr().err
