"""scil run --search race, as a user types it."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import NEGATIVES, call_cases, make_bench_project, write_cases

RACE = (
    "scil",
    "run",
    "--eval",
    "review",
    "--engine",
    "simulated",
    "--search",
    "race",
    "--json",
    "--no-html",
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = make_bench_project(tmp_path)
    monkeypatch.chdir(project)
    return project


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object], str]:
    code = main(list(words))
    told = capsys.readouterr()
    return code, json.loads(told.out or "{}"), told.err


def lines(project: Path, name: str) -> list[dict[str, object]]:
    (folder,) = (project / "output").iterdir()
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def test_a_race_leaves_one_line_a_candidate_with_all_its_trials(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, summary, _ = run(capsys, *RACE)
    assert code == 0
    iterations = lines(project, "scil-iteration.jsonl")
    assert [row["iteration"] for row in iterations] == list(range(1, len(iterations) + 1))
    assert len(iterations) == summary["iterations"]
    counted = sum(
        case["triggered"] + case["not_triggered"] + case["undecided"]
        for row in iterations
        for case in row["cases"]  # type: ignore[attr-defined]  # JSON
    )
    train = [row for row in lines(project, "trials.jsonl") if row["set"] == "train"]
    assert counted == len(train)


def test_what_a_race_ignores_and_cannot_do_is_said(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, summary, said = run(
        capsys, *RACE, "--runs-per-query", "3", "--max-trials", "40", "--quiet"
    )
    assert code == 0
    assert "--runs-per-query is ignored" in said
    assert "--max-trials 40 is too few for --search race: 12 cases need 48" in said
    assert (summary["iterations"], summary["stopped_because"]) == (1, "unresolved")
    assert "no other text was measured: the budget is too small for one" in said
    assert "scil run --eval review --search race --max-trials N, with" in said
    (entry,) = json.loads((project / "skillwalker.lock").read_text("utf-8"))["targets"]
    assert entry["tuned"] is None
    words = ("scil", "run", "--resume", str(summary["run_id"]), "--max-trials", "200", "--json")
    assert run(capsys, *words)[1]["trials"] == summary["trials"]
    assert run(capsys, *RACE, "--max-trials", "200", "--quiet")[1]["iterations"] != 1


def test_a_race_that_was_cut_goes_on_with_the_number_that_it_planned_with(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole, _ = run(capsys, *RACE, "--max-trials", "90", "--fresh")
    (folder,) = (project / "output").iterdir()
    rows = (folder / "trials.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "trials.jsonl").write_text("".join(rows[:50]), encoding="utf-8")
    for name in ("scil-iteration.jsonl", "scil-summary.json"):
        (folder / name).unlink()
    words = ("scil", "run", "--resume", folder.name, "--max-trials", "500", "--json")
    _, resumed, _ = run(capsys, *words)
    for summary in (whole, resumed):
        del summary["limit"]
    assert resumed == whole
    assert len(lines(project, "trials.jsonl")) == len(rows)


def test_neighbours_are_guarded_where_that_is_asked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [f"{word} forecast for {at * 7919}" for at, word in enumerate("abcd")]
    cases = call_cases("demo:weather", positives=asked, negatives=NEGATIVES[:1])
    write_cases(project, "weather", cases)
    _, summary, _ = run(capsys, *RACE, "--guard-neighbours")
    gate = summary["gate"]
    assert isinstance(gate, dict)
    assert [one["target"] for one in gate["neighbours"]] == ["demo:weather"]
    sets = {row["set"] for row in lines(project, "trials.jsonl")}
    assert sets == {"train", "confirm", "control", "neighbour"}
