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
    assert len(list((project / "output").glob("*/run.json"))) == 1


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--all", "--max-trials", "4"), id="all"),
        pytest.param(("demo:weather", "demo:code-review"), id="named"),
    ],
)
def test_every_target_has_its_run_though_no_engine_could_be_opened(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, found = run_json(capsys, "measure", *words, "--engine", "local", "--no-html")
    assert (code, {run["verdict"] for run in found["runs"]}) == (3, {"inconclusive"})
    assert len(found["runs"]) == len(list((project / "output").glob("*/run.json"))) >= 2
