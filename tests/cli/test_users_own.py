"""Targets of the user's own `~/.claude`: `user:name` wherever they are named."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import DESCRIPTION, skill_text

SIMULATED = ("--engine", "simulated")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without anything, of a user who has a skill."""
    home, project = tmp_path / "home", tmp_path / "project"
    mine = home / ".claude/skills/code-review/SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text(skill_text("code-review", DESCRIPTION), "utf-8")
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(project)
    return project


def test_every_command_names_a_users_skill_as_the_user_does(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = project.parent / "home/.claude/skills/code-review/SKILL.md"
    before = mine.read_bytes()
    assert main(["init", "--skill", "user:code-review"]) == 0
    suite = (project / "evals/code-review/tests.json").read_text("utf-8")
    assert '"skillFile": "user:code-review"' in suite
    assert str(project.parent) not in suite
    written = (project / "skillwalker.toml").read_text("utf-8")
    assert "plugin-dirs" not in written
    assert str(project.parent) not in written
    capsys.readouterr()
    assert main(["scil", "run", *SIMULATED, "--apply", "--allow-simulated", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["target"] == "user:code-review"
    assert main(["stats", "--target", "user:code-review", "--json"]) == 0
    assert '"user:code-review"' in capsys.readouterr().out
    assert main(["measure", "user:code-review", *SIMULATED, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "user:code-review"
    for run in (project / "output").iterdir():
        assert '"project:' not in "".join(
            path.read_text("utf-8") for path in run.glob("*.json*") if path.is_file()
        )
    mine.write_bytes(before)
    assert main(["describe", "user:code-review", "--text-file", _text(project)]) == 0
    assert main(["undo", "user:code-review"]) == 0
    assert mine.read_bytes() == before
    assert main(["show", "user:code-review"]) == 0


def _text(project: Path) -> str:
    file = project / "text"
    file.write_text("Review code for faults when a pull request is opened.", "utf-8")
    return str(file)
