"""No login at all: one exit code whatever the command and the engine, and one result."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import TargetKind
from tests.bench import call_cases, make_bench_project, write_cases


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    write_cases(made, "weather", call_cases("demo:weather"))
    write_cases(made, "gaps", call_cases("demo:gap-analyzer", kind=TargetKind.AGENT))
    monkeypatch.chdir(made)
    return made


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def runs(project: Path) -> int:
    return len(list((project / "output").glob("*/run.json")))


@pytest.mark.parametrize("engine", ["docker", "local"])
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("scil", "run", "--eval", "review"), id="scil"),
        pytest.param(("scil", "run", "--eval", "review", "--improver", "cli"), id="scil-cli"),
        pytest.param(("acil", "run", "--eval", "gaps"), id="acil"),
        pytest.param(("measure", "--eval", "review"), id="measure"),
    ],
)
def test_a_missing_login_is_the_engines_own_result_on_every_engine(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    engine: str,
) -> None:
    code, found = run_json(capsys, *words, "--engine", engine, "--no-html")
    assert (code, found["verdict"]) == (3, "inconclusive")
    assert f"engine {engine}: there is no login for Claude" in json.dumps(found)
    assert runs(project) == 1


@pytest.mark.parametrize("engine", ["docker", "local"])
def test_of_all_targets_only_the_first_asks_an_engine_that_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    words = ("measure", "--all", "--engine", engine, "--no-html", "--max-trials", "50")
    code, found = run_json(capsys, *words)
    assert (code, len(found["runs"]), runs(project)) == (3, 1, 1)
    assert [one["suite"] for one in found["failed"]] == ["review", "weather"]
    assert {one["reason"] for one in found["failed"]} == {found["runs"][0]["cause"]}
    assert main(list(words)) == 3
    said = capsys.readouterr().err
    assert said.count("there is no login for Claude") == 1
    (line,) = (each for each in said.splitlines() if each.startswith("not run"))
    assert line.endswith("skills/code-review/SKILL.md, plugins/demo/skills/weather/SKILL.md")


def test_of_several_that_are_named_only_the_first_asks_an_engine_that_is_not_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["measure", "demo:weather", "demo:code-review", "--engine", "docker", "--no-html"]
    assert main(words) == 3
    said = capsys.readouterr().err
    assert said.count("there is no login for Claude") == 1
    assert said.splitlines()[-1] == "not run, for the same reason: demo:code-review"
    assert runs(project) == 1
