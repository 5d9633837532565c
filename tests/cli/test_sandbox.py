"""sandbox build, status, clean: what they say and how they end."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.clis import VERSIONS
from tests.docker_daemon import docker_host, need_docker

Output = pytest.CaptureFixture[str]
NOWHERE = "unix:///nowhere/docker.sock"


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", NOWHERE)


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    need_docker(VERSIONS[0])
    host = docker_host()
    if host is not None:
        monkeypatch.setenv("DOCKER_HOST", host)


@pytest.mark.usefixtures("nowhere")
def test_no_daemon_is_a_status(capsys: Output) -> None:
    assert main(["sandbox", "status"]) == 3
    assert "not ready: no Docker daemon answers" in capsys.readouterr().out
    assert main(["sandbox", "status", "--json"]) == 3
    assert json.loads(capsys.readouterr().out) == {
        "ready": False,
        "lack": "no Docker daemon answers",
        "daemon": None,
        "image": None,
        "images": [],
        "abandoned_containers": 0,
    }


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("words", [["clean"], ["build"]])
def test_no_daemon_ends_the_others_with_what_to_do(words: list[str], capsys: Output) -> None:
    assert main(["sandbox", *words]) == 3
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert NOWHERE in said.err
    assert "start Docker" in said.err
    assert main(["sandbox", *words, "--json"]) == 3
    said = capsys.readouterr()
    record = json.loads(said.out)
    assert (record["schema_version"], record["verdict"]) == (1, "inconclusive")
    assert said.err == f"skillwalker: {record['error']}\n"
    assert main(["--json", "sandbox", *words]) == 3
    assert json.loads(capsys.readouterr().out) == record


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--claude", "x"], id="a CLI without a base"),
        pytest.param(["--base", "x", "--cli-version", "2.1.332"], id="a version with a base"),
        pytest.param(["--nonsense"], id="an unknown option"),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(words: list[str]) -> None:
    assert main(["sandbox", "build", *words]) == 2


@pytest.mark.usefixtures("nowhere")
def test_a_base_needs_a_cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["sandbox", "build", "--base", "x", "-C", str(tmp_path)]) == 1
    assert "name it by --claude" in capsys.readouterr().err
    script = tmp_path / "claude"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert main(["sandbox", "build", "--base", "x", "-C", str(tmp_path)]) == 1
    assert "no program for Linux" in capsys.readouterr().err


@pytest.mark.docker
@pytest.mark.usefixtures("daemon")
def test_a_daemon_with_images_is_ready(capsys: Output) -> None:
    assert main(["sandbox", "status", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["ready"], record["image"]["cli_version"]) == (True, VERSIONS[0])
    assert set(VERSIONS) <= {image["cli_version"] for image in record["images"]}
    assert main(["sandbox", "status"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("daemon: ")
    assert lines[-1] == "ready"


@pytest.mark.docker
@pytest.mark.usefixtures("daemon")
def test_cleaning_containers_leaves_the_images(capsys: Output) -> None:
    assert main(["sandbox", "clean", "--containers-only", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"containers": 0, "images": []}
    assert main(["sandbox", "clean", "--containers-only"]) == 0
    assert capsys.readouterr().out == "removed 0 abandoned containers\n"
    need_docker(VERSIONS[0])
