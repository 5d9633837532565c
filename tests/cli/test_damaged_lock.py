"""A lock file that cannot be read: one line before anything is begun, however many targets."""

from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.catalogues import make_catalogue

SIMULATED = ("--engine", "simulated", "--no-html", "--max-trials", "50")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = make_catalogue(tmp_path, 3)
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("overnight",), id="a night"),
        pytest.param(("measure", "--all"), id="measure all"),
        pytest.param(("measure", "--stale"), id="measure stale"),
        pytest.param(("measure", "p00:invoice0", "p01:recipe1"), id="measure two"),
        pytest.param(("scil", "run", "--all"), id="improve all"),
    ],
)
def test_a_damaged_lock_file_is_told_once_and_nothing_is_begun(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (project / "skillwalker.lock").write_bytes(b"\0")
    assert main([*words, *SIMULATED]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "skillwalker.lock cannot be read" in line
    assert not (project / "output").exists()
    assert (project / "skillwalker.lock").read_bytes() == b"\0"


def test_a_night_is_not_taken_up_again_with_a_damaged_lock_file(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["overnight", *SIMULATED])
    (night,) = (path.parent for path in (project / "output").glob("*/night.jsonl"))
    before = {path: path.read_bytes() for path in night.iterdir()}
    (project / "skillwalker.lock").write_bytes(b"\0")
    capsys.readouterr()
    code = main(["overnight", "--resume", night.name, "--max-trials", "900", "--no-html"])
    (line,) = capsys.readouterr().err.splitlines()
    assert (code, "skillwalker.lock cannot be read" in line) == (1, True)
    assert {path: path.read_bytes() for path in night.iterdir()} == before
