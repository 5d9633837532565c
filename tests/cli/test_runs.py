import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import POSITIVES, make_bench_project

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def run_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> str:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(make_bench_project(tmp_path))
    assert main(["measure", "--engine", "simulated", "--json"]) == 0
    return str(json.loads(capsys.readouterr().out)["run_id"])


def test_a_trial_shows_its_prompt_and_what_happened(run_id: str, capsys: Capture) -> None:
    assert main(["trial", run_id, "yes 0"]) == 0
    out = capsys.readouterr().out
    assert POSITIVES[0] in out
    assert "outcome" in out
    assert "engine simulated" in out


def test_one_trial_as_json(run_id: str, capsys: Capture) -> None:
    assert main(["trial", run_id, "yes 0", "0", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["trials"]
    assert (row["case"], row["run_index"], row["prompt"]) == ("yes 0", 0, POSITIVES[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["nosuch"], "it has: ", id="unknown case"),
        pytest.param(["yes 0", "7"], "has 1 trial, the only one is 0", id="unknown index"),
    ],
)
def test_an_unknown_trial_is_refused_with_what_there_is(
    run_id: str, capsys: Capture, arguments: list[str], words: str
) -> None:
    assert main(["trial", run_id, *arguments]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures("run_id")
def test_an_unknown_run_is_refused_with_the_newest(capsys: Capture) -> None:
    assert main(["trial", "20000101T000000", "yes 0"]) == 1
    assert "newest runs" in capsys.readouterr().err
