"""A file that cannot be written costs nothing of what was measured."""

import json
from functools import partial
from pathlib import Path

import anyio
import pytest

from skillwalker import run_scil_loop
from skillwalker.cli import main
from skillwalker.datatypes.nights import Stage
from skillwalker.datatypes.summary import Event, RoundDone, Summary
from skillwalker.datatypes.vocabulary import Verdict
from skillwalker.overnight.results import stage_result
from tests.bench import make_bench_project

SKILL = "plugins/demo/skills/code-review/SKILL.md"


def edited_meanwhile(project: Path) -> Summary:
    """Improve a description whose file somebody edits while the run confirms."""

    def edit(event: Event) -> None:
        if isinstance(event, RoundDone):
            path = project / SKILL
            path.write_text(path.read_text("utf-8") + "One more line.\n", "utf-8")

    return anyio.run(
        partial(
            run_scil_loop,
            engine="simulated",
            tests_dir=project,
            output_dir=project / "output",
            apply=True,
            allow_simulated=True,
            listener=edit,
        )
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_bench_project(tmp_path_factory.mktemp("edited"))
    edited_meanwhile(made)
    return made


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    (folder,) = (project / "output").iterdir()
    return folder


def test_a_target_that_was_edited_meanwhile_keeps_its_run_whole(project: Path, run: Path) -> None:
    summary = json.loads((run / "scil-summary.json").read_text("utf-8"))
    assert (summary["verdict"], summary["improved"], summary["applied"]) == (
        "improved",
        True,
        False,
    )
    assert "SKILL.md changed since it was read; nothing was written" in summary["not_written"]
    assert f"skillwalker apply {run.name} --allow-simulated --force" in summary["not_written"]
    assert json.loads((run / "run.json").read_text("utf-8"))["ended"] is True
    assert (run / "report.html").is_file()
    assert not list(run.glob("*.applied.json"))
    (entry,) = json.loads((project / "skillwalker.lock").read_text("utf-8"))["targets"]
    assert (entry["run_id"], entry["looks"]) == (run.name, 1)
    assert summary["best_description"] not in (project / SKILL).read_text("utf-8")


def test_it_is_told_with_exit_code_1_and_the_command_that_writes_it(
    project: Path, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scil", "run", "--resume", run.name, "--json"]) == 1
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert summary["not_written"] in err
    assert f"skillwalker apply {run.name} --allow-simulated --force" in err
    assert main(["apply", run.name, "--allow-simulated"]) == 1
    capsys.readouterr()
    assert main(["apply", run.name, "--allow-simulated", "--force"]) == 0
    text = (project / SKILL).read_text("utf-8")
    assert text.endswith("One more line.\n")
    written = json.loads((run / "scil-summary.json").read_text("utf-8"))
    assert (written["applied"], written["not_written"]) == (True, None)
    assert main(["scil", "run", "--resume", run.name]) == 0
    assert main(["undo", run.name]) == 0


def test_a_night_names_a_text_that_could_not_be_written(tmp_path: Path) -> None:
    summary = edited_meanwhile(make_bench_project(tmp_path))
    assert summary.verdict is Verdict.IMPROVED
    result = stage_result(Stage.TUNE, summary)
    assert (result.exit_code, result.improved, result.applied) == (1, True, False)
    assert result.cause is not None
    assert "changed since it was read" in result.cause
