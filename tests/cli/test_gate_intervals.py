"""The intervals of the gate, worked out again from the files of a run alone."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from tests.bench import make_bench_project

STUDENT = {1: 6.313752, 2: 2.919986, 3: 2.353363, 4: 2.131847, 5: 2.015048}
"""Two-sided 90 % points by degrees of freedom, from a printed table."""
FLOOR, COIN = 0.02, 0.25


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = make_bench_project(tmp_path)
    monkeypatch.chdir(project)
    assert main(["scil", "run", "--engine", "simulated", "--confirm-runs", "2"]) == 0
    (folder,) = (project / "output").iterdir()
    return folder


def shares(folder: Path, candidate: str) -> dict[str, float]:
    """The share of runs that triggered of each case in the confirm rounds; none was retried."""
    runs: dict[str, list[bool]] = defaultdict(list)
    for line in (folder / "trials.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["set"] == "confirm" and row["candidate"] == candidate:
            runs[row["case"]].append(row["outcome"] == "triggered")
    return {case: sum(hits) / len(hits) for case, hits in runs.items()}


def recomputed(
    changes: dict[str, float], groups: dict[str, str]
) -> tuple[float, tuple[float, float]]:
    """The mean of a class's changes, and Student's interval with near-duplicates as one draw."""
    cases = len(changes)
    mean = sum(changes.values()) / cases
    of_group: dict[str, list[float]] = defaultdict(list)
    for case, change in changes.items():
        of_group[groups[case]].append(change - mean)
    share = sum(len(members) ** 2 for members in of_group.values()) / cases**2
    free = len(of_group) - 1
    between = sum(sum(members) ** 2 for members in of_group.values()) / cases**2
    variance = between * (free + 1) / free if free else COIN * share
    half = STUDENT[max(1, free)] * (variance + FLOOR * share) ** 0.5
    return mean, (max(-1.0, mean - half), min(1.0, mean + half))


def test_the_changes_of_both_classes_are_those_of_the_trials(run: Path) -> None:
    gate: dict[str, Any] = json.loads((run / "scil-summary.json").read_text("utf-8"))["gate"]
    cases = {one["case"]: one for one in json.loads((run / "run.json").read_text("utf-8"))["cases"]}
    iterations = [
        json.loads(line) for line in (run / "scil-iteration.jsonl").read_text("utf-8").splitlines()
    ]
    best = json.loads((run / "scil-summary.json").read_text("utf-8"))["best_iteration"]
    before, after = (
        shares(run, next(i["candidate"] for i in iterations if i["iteration"] == number))
        for number in (1, best)
    )
    groups = {case: one["group"] for case, one in cases.items()}
    for name, wanted, sign in (("recall", True, 1), ("specificity", False, -1)):
        changes = {
            case: sign * (after[case] - before[case])
            for case in cases
            if cases[case]["should_trigger"] is wanted
        }
        mean, interval = recomputed(changes, groups)
        assert gate[f"{name}_change"] == pytest.approx(mean)
        assert gate[f"{name}_interval"] == pytest.approx(interval, abs=1e-5)
