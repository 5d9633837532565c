"""scil run, acil run and measure, from the outside: files, streams and exit codes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.report.files import LEFT_OUT, refresh_reports
from tests.bench import DESCRIPTION, POSITIVES, call_cases, make_bench_project, write_cases

PROJECT = Path(__file__).parents[2]
SIMULATED = ("--engine", "simulated")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def skill(project: Path) -> Path:
    return project / "plugins/demo/skills/code-review/SKILL.md"


def tree(project: Path) -> Mapping[Path, bytes]:
    """What the user wrote: everything but the runs and what is remembered of them."""
    files = (path for path in project.rglob("*") if path.is_file())
    return {
        path: path.read_bytes()
        for path in files
        if "output" not in path.parts and path.name != "skillwalker.lock"
    }


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def rows(run: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / name).read_text("utf-8").splitlines()]


def newest(project: Path) -> Path:
    return max((project / "output").iterdir())


# --- what is written ---------------------------------------------------------------------------


def test_apply_changes_the_bytes_of_one_description_and_undo_brings_them_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(project)
    code, summary = run_json(
        capsys, "scil", "run", "--eval", "review", *SIMULATED, "--apply", "--allow-simulated"
    )
    assert (code, summary["verdict"], summary["applied"]) == (0, "improved", True)
    after = tree(project)
    assert [path for path in before if before[path] != after[path]] == [skill(project)]
    head, _, tail = before[skill(project)].partition(DESCRIPTION.encode())
    assert after[skill(project)].startswith(head)
    assert after[skill(project)].endswith(tail)
    assert main(["undo"]) == 0
    assert tree(project) == before


def test_a_simulated_result_is_not_written_unless_that_is_allowed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(project)
    assert main(["scil", "run", *SIMULATED, "--apply"]) == 0
    assert tree(project) == before
    said = capsys.readouterr().err
    assert "nothing was written" in said
    assert "--allow-simulated" in said


def test_without_a_terminal_nothing_is_asked_and_the_next_command_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree(project)
    assert main(["scil", "run", *SIMULATED]) == 0
    assert tree(project) == before
    said = capsys.readouterr().err
    assert "next: the same without --engine simulated, for a real result" in said
    assert "; or skillwalker apply" in said


def test_apply_later_writes_what_the_run_found(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, summary = run_json(capsys, "scil", "run", *SIMULATED)
    assert not summary["applied"]
    assert main(["apply", summary["run_id"], "--allow-simulated"]) == 0
    assert summary["best_description"].split(".")[0] in skill(project).read_text("utf-8")
    recorded = json.loads((newest(project) / "scil-summary.json").read_text("utf-8"))
    assert recorded["applied"]


def test_measure_never_writes_a_target(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(project)
    code, summary = run_json(capsys, "measure", "demo:code-review", *SIMULATED)
    assert (code, summary["kind"], summary["verdict"]) == (0, "measure", "kept")
    assert tree(project) == before
    assert {row["set"] for row in rows(newest(project), "trials.jsonl")} == {"train", "control"}


def test_an_agent_is_improved_by_the_same_loop(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from skillwalker.datatypes.vocabulary import TargetKind

    cases = call_cases(
        "demo:gap-analyzer",
        kind=TargetKind.AGENT,
        positives=("compare the plan with the code", "which requirements are missing in the code"),
        negatives=("write a poem about the sea", "what is the weather in Oslo"),
    )
    write_cases(project, "gaps", cases)
    code, summary = run_json(capsys, "acil", "run", "--eval", "gaps", *SIMULATED)
    assert code == 0
    assert summary["target"] == "demo:gap-analyzer"
    assert (newest(project) / "acil-iteration.jsonl").is_file()


# --- the record --------------------------------------------------------------------------------


def test_the_record_has_the_keys_of_the_contract(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, summary = run_json(capsys, "scil", "run", *SIMULATED, "--runs-per-query", "3")
    run = newest(project)
    trial_keys = {
        "run_id",
        "case",
        "set",
        "candidate",
        "iteration",
        "run_index",
        "attempt",
        "model",
        "model_asked",
        "engine",
        "endpoint",
        "permission_mode",
        "cli_version",
        "effort",
        "cell_key",
        "outcome",
        "reason",
        "step",
        "turns",
        "mode",
        "also_fired",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "cost_usd",
        "cost_estimated",
        "duration_s",
        "transcript",
        "schema_version",
    }
    trials = rows(run, "trials.jsonl")
    assert all(trial_keys <= set(row) for row in trials)
    iterations = rows(run, "scil-iteration.jsonl")
    assert [row["iteration"] for row in iterations] == list(range(1, len(iterations) + 1))
    assert set(iterations[0]["train"]) == {"passed", "failed", "undecided", "total", "accuracy"}
    assert iterations[0]["holdout"]["accuracy"] is None
    assert {"case", "set", "triggered", "not_triggered", "undecided", "passed"} <= set(
        iterations[0]["cases"][0]
    )
    summary_keys = {
        "run_id",
        "kind",
        "target",
        "engine",
        "simulated",
        "endpoint",
        "seed",
        "verdict",
        "original_description",
        "best_description",
        "best_iteration",
        "improved",
        "applied",
        "stopped_because",
        "original",
        "best",
        "gate",
        "iterations",
        "trials",
        "undecided",
        "usage",
        "listing",
        "schema_version",
    }
    assert summary_keys <= set(summary)
    assert summary["trials"] == len(trials)
    assert set(summary["original"]) == {"accuracy", "recall", "specificity", "balanced"}
    assert set(summary["original"]["recall"]) == {"k", "n", "rate", "low", "high"}
    assert set(summary["usage"]) == {"trial", "improver", "judge"}
    assert {"budget_chars", "used_chars", "state", "text", "listed"} <= set(summary["listing"])
    assert json.loads((run / "scil-summary.json").read_text("utf-8")) == summary


@pytest.mark.usefixtures("project")
def test_the_simulated_engine_is_named_first_and_last(capsys: pytest.CaptureFixture[str]) -> None:
    main(["scil", "run", *SIMULATED])
    lines = [line for line in capsys.readouterr().err.splitlines() if line.strip()]
    assert "SIMULATED" in lines[0]
    assert "SIMULATED" in lines[-1]


def test_rates_can_be_recomputed_from_the_trials(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, summary = run_json(capsys, "measure", *SIMULATED, "--runs-per-query", "3")
    trials = [row for row in rows(newest(project), "trials.jsonl") if row["set"] == "train"]
    positive = [row for row in trials if row["case"].startswith("yes")]
    recall = summary["original"]["recall"]
    assert recall["n"] == len(positive)
    assert recall["k"] == sum(row["outcome"] == "triggered" for row in positive)


# --- exit codes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["measure", *SIMULATED, "--fail-under", "0.1"], 0, id="high enough"),
        pytest.param(["measure", *SIMULATED, "--fail-under", "0.99"], 4, id="too low"),
        pytest.param(["measure", *SIMULATED, "--max-trials", "0"], 3, id="nothing measured"),
        pytest.param(["measure", *SIMULATED, "--max-trials", "8"], 3, id="original half measured"),
        pytest.param(
            ["scil", "run", *SIMULATED, "--max-trials", "20", "--require-improvement"],
            4,
            id="not improved",
        ),
        pytest.param(
            ["scil", "run", *SIMULATED, "--max-trials", "20"], 0, id="a limit is no fault"
        ),
        pytest.param(["scil", "run", "--eval", "nosuch", *SIMULATED], 1, id="no such suite"),
        pytest.param(["scil", "run", "--skill", "demo:no", *SIMULATED], 1, id="no such skill"),
        pytest.param(["measure", "--engine", "nosuch"], 2, id="no such engine"),
        pytest.param(["measure", *SIMULATED, "--fail-under", "80"], 2, id="rate in percent"),
        pytest.param(["scil", "run", *SIMULATED, "--runs-per-query", "2"], 2, id="even runs"),
        pytest.param(["scil", "run", *SIMULATED, "--gate", "1.5"], 2, id="gate above 1"),
        pytest.param(["scil", "run", *SIMULATED, "--holdout", "0.9"], 1, id="split leaves nothing"),
        pytest.param(["nosuch"], 2, id="no such command"),
        pytest.param(["-C", "/nosuch/folder", "measure", *SIMULATED], 1, id="no such project"),
    ],
)
@pytest.mark.usefixtures("project")
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert main(arguments) == code


@pytest.mark.parametrize(
    ("positives", "lacks"),
    [
        pytest.param(False, "no case that should trigger was", id="negatives only"),
        pytest.param(True, "no case that should not trigger was", id="positives only"),
    ],
)
def test_a_suite_of_one_kind_has_no_rate_to_fail_under(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    positives: bool,
    lacks: str,
) -> None:
    cases = call_cases(negatives=()) if positives else call_cases(positives=())
    write_cases(project, "review", cases)
    code, summary = run_json(capsys, "measure", *SIMULATED)
    assert (code, summary["rate_in_file"]) == (0, None)
    assert main(["measure", *SIMULATED, "--fail-under", "0"]) == 3
    said = capsys.readouterr().err
    assert f"demo:code-review (suite review) has no balanced accuracy, for {lacks}" in said
    assert "add such cases" in said
    assert main(["measure", "--resume", summary["run_id"], "--fail-under", "0"]) == 3


@pytest.mark.parametrize("arguments", [["--max-trials", "0"], ["--fail-under", "0.99"]])
@pytest.mark.usefixtures("project")
def test_json_is_one_object_whatever_the_exit_code(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, summary = run_json(capsys, "measure", *SIMULATED, *arguments)
    assert code in {3, 4}
    assert summary["kind"] == "measure"


def test_nothing_is_written_for_an_input_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "evals/review/tests.json").write_text('{"tests": [')
    assert main(["scil", "run", "--eval", "review", *SIMULATED]) == 1
    said = capsys.readouterr().err
    assert "tests.json" in said
    assert "Traceback" not in said
    assert not (project / "output").exists()


def test_a_file_that_can_never_trigger_is_an_input_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = skill(project).read_text("utf-8")
    skill(project).write_text(text.replace("---\n\n", "disable-model-invocation: true\n---\n\n", 1))
    assert main(["scil", "run", *SIMULATED]) == 1
    assert "disable-model-invocation" in capsys.readouterr().err
    assert not (project / "output").exists()


def test_the_project_may_be_named_before_or_after_the_subcommand(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    assert main(["-C", str(project), "measure", *SIMULATED, "--quiet"]) == 0
    assert main(["measure", *SIMULATED, "--quiet", "-C", str(project)]) == 0
    assert main(["--json", "measure", *SIMULATED, "-C", str(project)]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "measure"


def test_several_targets_are_several_runs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weather = call_cases("demo:weather", positives=NEW_WEATHER, negatives=POSITIVES[:2])
    write_cases(project, "weather", weather)
    code, whole = run_json(capsys, "measure", "demo:code-review", "demo:weather", *SIMULATED)
    assert code == 0
    assert [run["target"] for run in whole["runs"]] == ["demo:code-review", "demo:weather"]
    assert len(list((project / "output").iterdir())) == 2


NEW_WEATHER = ("what is the weather in the city of Oslo", "tell me the weather of Paris")


# --- signals -----------------------------------------------------------------------------------


def start(project: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(project.parent)}
    environment["TMPDIR"] = str(project.parent)
    command = [sys.executable, "-m", "skillwalker", *arguments]
    return subprocess.Popen(
        command,
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_trials(project: Path, run: subprocess.Popen[str]) -> None:
    """Wait until the run has recorded something; the run itself is the clock."""
    while run.poll() is None:
        if any((project / "output").glob("*/trials.jsonl")):
            return


def test_ctrl_c_ends_with_130_and_keeps_what_was_paid_for(tmp_path: Path) -> None:
    many = call_cases(positives=[f"{POSITIVES[n % 6]} {n * 7919}" for n in range(500)])
    project = make_bench_project(tmp_path, cases=many)
    run = start(project, "scil", "run", *SIMULATED, "--runs-per-query", "99", "--apply", "--json")
    wait_for_trials(project, run)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    summary = json.loads(out)
    assert summary["stopped_because"] == "interrupted"
    assert not summary["applied"]
    assert summary["trials"] == len(rows(newest(project), "trials.jsonl"))
    assert list(project.parent.glob("skillwalker-work-*")) == []


def test_the_console_script_and_the_module_are_the_same_program() -> None:
    version = subprocess.run(
        [sys.executable, "-m", "skillwalker", "--version"], capture_output=True, text=True
    )
    assert version.stdout.startswith("skillwalker ")


def test_neighbours_are_whom_the_user_names(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rival = project / "elsewhere/skills/merger/SKILL.md"
    rival.parent.mkdir(parents=True)
    text = "Review a pull request, diff, patch or commit before the merge, and check its changes."
    rival.write_text(f"---\nname: merger\ndescription: {text}\n---\nDo it.\n", "utf-8")
    fired = {}
    for name in ("plugin", "none", "elsewhere"):
        code, _ = run_json(capsys, "measure", "demo:code-review", *SIMULATED, "--neighbours", name)
        assert code == 0
        also = [set(row["also_fired"]) for row in rows(newest(project), "trials.jsonl")]
        fired[name] = set().union(*also)
    assert "elsewhere:merger" in fired["elsewhere"]
    assert "elsewhere:merger" not in fired["plugin"]
    assert fired["none"] == set()


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("names", "words"),
    [
        pytest.param(
            ("nosuch",), "--neighbours nosuch: there is no such file or folder;", id="nothing there"
        ),
        pytest.param(("evals",), "--neighbours evals: ", id="no skill and no agent there"),
        pytest.param(("none", "plugin"), "stands alone", id="none beside another"),
    ],
)
def test_neighbours_that_cannot_be_are_refused(
    capsys: pytest.CaptureFixture[str], names: tuple[str, ...], words: str
) -> None:
    named = [word for name in names for word in ("--neighbours", name)]
    assert main(["measure", "demo:code-review", *SIMULATED, *named]) == 1
    assert words in capsys.readouterr().err


def test_commands_that_go_on_find_the_project_that_was_named(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    named = ("-C", project.name)
    few = (*SIMULATED, "--max-trials", "30")
    assert main([*named, "scil", "run", "--eval", "review", *SIMULATED, "--no-html"]) == 0
    run = newest(project)
    command = f"skillwalker -C {project.name} apply {run.name} --allow-simulated"
    assert command in capsys.readouterr().err
    assert command in (run / "report.md").read_text("utf-8")
    assert main(command.split()[1:]) == 0
    undo = f"skillwalker -C {project.name} undo {run.name}"
    assert undo in capsys.readouterr().err
    assert undo in (run / "report.md").read_text("utf-8")
    assert main(undo.split()[1:]) == 0
    capsys.readouterr()
    assert main(["scil", "run", "--eval", "review", *few, "-C", project.name]) in {0, 3}
    assert f"next: scil -C {project.name} run --resume " in capsys.readouterr().err
    assert main(["overnight", *few, *named]) in {0, 3}
    assert f"skillwalker -C {project.name} overnight --resume" in capsys.readouterr().err


# --- the reports after apply and undo ----------------------------------------------------------


def test_apply_and_undo_bring_the_reports_up_to_date(project: Path) -> None:
    assert main(["scil", "run", "--eval", "review", *SIMULATED]) == 0
    run = newest(project)
    applied, undone = f"skillwalker apply {run.name}", f"skillwalker undo {run.name}"
    pages = [run / "report.md", run / "report.html"]
    assert all(applied in page.read_text() for page in pages)
    assert main(["report", run.name, "--no-transcripts"]) == 0
    assert main(["apply", run.name, "--allow-simulated"]) == 0
    for page in pages:
        assert undone in page.read_text()
        assert applied not in page.read_text()
    assert main(["undo", run.name]) == 0
    assert all(applied in page.read_text() for page in pages)


def test_what_was_not_written_is_not_written_by_apply(project: Path) -> None:
    assert main(["scil", "run", "--eval", "review", *SIMULATED, "--no-html"]) == 0
    run = newest(project)
    assert main(["apply", run.name, "--allow-simulated"]) == 0
    assert not (run / "report.html").exists()
    assert f"skillwalker undo {run.name}" in (run / "report.md").read_text()


def test_a_page_without_transcripts_does_not_get_them_later(project: Path) -> None:
    assert main(["measure", "--eval", "review", *SIMULATED]) == 0
    run = newest(project)
    for words, left_out in ((["--no-transcripts"], True), ([], False)):
        assert main(["report", run.name, *words]) == 0
        assert refresh_reports(run).faults == ()
        assert (LEFT_OUT in (run / "report.html").read_text()) is left_out
