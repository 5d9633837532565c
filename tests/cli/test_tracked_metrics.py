"""Metrics that a suite names, from the outside: measured once a text, recorded, shown, obeyed."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from tests.bench import DESCRIPTION, call_cases, make_bench_project

LENGTH = """
import os, sys
from pathlib import Path
text = Path(os.environ["SKILLWALKER_TARGET"]).read_text()
with Path(sys.argv[1]).open("a") as log:
    log.write("run\\n")
print("METRIC length=" + str(len(text)))
"""
RUN = ("scil", "run", "--eval", "review", "--engine", "simulated")
APPLY = ("--apply", "--allow-simulated")

Output = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    declare(made)
    return made


def declare(
    project: Path, *, direction: str = "decrease", program: str = LENGTH, name: str = "length.py"
) -> None:
    """Declare a metric that counts its runs in a file, and have the suite track it."""
    script = project.parent / name
    script.write_text(program)
    words = json.dumps([sys.executable, "-S", str(script), str(project.parent / "log")])
    (project / "skillwalker.toml").write_text(
        '[metrics.length]\nkind = "positive"\nunit = "chars"\nversion = 1\n'
        f'description = "characters of the file"\ndirection = "{direction}"\ncommand = {words}\n'
    )
    suite = {"plugins": ["demo"], "metrics": ["length"], "tests": call_cases()}
    (project / "evals/review/tests.json").write_text(json.dumps(suite))


def make_load_bearing(capsys: Output) -> None:
    """Let the metric's predictions have come true."""
    for _ in range(5):
        words = ("metric", "calibrate", "length", "--predicted", "100", "--observed", "100")
        assert main([*words]) == 0
    capsys.readouterr()


def run_json(capsys: Output, *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def rows(project: Path, name: str) -> list[dict[str, Any]]:
    run = max((project / "output").iterdir())
    return [json.loads(line) for line in (run / name).read_text("utf-8").splitlines()]


def runs_of_the_command(project: Path) -> int:
    log = project.parent / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def text_of(project: Path) -> str:
    return (project / "plugins/demo/skills/code-review/SKILL.md").read_text()


def test_metrics_stand_beside_every_candidate_and_in_the_summary(
    project: Path, capsys: Output
) -> None:
    code, summary = run_json(capsys, *RUN)
    assert (code, summary["verdict"]) == (0, "improved")
    length = summary["metrics"]["length"]
    assert (length["unit"], length["load_bearing"]) == ("chars", False)
    grown = len(summary["best_description"]) - len(DESCRIPTION)
    assert length["best"] - length["original"] == grown > 0
    built_in = {"description_chars", "listing_share", "trial_tokens", "trial_cost_usd"}
    assert set(summary["metrics"]) == {"length", *built_in}
    assert summary["metrics"]["description_chars"]["original"] == len(DESCRIPTION)
    iterations = rows(project, "scil-iteration.jsonl")
    for row in iterations:
        of_row = {metric["name"]: metric["value"] for metric in row["metrics"]}
        assert of_row["length"] - length["original"] == len(row["description"]) - len(DESCRIPTION)
        assert of_row["description_chars"] == len(row["description"])
    texts = {row["description"] for row in iterations}
    assert runs_of_the_command(project) == len(texts) == len(rows(project, "metrics.jsonl"))
    record = json.loads((max((project / "output").iterdir()) / "run.json").read_text())
    assert [(one["name"], one["version"]) for one in record["metrics"]] == [("length", 1)]


def test_every_report_shows_them_as_what_decides_nothing(project: Path, capsys: Output) -> None:
    assert main([*RUN]) == 0
    said = capsys.readouterr().err
    run = max((project / "output").iterdir())
    for text in (said, (run / "report.md").read_text(), (run / "report.html").read_text()):
        assert "never averaged into" in text
        assert "length (chars)" in text
        assert "advisory" in text


def test_a_metric_does_not_change_the_rates(project: Path, capsys: Output) -> None:
    _, with_metric = run_json(capsys, *RUN)
    suite = {"plugins": ["demo"], "tests": call_cases()}
    (project / "evals/review/tests.json").write_text(json.dumps(suite))
    (project / "skillwalker.lock").unlink()  # a second look is gated higher
    _, without = run_json(capsys, *RUN, "--fresh")
    for key in ("original", "best", "gate", "best_description", "trials"):
        assert with_metric[key] == without[key]


@pytest.mark.usefixtures("project")
def test_an_advisory_metric_that_got_worse_forbids_nothing(capsys: Output) -> None:
    _, summary = run_json(capsys, *RUN, *APPLY)
    assert (summary["applied"], summary["metrics_forbid"]) == (True, None)


def test_a_worse_load_bearing_metric_forbids_writing_until_forced(
    project: Path, capsys: Output
) -> None:
    make_load_bearing(capsys)
    before = text_of(project)
    assert main([*RUN, *APPLY]) == 0
    said = capsys.readouterr().err
    run = max((project / "output").iterdir())
    summary = json.loads((run / "scil-summary.json").read_text())
    assert (summary["improved"], summary["applied"]) == (True, False)
    assert text_of(project) == before
    why = 'the load-bearing metric "length" got worse'
    assert f"nothing was written: {why}" in said
    assert summary["metrics_forbid"].startswith(why)
    assert f"skillwalker apply {run.name} --allow-simulated --force" in said
    assert main(["apply", run.name, "--allow-simulated"]) == 1
    refused = capsys.readouterr().err
    assert why in refused
    assert "--force" in refused
    assert text_of(project) == before
    assert main(["apply", run.name, "--allow-simulated", "--force"]) == 0
    assert summary["best_description"] in text_of(project)


def test_a_load_bearing_metric_that_got_better_allows_it(project: Path, capsys: Output) -> None:
    declare(project, direction="increase")
    make_load_bearing(capsys)
    _, summary = run_json(capsys, *RUN, *APPLY)
    assert summary["metrics"]["length"]["load_bearing"] is True
    assert summary["applied"] is True


def test_a_resumed_run_runs_no_command_twice(project: Path, capsys: Output) -> None:
    code, cut = run_json(capsys, *RUN, "--max-trials", "30")
    assert (code, cut["stopped_because"]) == (0, "budget")
    first = rows(project, "metrics.jsonl")
    _, summary = run_json(capsys, "scil", "run", "--resume", cut["run_id"], "--max-trials", "1000")
    after = rows(project, "metrics.jsonl")
    assert after[: len(first)] == first
    assert runs_of_the_command(project) == len(after) > len(first)
    declared = summary["metrics"]["length"]
    assert declared["original"] == first[0]["metrics"][0]["value"]


def test_a_run_is_not_resumed_when_its_metric_means_something_else(
    project: Path, capsys: Output
) -> None:
    _, cut = run_json(capsys, *RUN, "--max-trials", "30")
    declare(project, program=LENGTH.replace("len(text)", "2 * len(text)"), name="twice.py")
    resume = ("scil", "run", "--resume", cut["run_id"], "--max-trials", "1000")
    assert main([*resume]) == 1
    assert "the metric length measures something else" in capsys.readouterr().err
    measured = runs_of_the_command(project)
    code, summary = run_json(capsys, *resume, "--accept-changes")
    assert (code, summary["accepted_changes"]) == (0, ["the metric length measures something else"])
    assert runs_of_the_command(project) > measured
    original = cut["metrics"]["length"]["original"]
    assert summary["metrics"]["length"]["original"] == 2 * original


def test_a_command_that_fails_is_told_and_stops_nothing(project: Path, capsys: Output) -> None:
    declare(project, program="raise SystemExit(3)")
    assert main([*RUN]) == 0
    said = capsys.readouterr().err
    assert "metric length could not be measured for the original" in said
    (summary,) = ({**json.loads(path.read_text())} for path in project.glob("output/*/scil-s*"))
    told: Mapping[str, Any] = summary["metrics"]["length"]
    assert (told["original"], told["best"]) == (None, None)
    assert told["original_error"]


def test_faults_of_metrics_are_said_before_anything_is_spent(project: Path, capsys: Output) -> None:
    settings = project / "skillwalker.toml"
    settings.write_text(
        settings.read_text() + '[metrics.x]\nkind = "signed"\n'
        'unit = "n"\nversion = 1\ndescription = "y"\nsum = ["missing"]\n'
    )
    assert main([*RUN]) == 1
    assert '"missing"' in capsys.readouterr().err
    assert not (project / "output").exists()


def test_measure_tracks_the_text_of_the_file(project: Path, capsys: Output) -> None:
    _, summary = run_json(capsys, "measure", "--eval", "review", "--engine", "simulated")
    length = summary["metrics"]["length"]
    assert (length["best"], length["original"]) == (None, len(text_of(project)))
