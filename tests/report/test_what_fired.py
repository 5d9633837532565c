"""At which turn calls came and what fired instead: the same trials in the terminal and the page."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.report.tables import what_fired
from tests.bench import make_bench_project
from tests.kills import rows
from tests.measured import result, trial
from tests.recorded_runs import plain_run

SEARCH = plain_run().summary
MEASURE = replace(SEARCH, kind="measure")
RESULTS = (result("p", "tn"), result("n", "tn", positive=False))


def elsewhere(case: str, *names: str) -> Trial:
    missed = trial(case, Outcome.NOT_TRIGGERED, side=CaseSet.CONFIRM)
    return replace(missed, also_fired=names)


def test_a_measurement_tells_of_its_trials_without_naming_them() -> None:
    assert what_fired(MEASURE, RESULTS, ()) == ["calls came at turn 1: 2"]


def test_a_search_says_that_its_own_trials_are_told() -> None:
    assert what_fired(SEARCH, RESULTS, ()) == ["calls came at turn 1: 2 (search)"]


def test_confirm_rounds_are_told_where_there_were_any() -> None:
    confirmed = (
        replace(trial("p", Outcome.TRIGGERED, side=CaseSet.CONFIRM), step=2),
        elsewhere("p", "demo:weather", "run"),
        elsewhere("p", "run"),
        elsewhere("n", "demo:other"),
    )
    assert what_fired(SEARCH, RESULTS, confirmed) == [
        "calls came at turn 2: 1 (confirm rounds)",
        "fired instead: run (2), demo:weather (1) (confirm rounds)",
    ]


def test_terminal_and_page_give_the_same_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    project = make_bench_project(tmp_path)
    words = ("scil", "run", "--engine", "simulated", "--search", "phases", "--json")
    assert main(["-C", str(project), *words]) == 0
    streams = capsys.readouterr()
    summary = json.loads(streams.out)
    assert summary["measured_on"] == "confirm"
    folder = project / "output" / summary["run_id"]
    last = {
        (row["case"], row["model_asked"], row["run_index"]): row
        for row in rows(folder, "trials.jsonl")
        if row["set"] == "confirm"
        and row["candidate"] == rows(folder, "trials.jsonl")[-1]["candidate"]
    }
    turns = Counter(row["step"] for row in last.values() if row["outcome"] == "triggered")
    expected = ", ".join(f"turn {step}: {count}" for step, count in sorted(turns.items()))
    assert f"calls came at {expected} (confirm rounds)" in streams.err
    page = re.sub(r"<[^>]+>", " ", (folder / "report.html").read_text("utf-8"))
    assert re.search(rf"best\s+{expected}\s", page)
    assert "(confirm rounds) by what was used" in page
