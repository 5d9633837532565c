"""Trials of earlier runs that a run takes over, from the outside."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from tests.bench import call_cases, make_bench_project, write_cases
from tests.kills import rows

SIMULATED = ("--engine", "simulated")
MEASURE = ("measure", "demo:code-review", *SIMULATED)
CONTROLS = 4


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def run(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json", "--no-html"]) == 0
    summary: dict[str, Any] = json.loads(capsys.readouterr().out)
    return summary


def folder(project: Path, summary: dict[str, Any]) -> Path:
    return project / "output" / str(summary["run_id"])


def test_a_second_measurement_pays_for_its_controls_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = run(capsys, *MEASURE), run(capsys, *MEASURE)
    assert (first["trials"], first["reused"], first["reused_from"]) == (12 + CONTROLS, 0, [])
    assert (second["trials"], second["reused"]) == (CONTROLS, 12)
    assert second["reused_from"] == [first["run_id"]]
    assert second["usage"]["trial"]["calls"] == CONTROLS
    for key in ("original", "models", "rate_in_file", "verdict"):
        assert second[key] == first[key], key
    taken = rows(folder(project, second), "trials.reused.jsonl")
    assert {row["run_id"] for row in taken} == {first["run_id"]}
    assert {row["set"] for row in rows(folder(project, second), "trials.jsonl")} == {"control"}
    frozen = json.loads((folder(project, second) / "run.json").read_text("utf-8"))
    assert frozen["warm"] == {first["run_id"]: 12}


@pytest.mark.usefixtures("project")
def test_it_is_said_and_can_be_refused(capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, *MEASURE)
    assert main([*MEASURE]) == 0
    assert f"12 trials reused from run {first['run_id']}" in capsys.readouterr().err
    fresh = run(capsys, *MEASURE, "--fresh")
    assert (fresh["trials"], fresh["reused"]) == (12 + CONTROLS, 0)


def test_a_search_takes_over_what_a_measurement_paid_for_and_draws_the_rest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = run(capsys, "scil", "run", *SIMULATED, "--runs-per-query", "3")
    shutil.rmtree(project / "output")
    (project / "skillwalker.lock").unlink()
    run(capsys, *MEASURE)
    search = run(capsys, "scil", "run", *SIMULATED, "--runs-per-query", "3")
    assert search["reused"] == 12
    assert search["trials"] == whole["trials"] - 12
    trials = rows(folder(project, search), "trials.jsonl")
    original = [row for row in trials if row["iteration"] == 1 and row["set"] == "train"]
    assert min(row["run_index"] for row in original) == 1
    for key in ("gate", "original", "best", "best_description", "verdict", "stopped_because"):
        assert search[key] == whole[key], key


def test_confirm_rounds_draw_anew_though_more_is_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, *MEASURE, "--runs-per-query", "9")
    search = run(capsys, "scil", "run", *SIMULATED, "--search", "phases")
    assert search["reused"] == 12
    confirm = [r for r in rows(folder(project, search), "trials.jsonl") if r["set"] == "confirm"]
    assert len(confirm) == 2 * 12 * search["gate"]["rounds"] > 0
    again = run(capsys, "scil", "run", *SIMULATED, "--search", "phases")
    assert again["reused"] == 12
    assert all(
        row["set"] in {"train", "holdout"}
        for row in rows(folder(project, again), "trials.reused.jsonl")
    )


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("words", "reused"),
    [(("--seed", "7"), 0), (("--max-turns", "3"), 0), (("--neighbours", "none"), 0), ((), 12)],
    ids=["seed of simulated draws", "turns", "listing", "the same"],
)
def test_another_experiment_takes_over_nothing(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reused: int
) -> None:
    run(capsys, *MEASURE)
    assert run(capsys, *MEASURE, *words)["reused"] == reused


@pytest.mark.usefixtures("project")
def test_a_limit_on_trials_counts_new_ones_only(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, *MEASURE)
    second = run(capsys, *MEASURE, "--max-trials", str(CONTROLS))
    assert (second["stopped_because"], second["trials"], second["reused"]) == (
        "iterations",
        CONTROLS,
        12,
    )


def test_a_resumed_run_has_what_was_frozen_when_it_began(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, *MEASURE)
    phases = ("--search", "phases")
    whole = run(capsys, "scil", "run", *SIMULATED, *phases)
    (project / "skillwalker.lock").unlink()
    cut = run(capsys, "scil", "run", *SIMULATED, *phases, "--max-trials", "20")
    for path in (project / "output").iterdir():
        if path.name != cut["run_id"]:
            shutil.rmtree(path)
    resumed = run(capsys, "scil", "run", "--resume", cut["run_id"], "--max-trials", "999")
    assert resumed["reused"] == whole["reused"] == 12
    assert len(rows(folder(project, resumed), "trials.reused.jsonl")) == 12
    for key in ("trials", "gate", "best_description", "usage"):
        assert resumed[key] == whole[key], key


def test_what_a_changed_case_took_over_is_given_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, *MEASURE)
    cut = run(capsys, "scil", "run", *SIMULATED, "--max-trials", "20")
    assert cut["reused"] == 12
    cases = call_cases()
    cases[0]["prompt"] = "have a look at what I changed since Monday"
    write_cases(project, "review", cases)
    words = ("--max-trials", "999", "--accept-changes")
    resumed = run(capsys, "scil", "run", "--resume", cut["run_id"], *words)
    assert resumed["reused"] == 11
    taken = rows(folder(project, resumed), "trials.reused.jsonl")
    assert cases[0]["name"] not in {row["case"] for row in taken}


@pytest.mark.usefixtures("project")
def test_a_run_is_not_compared_with_trials_that_it_took_from_the_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = run(capsys, *MEASURE), run(capsys, *MEASURE)
    for pair in ((first, second), (second, first)):
        assert main(["diff", *(one["run_id"] for one in pair), "--json"]) == 1
        said = " ".join(capsys.readouterr().err.split())
        assert "can be compared: the same trials in both runs (12); measure again" in said
    third = run(capsys, *MEASURE, "--runs-per-query", "5")
    assert main(["diff", first["run_id"], third["run_id"], "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    own = third["trials"] - CONTROLS
    assert (compared["a"]["trials"], compared["b"]["trials"]) == (12, own)
    assert (compared["a"]["shared_trials"], compared["b"]["shared_trials"]) == (0, 12)
    (model,) = compared["models"]
    assert sum(pair["n_b"] for pair in model["pairs"]) == own
    assert main(["diff", second["run_id"], third["run_id"], "--json"]) == 1
    assert main(["diff", first["run_id"], third["run_id"]]) == 0
    assert "; 12 trials of both left out)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("project")
def test_a_run_that_is_held_against_another_takes_over_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(capsys, *MEASURE)
    summary = run(capsys, *MEASURE, "--against", "last", "--fail-on-drop", "10")
    assert summary["reused"] == 0
    assert summary["against"]["not_comparable"] == []


def test_a_trial_that_was_taken_over_is_shown_with_the_run_that_paid(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = run(capsys, *MEASURE), run(capsys, *MEASURE)
    name = rows(folder(project, second), "trials.reused.jsonl")[0]["case"]
    assert main(["trial", second["run_id"], name]) == 0
    text = capsys.readouterr().out
    assert "trial 0 of case" in text
    assert f"taken over from run {first['run_id']}, which paid for it" in text
    for summary, payer in ((first, None), (second, first["run_id"])):
        assert main(["trial", summary["run_id"], name, "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)["trials"]
        assert (row["run_id"], row["reused_from"]) == (summary["run_id"], payer)
