"""evals run and evals score, from the outside: files, streams and exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.evals import EvalOutcome
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.eval_world import (
    ALL_MET,
    TableEngine,
    broken,
    case,
    make_eval_project,
    run_order,
    said,
)
from tests.projects import call_case, write_suite

Output = pytest.CaptureFixture[str]
SIMULATED = ("--engine", "simulated")
NEVER = call_case("no", False, prompt="write a poem about the sea")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def run(root: Path, *words: str) -> int:
    return main(["evals", *words, "-C", str(root)])


def run_json(root: Path, capsys: Output, *words: str) -> tuple[int, dict[str, Any]]:
    code = run(root, *words, "--json")
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return code, found


# --- evals run ---------------------------------------------------------------------------------


def test_a_run_without_failures_is_exit_0(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER)
    assert run(tmp_path, "run", *SIMULATED) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0].startswith("SIMULATED, run 2")
    assert lines[1] == "  [1/1] mixed: no"
    assert lines[2] == "passed        mixed: no"
    assert lines[3].startswith("1 of 1 passed, 0 failed; 1 trial, 0.0 s")
    assert lines[4].startswith("recorded in ")
    assert lines[5].startswith("SIMULATED")
    assert len(lines) == 6


def test_a_failure_is_exit_1_with_its_reason(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER, call_case("yes", prompt="sing a song about the sea"))
    assert run(tmp_path, "run", *SIMULATED) == 1
    said_to = capsys.readouterr().err
    assert "FAILED        mixed: yes\n" in said_to
    assert "skill-call of demo:review = true: demo:review was not called within 2 turns" in said_to


RUBRIC = {"llm-judge": {"rubricFile": "review.md"}}
JUDGED = call_case("a", prompt="write a poem", expect=[{"skill-call": False}, RUBRIC])


def test_what_no_judge_graded_is_exit_3(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, JUDGED)
    code, found = run_json(tmp_path, capsys, "run", *SIMULATED, "--judge", "api")
    assert code == 3
    rows = [(row["expect_type"], row["status"]) for row in found["results"]]
    assert rows == [
        ("skill-call", "passed"),
        ("llm-judge", "unknown"),
        ("llm-judge-aggregate", "infrastructure"),
    ]
    assert "use --judge cli" in found["results"][1]["reasoning"]
    make_eval_project(tmp_path, JUDGED, call_case("yes", prompt="sing a song"))
    assert run(tmp_path, "run", *SIMULATED, "--judge", "api") == 1


def test_a_simulated_run_is_graded_by_the_simulated_judge_and_says_so(
    tmp_path: Path, capsys: Output
) -> None:
    make_eval_project(tmp_path, JUDGED)
    assert run(tmp_path, "run", *SIMULATED, "--json") == 1
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["judge"], found["simulated"]) == ("simulated", True)
    (criterion,) = [row for row in found["results"] if row["criterion"] is not None]
    assert (criterion["judge"], criterion["judge_model"]) == ("simulated", "simulated")
    assert criterion["reasoning"].startswith("SIMULATED: ")
    assert captured.err.count("SIMULATED JUDGE: ") == 2
    assert found["usage"]["judge"]["calls"] == 1


def test_the_judge_is_asked_as_often_as_wanted(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, JUDGED)
    code, found = run_json(tmp_path, capsys, "run", *SIMULATED, "--judge-runs", "3")
    assert code == 1
    assert found["usage"]["judge"]["calls"] == 3
    (row,) = [row for row in found["results"] if row["criterion"] is not None]
    assert (row["judge_runs"], row["agreement"]) == (3, 1.0)


def test_the_settings_name_the_judge_where_no_flag_does(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, JUDGED)
    (tmp_path / "skillwalker.toml").write_text('[models]\njudge = "haiku"\n')
    _, found = run_json(tmp_path, capsys, "run", *SIMULATED, "--judge", "api")
    assert found["results"][-1]["judge_model"] == "claude-haiku-5-5"
    words = ("--judge", "api", "--judge-model", "sonnet")
    _, found = run_json(tmp_path, capsys, "run", *SIMULATED, *words)
    assert found["results"][-1]["judge_model"] == "claude-sonnet-5-5"


def test_json_is_one_object_with_the_summary_and_every_row(tmp_path: Path, capsys: Output) -> None:
    places = make_eval_project(tmp_path, NEVER)
    code, found = run_json(tmp_path, capsys, "run", *SIMULATED)
    assert code == 0
    folder = places.output_dir / found["test_run_id"]
    summary = json.loads((folder / "test-run-summary.json").read_text("utf-8"))
    lines = (folder / "test-results.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert found == {**summary, "results": rows}
    keys = {
        "test_run_id",
        "total_duration_ms",
        "total_input_tokens",
        "total_output_tokens",
        "failures",
    }
    assert keys <= found.keys()


def test_quiet_shows_no_progress(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER)
    assert run(tmp_path, "run", *SIMULATED, "--quiet") == 0
    said_to = capsys.readouterr().err
    assert "[1/1]" not in said_to
    assert "1 of 1 passed" in said_to


def test_suites_and_a_case_are_chosen(tmp_path: Path, capsys: Output) -> None:
    places = make_eval_project(tmp_path, NEVER)
    write_suite(places, "two", {"tests": [NEVER, call_case("other", False, prompt="sing")]})
    _, both = run_json(tmp_path, capsys, "run", *SIMULATED, "--eval", "mixed", "--eval", "two")
    assert [(test["suite"], test["test_name"]) for test in both["tests"]] == [
        ("mixed", "no"),
        ("two", "no"),
        ("two", "other"),
    ]
    _, one = run_json(tmp_path, capsys, "run", *SIMULATED, "--eval", "two", "--test", "other")
    assert [test["test_name"] for test in one["tests"]] == ["other"]


def test_repeats_are_voted_on(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER)
    _, found = run_json(tmp_path, capsys, "run", *SIMULATED, "--repeats", "3")
    assert found["trials"] == 3
    assert found["results"][0]["runs_passed"] == 3


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        pytest.param(["--repeats", "2", *SIMULATED], 2, "--repeats", id="even"),
        pytest.param(["--judge-runs", "2", *SIMULATED], 2, "--judge-runs", id="even-judge"),
        pytest.param(["--judge", "nope", *SIMULATED], 2, "nope", id="unknown-judge"),
        pytest.param(["--concurrency", "0", *SIMULATED], 2, "--concurrency", id="none-at-once"),
        pytest.param(["--engine", "nope"], 2, "nope", id="unknown-engine"),
        pytest.param([*SIMULATED, "--eval", "nope"], 1, "no suite", id="unknown-suite"),
        pytest.param([*SIMULATED, "--test", "nope"], 1, "no such case", id="unknown-case"),
        pytest.param([*SIMULATED, "--test", "work"], 1, "writes no answers", id="needs-an-answer"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_written(
    tmp_path: Path, capsys: Output, words: list[str], code: int, message: str
) -> None:
    places = make_eval_project(tmp_path)
    assert run(tmp_path, "run", *words) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == ""
    assert not places.output_dir.exists()


def test_the_simulated_engine_is_never_chosen_by_itself(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER)
    code, found = run_json(tmp_path, capsys, "run")
    assert (code, found["engine"], found["simulated"]) == (3, "local", False)
    assert (found["trials"], found["inconclusive"]) == (0, 1)
    assert "there is no login for Claude" in found["cause"]
    (tmp_path / "skillwalker.toml").write_text('engine = "simulated"\n')
    code, found = run_json(tmp_path, capsys, "run")
    assert (code, found["engine"]) == (0, "simulated")


def test_a_budget_of_nothing_is_inconclusive(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, NEVER)
    code, found = run_json(tmp_path, capsys, "run", *SIMULATED, "--max-trials", "0")
    assert (code, found["trials"], found["stopped_because"]) == (3, 0, "budget")


def test_ctrl_c_ends_with_130_and_what_was_measured_is_on_disk(tmp_path: Path) -> None:
    cases = [call_case(f"c{number}", runs=999, prompt=f"sing {number}") for number in range(9)]
    places = make_eval_project(tmp_path, *cases)
    words = ["evals", "run", *SIMULATED, "-C", str(tmp_path), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "skillwalker", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    while "[20/" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["stopped_because"] == "interrupted"
    assert found["trials"] >= 20
    (folder,) = places.output_dir.iterdir()
    assert (folder / "test-run-summary.json").is_file()
    assert run(tmp_path, "score", folder.name) == 1


# --- evals score -------------------------------------------------------------------------------


def recorded(root: Path, **answers: Any) -> EvalOutcome:
    cases = [call_case("skill"), case("work", {"result-contains": "injection"})]
    places = make_eval_project(root, *cases)
    scripts = {f"prompt of {name}": [answer] for name, answer in answers.items()}
    return run_order(places, TableEngine({**ALL_MET, **scripts}))


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        pytest.param(said("an injection"), 0, id="all-passed"),
        pytest.param(said("nothing"), 1, id="failed"),
        pytest.param(broken(), 3, id="inconclusive"),
    ],
)
def test_scoring_has_the_exit_code_of_the_run(
    tmp_path: Path, capsys: Output, answer: object, code: int
) -> None:
    outcome = recorded(tmp_path, work=answer)
    name = outcome.folder.name
    found, record = run_json(tmp_path, capsys, "score", name)
    assert (found, record["test_run_id"]) == (code, name)
    assert (outcome.folder / "test-results.1.jsonl").is_file()


def test_all_without_results_are_scored(tmp_path: Path, capsys: Output) -> None:
    good = recorded(tmp_path)
    bad = recorded(tmp_path, work=said("nothing"))
    code, found = run_json(tmp_path, capsys, "score")
    assert (code, found) == (0, {"runs": []})
    (good.folder / "test-results.jsonl").unlink()
    code, found = run_json(tmp_path, capsys, "score")
    assert (code, [one["test_run_id"] for one in found["runs"]]) == (0, [good.folder.name])
    code, found = run_json(tmp_path, capsys, "score", "--force")
    assert (code, len(found["runs"])) == (1, 2)
    assert (bad.folder / "test-results.1.jsonl").is_file()


def test_scoring_with_nothing_to_score_is_no_error(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(tmp_path, "score") == 0
    assert "no eval run is recorded in output; `" in capsys.readouterr().err
    outcome = recorded(tmp_path)
    assert outcome.folder.is_dir()
    assert run(tmp_path, "score") == 0
    assert "every eval run has results" in capsys.readouterr().err


def test_scoring_an_unknown_run_names_the_newest(tmp_path: Path, capsys: Output) -> None:
    outcome = recorded(tmp_path)
    assert run(tmp_path, "score", "nope") == 1
    assert outcome.folder.name in capsys.readouterr().err


def test_a_recorded_run_is_read_again_and_nothing_is_written(
    tmp_path: Path, capsys: Output
) -> None:
    outcome = recorded(tmp_path)
    before = {path: path.read_bytes() for path in outcome.folder.rglob("*") if path.is_file()}
    code, found = run_json(tmp_path, capsys, "score", "--rescore", outcome.folder.name)
    assert (code, found["run_id"], found["trials"]) == (0, outcome.folder.name, 2)
    after = {path: path.read_bytes() for path in outcome.folder.rglob("*") if path.is_file()}
    assert after == before
    assert run(tmp_path, "score", "x", "--rescore", outcome.folder.name) == 2
    assert run(tmp_path, "score", "--rescore", "nope") == 1


# --- limits, plans and reports -----------------------------------------------------------------


def test_a_dry_run_says_what_trials_and_judge_would_take(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, JUDGED, call_case("b", runs=3))
    code, plan = run_json(
        tmp_path, capsys, "run", "--engine", "local", "--judge", "api", "--dry-run"
    )
    assert (code, plan["dry_run"], plan["cases"], plan["trials"]) == (0, True, 2, 4)
    money = {(one["purpose"], one["model"]): one for one in plan["money"]}
    trials = money["trial", "claude-sonnet-5-5"]
    questions = money["judge", "claude-opus-5-5"]
    assert (trials["calls"], questions["calls"]) == (4, 1)
    assert 0 < plan["likely_usd"] < plan["worst_usd"]
    assert questions["worst_usd"] == 2 * questions["likely_usd"] > 0
    assert run(tmp_path, "run", *SIMULATED, "--judge-runs", "3", "--dry-run") == 0
    said_to = capsys.readouterr().out
    assert "SIMULATED" in said_to
    assert "3 judge calls of claude-opus-5-5: $0.00 to $0.00" in said_to
    assert not (tmp_path / "output").exists()


def test_a_dry_evaluation_counts_what_was_not_asked_yet(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_eval_project(tmp_path, JUDGED)
    run_json(tmp_path, capsys, "run", *SIMULATED)
    before = files_of(tmp_path / "output")
    _, free = run_json(tmp_path, capsys, "score", "--force", "--dry-run")
    assert (free["runs"], free["questions"], free["worst_usd"]) == (1, 0, 0)
    words = ("score", "--force", "--judge", "api", "--dry-run")
    _, paid = run_json(tmp_path, capsys, *words)
    assert (paid["questions"], paid["trials"]) == (1, 0)
    assert paid["worst_usd"] > 0
    assert (paid["simulated"], paid["warnings"]) == (False, [])
    _, small = run_json(tmp_path, capsys, *words, "--max-cost-usd", "0.001")
    assert "--max-cost-usd 0.001 is less than the $" in small["warnings"][0]
    with serve(RoutedBehaviour()) as standin:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", standin.url)
        _, free = run_json(tmp_path, capsys, *words)
    assert free["simulated"] is True
    assert files_of(tmp_path / "output") == before


@pytest.mark.parametrize("words", [("run", *SIMULATED), ("score", "--force")], ids=["run", "score"])
def test_limits_are_checked(tmp_path: Path, capsys: Output, words: tuple[str, ...]) -> None:
    make_eval_project(tmp_path, NEVER)
    for flag, value in (("--max-cost-usd", "-1"), ("--max-pause", "soon"), ("--deadline", "late")):
        assert run(tmp_path, *words, flag, value) == 2
        assert flag in capsys.readouterr().err
    assert not (tmp_path / "output").exists()


def test_the_settings_limit_evaluations_too(tmp_path: Path, capsys: Output) -> None:
    make_eval_project(tmp_path, JUDGED)
    (tmp_path / "skillwalker.toml").write_text("[budget]\nmax-cost-usd = 0.0\nmax-trials = 0\n")
    code, found = run_json(tmp_path, capsys, "run", *SIMULATED)
    assert (code, found["trials"], found["stopped_because"]) == (3, 0, "budget")


def test_a_run_leaves_its_page_and_a_later_evaluation_writes_it_again(
    tmp_path: Path, capsys: Output
) -> None:
    make_eval_project(tmp_path, JUDGED)
    run_json(tmp_path, capsys, "run", *SIMULATED, "--junit", str(tmp_path / "cases.xml"))
    (folder,) = (tmp_path / "output").iterdir()
    assert 'name="a"' in (tmp_path / "cases.xml").read_text()
    pages = [folder / "report.html", folder / "report.md"]
    for page in pages:
        assert "write a poem" in page.read_text() or "llm-judge" in page.read_text()
        page.write_text("old")
    run_json(tmp_path, capsys, "score", "--force")
    assert all(page.read_text() != "old" for page in pages)
    run_json(tmp_path, capsys, "run", *SIMULATED, "--no-html")
    newest = max((tmp_path / "output").iterdir())
    assert not (newest / "report.html").exists()
    assert (newest / "report.md").exists()


def files_of(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
