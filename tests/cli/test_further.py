"""--resume RUN --more N: further confirm rounds of a finished run."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from tests.bench import call_cases, make_bench_project, write_cases
from tests.kills import assert_nothing_twice, rows

SIMULATED = ("--engine", "simulated")
STRATEGIES = {
    "phases": ("--confirm-runs", "1"),
    "race": ("--search", "race", "--max-trials", "150"),
}
STRICT = ("--gate", "0.9999")
"""A gate that the first rounds do not pass."""


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


def more(capsys: pytest.CaptureFixture[str], run_id: str, *words: str) -> dict[str, Any]:
    return run(capsys, "scil", "run", "--resume", run_id, "--max-trials", "9999", *words)


def looks(project: Path) -> int:
    (entry,) = json.loads((project / "skillwalker.lock").read_text("utf-8"))["targets"]
    return int(entry["looks"])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rounds_are_added_and_all_of_them_judged_as_another_look(
    project: Path, capsys: pytest.CaptureFixture[str], strategy: str
) -> None:
    first = run(capsys, "scil", "run", *SIMULATED, *STRICT, *STRATEGIES[strategy])
    folder = project / "output" / first["run_id"]
    before, answers = rows(folder, "trials.jsonl"), rows(folder, "improver.jsonl")
    assert (first["verdict"], looks(project)) == ("kept", 1)
    rounds = first["gate"]["rounds"]
    assert "to another look, which asks 0.999975, would take about" in first["gate"]["reason"]
    second = more(capsys, first["run_id"], "--more", "2")
    assert second["run_id"] == first["run_id"]
    assert second["gate"]["rounds"] == rounds + 2
    assert second["gate"]["threshold"] == pytest.approx(1 - 0.0001 / 4)
    new = rows(folder, "trials.jsonl")[len(before) :]
    assert rows(folder, "trials.jsonl")[: len(before)] == before
    assert {row["set"] for row in new} <= {"confirm", "control"}
    assert sum(row["set"] == "confirm" for row in new) == 2 * 2 * 12
    assert second["original"]["balanced"]["n"] == 12 * (rounds + 2)
    for key in ("best_description", "best_iteration", "stopped_because", "iterations"):
        assert second[key] == first[key], key
    third = more(capsys, first["run_id"], "--more", "1")
    assert third["gate"]["rounds"] == rounds + 3
    assert third["gate"]["threshold"] == pytest.approx(1 - 0.0001 / 9)
    assert looks(project) == 3
    assert_nothing_twice(folder)
    assert rows(folder, "improver.jsonl") == answers


def test_a_verdict_may_turn_and_be_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "scil", "run", *SIMULATED, *STRICT, "--confirm-runs", "1")
    assert first["verdict"] == "kept"
    second = more(capsys, first["run_id"], "--more", "6", "--apply", "--allow-simulated")
    assert (second["verdict"], second["applied"]) == ("improved", True)
    skill = project / "plugins/demo/skills/code-review/SKILL.md"
    assert second["best_description"][:20] in skill.read_text("utf-8")
    frozen = json.loads((project / "output" / first["run_id"] / "run.json").read_text("utf-8"))
    assert frozen["order"]["more"] == [{"rounds": 6, "looks": 2}]
    assert frozen["ended"] is True


def test_a_refused_run_names_the_command_and_a_finished_one_spends_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("scil", "run", *SIMULATED, *STRICT, "--confirm-runs", "1", "--no-html")
    assert main([*words]) == 0
    (folder,) = (project / "output").glob("2*")
    assert f"; or scil run --resume {folder.name} --more N" in capsys.readouterr().err
    first = more(capsys, folder.name, "--more", "1")
    before = (folder / "trials.jsonl").read_bytes()
    assert run(capsys, "scil", "run", "--resume", folder.name) == first
    assert (folder / "trials.jsonl").read_bytes() == before


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_rounds_that_were_cut_off_are_gone_on_with(
    project: Path, capsys: pytest.CaptureFixture[str], strategy: str
) -> None:
    words = ("scil", "run", *SIMULATED, *STRICT, *STRATEGIES[strategy], "--fresh")
    first = run(capsys, *words)
    whole = more(capsys, first["run_id"], "--more", "3")
    (project / "skillwalker.lock").unlink()
    second = run(capsys, *words)
    cap = str(second["trials"] + 30)
    resume = ("scil", "run", "--resume", second["run_id"])
    cut = run(capsys, *resume, "--more", "3", "--max-trials", cap)
    assert (cut["stopped_because"], cut["trials"]) == ("budget", second["trials"] + 30)
    assert cut["gate"]["rounds"] == second["gate"]["rounds"] + 1
    assert main([*resume, "--more", "2"]) == 1
    assert "has not come to its end" in capsys.readouterr().err
    done = run(capsys, *resume, "--more", "3", "--max-trials", "9999")
    for key in ("gate", "trials", "original", "best", "verdict", "usage"):
        assert done[key] == whole[key], key
    assert looks(project) == 2


@pytest.mark.parametrize("gate", [("--gate", "0.5"), STRICT], ids=["improved", "kept"])
def test_rounds_that_a_limit_forbade_are_no_look_and_are_said_not_to_have_been_run(
    project: Path, capsys: pytest.CaptureFixture[str], gate: tuple[str, str]
) -> None:
    first = run(capsys, "scil", "run", *SIMULATED, *gate, "--confirm-runs", "1")
    resume = ("scil", "run", "--resume", first["run_id"], "--more", "1")
    capsys.readouterr()
    assert main([*resume, "--max-trials", str(first["trials"]), "--json"]) == 0
    out, err = capsys.readouterr()
    cut = json.loads(out)
    assert (cut["verdict"], cut["gate"]) == (first["verdict"], first["gate"])
    assert cut["stopped_because"] == "budget"
    assert f"It went no further, for the budget was spent: {cut['cause']}." in err
    assert looks(project) == 1
    assert more(capsys, *resume[3:])["gate"]["rounds"] == first["gate"]["rounds"] + 1
    assert looks(project) == 2


# --- what is refused ---------------------------------------------------------------------------


def refused(project: Path, capsys: pytest.CaptureFixture[str], run_id: str, *words: str) -> str:
    """Ask for rounds, see that nothing changed, and give what was said."""
    left = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    capsys.readouterr()
    resume = ["scil", "run", "--resume", run_id, "--max-trials", "9999", "--more", "1", *words]
    assert main(resume) == 1
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == left
    return capsys.readouterr().err


def test_what_can_decide_nothing_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ungated = run(capsys, "scil", "run", *SIMULATED, "--no-gate")
    assert "it was not gated" in refused(project, capsys, ungated["run_id"])
    alone = run(capsys, "scil", "run", *SIMULATED, "--max-iterations", "1")
    assert "no text that did better" in refused(project, capsys, alone["run_id"])
    written = run(capsys, "scil", "run", *SIMULATED, "--apply", "--allow-simulated")
    assert written["applied"]
    assert f"skillwalker undo {written['run_id']}" in refused(project, capsys, written["run_id"])
    cut = run(capsys, "scil", "run", *SIMULATED, "--max-trials", "20")
    assert "has not come to its end" in refused(project, capsys, cut["run_id"])


def test_what_changed_is_refused_and_may_be_accepted_but_for_another_text(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(capsys, "scil", "run", *SIMULATED, *STRICT)
    cases = call_cases()
    write_cases(project, "review", [{**cases[0], "expect": [{"skill-call": False}]}, *cases[1:]])
    assert "has another should_trigger" in refused(project, capsys, first["run_id"])
    write_cases(project, "review", cases)
    path = project / "output" / first["run_id"] / "run.json"
    record = json.loads(path.read_text("utf-8"))
    facts = record["facts"] | {"cli_version": "2.1.1"}
    path.write_text(json.dumps(record | {"facts": facts}), "utf-8")
    assert "the Claude CLI is" in refused(project, capsys, first["run_id"])
    accepted = more(capsys, first["run_id"], "--more", "1", "--accept-changes")
    assert accepted["gate"]["rounds"] == first["gate"]["rounds"] + 1
    skill = project / "plugins/demo/skills/code-review/SKILL.md"
    skill.write_text(skill.read_text("utf-8").replace("Helps with", "Does"), "utf-8")
    said = refused(project, capsys, first["run_id"], "--accept-changes")
    assert "no longer holds the description" in said


def test_more_needs_a_run_to_resume(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scil", "run", *SIMULATED, "--more", "2"]) == 2
    assert "--more goes with --resume" in capsys.readouterr().err
    assert main(["scil", "run", "--resume", "x", "--more", "0"]) == 2
    assert not (project / "output").exists()
