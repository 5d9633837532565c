"""doctor from the outside: a fake CLI, no Docker, and what the exit code says."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.clis import VERSIONS, need_cli
from tests.docker_daemon import docker_host, need_docker
from tests.projects import call_case, make_project, write, write_suite

Output = pytest.CaptureFixture[str]
HOST = docker_host() or ""
"""Of the machine; the tests without Docker name a daemon that is none."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    make_project(tmp_path / "p")
    return tmp_path / "p"


def fake_cli(folder: Path, says: str = "2.1.332 (Claude Code)") -> str:
    program = write(folder / "bin/claude", f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return str(program)


def run(project: Path, *words: str) -> int:
    return main(["doctor", *words, "-C", str(project)])


def test_a_bare_machine_is_exit_1_with_every_remedy(project: Path, capsys: Output) -> None:
    assert run(project) == 1
    out, err = capsys.readouterr()
    for remedy in ("npm install", "claude setup-token", "start Docker", "skillwalker init"):
        assert remedy in out
    assert "--engine simulated" in err


def test_a_cli_and_a_subscription_are_enough(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat-secret")
    assert run(project, "--claude", fake_cli(project.parent), "--json") == 0
    out = capsys.readouterr().out
    record = json.loads(out)
    assert (record["ready"], record["engine"]) == (True, "local")
    assert "Claude subscription" in record["engines"][1]["text"]
    assert "secret" not in out


def test_without_a_login_the_cli_is_looked_at_all_the_same(project: Path, capsys: Output) -> None:
    assert run(project, "--claude", fake_cli(project.parent), "--json") == 1
    first = json.loads(capsys.readouterr().out)["findings"][0]
    assert (first["area"], first["health"]) == ("claude", "ok")


def test_what_is_no_claude_cli_is_a_fault(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    assert run(project, "--claude", fake_cli(project.parent, "hello"), "--json") == 1
    faults = json.loads(capsys.readouterr().out)["findings"]
    assert "`--version` says 'hello'" in faults[0]["text"]


def test_faults_of_the_project_are_named_and_change_nothing(project: Path, capsys: Output) -> None:
    places = make_project(project)
    write_suite(places, "good", {"plugins": ["demo"], "tests": [call_case("one")]})
    write_suite(places, "bad", {"tests": []})
    write(project / "skillwalker.toml", "engin = 'local'\n")
    before = sorted(project.rglob("*"))
    run(project, "--json")
    found = json.loads(capsys.readouterr().out)["findings"]
    faults = {each["area"]: each["text"] for each in found if each["health"] == "fault"}
    assert "engin" in faults["settings"]
    assert "evals/bad/tests.json" in faults["suites"]
    assert next(each["text"] for each in found if each["area"] == "suites").endswith(": 1")
    assert sorted(project.rglob("*")) == before


def test_settings_choose_the_engine(project: Path, capsys: Output) -> None:
    write(project / "skillwalker.toml", "engine = 'simulated'\n")
    assert run(project, "--json") == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["engine"], record["engine_why"]) == ("simulated", "as skillwalker.toml says")


def test_a_folder_that_is_none_is_one_line(project: Path, capsys: Output) -> None:
    assert main(["doctor", "-C", str(project / "gone")]) == 1
    assert "there is no such folder" in capsys.readouterr().err


@pytest.mark.cli
@pytest.mark.parametrize("version", VERSIONS)
def test_the_real_cli_is_known(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    binary = need_cli(version)
    monkeypatch.setenv("PATH", f"{binary.parent}:/usr/local/bin:/usr/bin:/bin")
    assert run(project, "--json") == 0
    first = json.loads(capsys.readouterr().out)["findings"][0]
    assert (first["health"], first["text"]) == ("ok", f"Claude Code {version} at {binary}")


@pytest.mark.docker
def test_a_daemon_that_answers_is_told_with_its_image(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", HOST)
    need_docker(VERSIONS[0])
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    code = run(project, "--json")
    record = json.loads(capsys.readouterr().out)
    docker = [each for each in record["findings"] if each["area"] == "docker"]
    assert (docker[0]["health"], docker[0]["text"][:7]) == ("ok", "daemon ")
    can_run = record["engines"][0]["can_run"]
    assert (code, record["engine"]) == ((0, "docker") if can_run else (1, "local"))
    assert can_run or docker[1]["remedy"] == "skillwalker sandbox build"
