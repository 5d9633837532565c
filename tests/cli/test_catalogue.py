"""--all, --stale, --against and --fail-on-drop, from the outside."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import TargetKind
from tests.bench import (
    POSITIVES,
    call_cases,
    make_bench_project,
    skill_text,
    write_cases,
)

SIMULATED = ("--engine", "simulated", "--no-html")
CAPPED = (*SIMULATED, "--max-trials", "1000")
GOOD = "Reviews pull requests, diffs and commits for bugs. Use for review, check or critique."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    write_cases(made, "weather", call_cases("demo:weather"))
    write_cases(made, "gaps", call_cases("demo:gap-analyzer", kind=TargetKind.AGENT))
    monkeypatch.chdir(made)
    return made


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    code = main(list(words))
    return code, capsys.readouterr().err


def runs(project: Path) -> int:
    output = project / "output"
    return len(list(output.glob("*/run.json"))) if output.is_dir() else 0


def describe(project: Path, text: str) -> None:
    path = project / "plugins/demo/skills/code-review/SKILL.md"
    path.write_text(skill_text("code-review", text), encoding="utf-8")


# --- --all -------------------------------------------------------------------------------------


def test_every_target_is_measured_in_a_run_of_its_own(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run_json(capsys, "measure", "--all", *CAPPED)
    assert code == 0
    assert [(run["target"], run["suite"]) for run in found["runs"]] == [
        ("demo:gap-analyzer", "gaps"),
        ("demo:code-review", "review"),
        ("demo:weather", "weather"),
    ]
    assert runs(project) == 3


@pytest.mark.parametrize(
    ("command", "targets"),
    [("scil", ["demo:code-review", "demo:weather"]), ("acil", ["demo:gap-analyzer"])],
)
def test_all_of_a_kind_are_improved(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, targets: list[str]
) -> None:
    words = (command, "run", "--all", "--max-iterations", "1", *CAPPED)
    code, found = run_json(capsys, *words)
    assert code == 0
    assert [run["target"] for run in found["runs"]] == targets
    assert {run["kind"] for run in found["runs"]} == {command}
    assert runs(project) == len(targets)


def test_one_suite_of_all_can_be_asked_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = run_json(capsys, "measure", "--all", "--eval", "weather", *CAPPED)
    assert [run["suite"] for run in found["runs"]] == ["weather"]
    assert runs(project) == 1


def test_broken_suites_and_targets_are_named_behind_all_the_others(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_cases(project, "broken", [{"name": "x"}])
    (project / "plugins/demo/skills/weather/SKILL.md").write_text("---\nname: w\n---\n")
    code, found = run_json(capsys, "measure", "--all", *CAPPED)
    assert code == 1
    assert [run["suite"] for run in found["runs"]] == ["gaps", "review"]
    assert [one["suite"] for one in found["broken"]] == ["broken"]
    assert [one["suite"] for one in found["failed"]] == ["weather"]
    _, words = said(capsys, "measure", "--all", *CAPPED)
    assert "suite broken cannot be measured: evals/broken/tests.json" in words.replace(
        str(project) + "/", ""
    )


def test_a_broken_suite_alone_is_an_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_cases(project, "broken", [{"name": "x"}])
    code, found = run_json(capsys, "measure", "--all", *CAPPED)
    assert (code, len(found["runs"]), found["failed"]) == (1, 3, [])


def test_all_share_one_budget_and_the_rest_is_left(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run_json(capsys, "measure", "--all", *SIMULATED, "--max-trials", "25")
    assert code == 3
    assert sum(run["trials"] for run in found["runs"]) <= 25
    assert [run["suite"] for run in found["runs"]] == ["gaps", "review"]
    assert [one["suite"] for one in found["left_out"]] == ["weather"]
    assert runs(project) == 2


@pytest.mark.usefixtures("project")
def test_a_race_plans_with_the_cases_of_its_target_and_not_with_the_cap_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("scil", "run", "--all", "--search", "race", "--dry-run", "--max-trials", "999")
    _, found = run_json(capsys, *words, "--engine", "simulated")
    searches = [step["trials"] for run in found["runs"] for step in run["steps"][1:2]]
    assert len(searches) == 2
    assert all(trials <= 10 * 12 for trials in searches)


@pytest.mark.parametrize(
    "words",
    [
        ("measure", "--all"),
        ("measure", "--stale"),
        ("scil", "run", "--all"),
        ("acil", "run", "--all"),
        ("overnight",),
    ],
    ids=" ".join,
)
def test_without_a_terminal_everything_needs_a_cap(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, text = said(capsys, *words, *SIMULATED)
    assert code == 2
    assert "--max-cost-usd or --max-trials" in text
    assert not (project / "output").exists()
    (project / "skillwalker.toml").write_text("[budget]\nmax-trials = 0\n")
    assert said(capsys, *words, *SIMULATED)[0] != 2


def test_a_forecast_of_all_needs_no_cap_and_spends_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = run_json(capsys, "measure", "--all", "--dry-run", "--engine", "simulated")
    assert code == 0
    assert found["trials"] == sum(run["trials"] for run in found["runs"]) == 60
    assert not (project / "output").exists()
    write_cases(project, "broken", [{"name": "x"}])
    assert main(["measure", "--all", "--dry-run", "--engine", "simulated"]) == 1
    assert "in all 3 runs: 60 trials at most" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
def test_a_forecast_of_all_warns_of_a_budget_that_is_too_small_for_all_together(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("measure", "--all", "--dry-run", "--engine", "local")
    _, whole = run_json(capsys, *words)
    assert whole["warnings"] == []
    assert whole["likely_usd"] == round(whole["likely_usd"], 6) > 0
    most = f"{0.9 * whole['likely_usd']:.4f}"
    _, capped = run_json(capsys, *words, "--max-cost-usd", most)
    assert [one for run in capped["runs"] for one in run["warnings"] if "max-cost" in one] == []
    (warning,) = capped["warnings"]
    assert "--max-cost-usd" in warning
    main([*words, "--max-cost-usd", most])
    assert "warning: --max-cost-usd" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("measure", "demo:weather", "--all"), "--all takes every target"),
        (("scil", "run", "--all", "--skill", "demo:weather"), "or --skill out"),
        (("acil", "run", "--all", "--agent", "x"), "or --agent out"),
        (("measure", "--fail-on-drop", "10"), "--fail-on-drop goes with --against"),
        (("measure", "--against", "last", "--fail-on-drop", "101"), "101"),
        (("measure", "--all", "--against", "20260101T000000"), "names one run, and 3 targets"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_does_not_go_together_is_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], text: str
) -> None:
    code, err = said(capsys, *words, *CAPPED)
    assert (code, text in err) == (2, True), err
    assert not (project / "output").exists()


def test_a_catalogue_without_a_target_of_the_kind_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "evals/gaps/tests.json").unlink()
    code, text = said(capsys, "acil", "run", "--all", *CAPPED)
    assert code == 1
    assert "no suite has cases for an agent" in text


# --- --stale -----------------------------------------------------------------------------------


def test_only_what_changed_is_measured_again_and_the_rest_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "--stale", *CAPPED]) == 0
    write_cases(project, "weather", call_cases("demo:weather")[1:])
    code, found = run_json(capsys, "measure", "--all", "--stale", *CAPPED)
    assert code == 0
    assert [run["suite"] for run in found["runs"]] == ["weather"]
    assert [one["suite"] for one in found["left_out"]] == ["gaps", "review"]
    code, text = said(capsys, "measure", "--stale", *CAPPED)
    assert code == 0
    assert "left out, 3 fresh" in text


def test_a_named_target_that_is_fresh_is_left_out_too(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("measure", "demo:weather", "--stale", *SIMULATED)
    assert len(run_json(capsys, *words)[1]["runs"]) == 1
    assert run_json(capsys, *words)[1]["runs"] == []
    assert runs(project) == 1


def test_a_forecast_reckons_with_every_case_flipped(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("measure", "demo:weather", *SIMULATED)
    assert main(list(words)) == 0
    _, found = run_json(capsys, *words, "--against", "last", "--dry-run")
    assert found["steps"][-1] == {"name": "flipped cases again", "trials": 4 * found["cases"]}
    assert runs(project) == 1


# --- --against ---------------------------------------------------------------------------------


def test_the_first_run_has_nothing_to_compare_with_and_fails_nobody(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("measure", "demo:code-review", "--against", "last", "--fail-on-drop", "10")
    code, text = said(capsys, *words, *SIMULATED)
    assert code == 0
    assert "there is nothing to compare with" in text
    assert runs(project) == 1


def test_a_worse_description_fails_and_the_summary_says_by_how_much(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    describe(project, GOOD)
    words = ("measure", "demo:code-review", *SIMULATED)
    assert run_json(capsys, *words)[0] == 0
    describe(project, "Plays chess.")
    code, summary = run_json(capsys, *words, "--against", "last", "--fail-on-drop", "10")
    against = summary["against"]
    assert code == 4
    assert against["dropped"] is True
    assert against["dropped_points"] > 10
    assert against["p_better"] < 0.1
    assert {one["case"] for one in against["flipped"]} <= {
        f"yes {number}" for number in range(len(POSITIVES))
    }
    assert set(against) >= {"run_id", "change", "interval", "not_comparable"}
    stored = project / "output" / summary["run_id"] / "measure-summary.json"
    assert json.loads(stored.read_text())["against"] == against
    code, text = said(capsys, *words, "--against", against["run_id"])
    assert code == 0
    assert "dropped, -" in text
    assert "flipped: yes" in text


def test_a_finished_comparison_is_printed_again_and_judged_by_the_gate_of_now(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    describe(project, GOOD)
    words = ("measure", "demo:code-review", *SIMULATED)
    assert main(list(words)) == 0
    describe(project, "Plays chess.")
    _, summary = run_json(capsys, *words, "--against", "last")
    again = ("measure", "--resume", summary["run_id"])
    assert said(capsys, *again)[0] == 0
    assert said(capsys, *again, "--fail-on-drop", "1")[0] == 4
    assert said(capsys, *again, "--fail-on-drop", "100")[0] == 0


def test_a_drop_cannot_be_looked_for_in_a_run_that_is_held_against_none(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, ended = run_json(capsys, "measure", "demo:code-review", *SIMULATED)
    words = ("measure", "demo:weather", *SIMULATED, "--deadline", "0m")
    _, cut = run_json(capsys, *words)
    for run_id in (ended["run_id"], cut["run_id"]):
        code, text = said(capsys, "measure", "--resume", run_id, "--fail-on-drop", "10")
        assert code == 2
        assert f"run {run_id} is held against no earlier run" in " ".join(text.split())
    assert cut["trials"] == 0
    assert not (project / "output" / cut["run_id"] / "trials.jsonl").exists()


def test_a_comparison_that_could_not_be_made_is_no_pass(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("measure", "demo:code-review", *SIMULATED)
    _, earlier = run_json(capsys, *words)
    held = (*words, "--against", "last")
    _, cut = run_json(capsys, *held, "--deadline", "0m")
    trials = project / "output" / earlier["run_id"] / "trials.jsonl"
    mode = f'"permission_mode":"{earlier["permission_mode"]}"'
    trials.write_text(trials.read_text("utf-8").replace(mode, '"permission_mode":"plan"'), "utf-8")
    again = ("measure", "--resume", cut["run_id"], "--no-html")
    code, text = said(capsys, *again, "--fail-on-drop", "10")
    assert f"not compared with run {earlier['run_id']}" in text
    assert code == 3
    code, text = said(capsys, *again, "--fail-on-drop", "10")
    assert "this run was never compared" in text
    assert code == 3
    assert said(capsys, *again)[0] == 0


@pytest.mark.parametrize(
    ("run_id", "text"),
    [("20200101T000000", "there is no run"), ("", "there is no run")],
    ids=["none of that name", "empty"],
)
def test_a_named_run_that_is_not_there_stops_the_command(
    project: Path, capsys: pytest.CaptureFixture[str], run_id: str, text: str
) -> None:
    words = ("measure", "demo:weather", "--against", run_id, *SIMULATED)
    code, err = said(capsys, *words)
    assert (code, text in err) == (1, True), err
    assert runs(project) == 0


def test_a_named_run_of_another_target_stops_the_command(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, other = run_json(capsys, "measure", "demo:weather", *SIMULATED)
    words = ("measure", "demo:code-review", "--against", other["run_id"], *SIMULATED)
    code, err = said(capsys, *words)
    assert code == 1
    assert "its target path is" in err
    assert "its suite is 'weather', not 'review'" in err
    assert runs(project) == 1


def test_each_target_of_all_is_held_against_its_own_last_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    describe(project, GOOD)
    _, first = run_json(capsys, "measure", "--all", *CAPPED)
    describe(project, "Plays chess.")
    words = ("measure", "--all", "--against", "last", "--fail-on-drop", "10")
    code, second = run_json(capsys, *words, *CAPPED)
    assert code == 4
    assert [run["against"]["run_id"] for run in second["runs"]] == [
        run["run_id"] for run in first["runs"]
    ]
    dropped = [run["target"] for run in second["runs"] if run["against"]["dropped"]]
    assert dropped == ["demo:code-review"]


def test_a_target_that_is_named_twice_is_measured_once(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = "plugins/demo/skills/weather/SKILL.md"
    code, found = run_json(
        capsys, "measure", "demo:weather", "demo:weather", written, "demo:code-review", *SIMULATED
    )
    assert code == 0
    assert [one["target"] for one in found["runs"]] == ["demo:weather", "demo:code-review"]
    assert runs(project) == 2
    code, text = said(capsys, "measure", "demo:weather", written, *SIMULATED)
    assert code == 0
    assert f"note: {written} was named before, as demo:weather; measured once" in text
    assert runs(project) == 3


# --- what cannot be remembered -------------------------------------------------------------------


@pytest.mark.parametrize("quiet", [(), ("--quiet",)], ids=["", "quiet"])
def test_a_lock_file_that_cannot_be_updated_is_told_behind_the_result(
    project: Path, capsys: pytest.CaptureFixture[str], quiet: tuple[str, ...]
) -> None:
    lock = project / "skillwalker.lock"
    lock.write_text('{"schema_version": 1, "targets": []}\n')
    lock.chmod(0o444)
    code, text = said(capsys, "measure", "demo:weather", *SIMULATED, *quiet)
    assert code == 0
    after = text.split("recorded in ")[1]
    assert "warning: skillwalker.lock was not updated" in after
    assert "read-only" in after


@pytest.mark.usefixtures("project")
def test_many_targets_end_in_one_table_and_say_simulated_once_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, words = said(capsys, "measure", "--all", *CAPPED)
    assert words.index("recorded in") < words.index("Weakest first")
    last = words[words.index("Weakest first") :]
    assert last.count("SIMULATED: no model") == 1
    assert "next: " in last
    assert "Cases that failed" not in words
