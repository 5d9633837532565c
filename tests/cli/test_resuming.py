"""--resume, from the outside: a run that ended early ends as if it had not."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.recording.lock import locked_target
from skillwalker.targets.names import resolve_target
from tests.bench import (
    NEGATIVES,
    POSITIVES,
    call_cases,
    make_bench_project,
    places_of,
    write_cases,
)

PROJECT = Path(__file__).parents[2]
SIMULATED = ("--engine", "simulated")
SCIL = (
    "scil",
    "run",
    *SIMULATED,
    "--fresh",
    "--holdout",
    "0.5",
    "--runs-per-query",
    "3",
    "--seed",
    "3",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    monkeypatch.chdir(made)
    return made


def rows(run: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / name).read_text("utf-8").splitlines()]


def edit_json(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def skill(project: Path, name: str = "code-review") -> Path:
    return project / f"plugins/demo/skills/{name}/SKILL.md"


def without_id(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in summary.items() if key != "run_id"}


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def forget_looks(project: Path) -> None:
    """Make the next run the first that gates the target."""
    (project / "skillwalker.lock").unlink()


def stopped(project: Path, capsys: pytest.CaptureFixture[str], trials: int = 40) -> Path:
    """Make a run that a limit ended."""
    _, summary = run_json(capsys, *SCIL, "--max-trials", str(trials))
    assert summary["stopped_because"] == "budget"
    return project / "output" / str(summary["run_id"])


def assert_nothing_twice(run: Path) -> None:
    keys = ("candidate", "case", "model_asked", "run_index", "attempt")
    trials = [tuple(row[key] for key in keys) for row in rows(run, "trials.jsonl")]
    assert len(set(trials)) == len(trials)
    iterations = [row["iteration"] for row in rows(run, "scil-iteration.jsonl")]
    assert iterations == list(range(1, len(iterations) + 1))
    proposals = [row["proposal"] for row in rows(run, "improver.jsonl") if row["final"]]
    assert len(set(proposals)) == len(proposals)


# --- the same end ------------------------------------------------------------------------------


@pytest.mark.parametrize("trials", [0, 3, 20, 40, 75])
def test_a_limited_run_ends_as_an_unlimited_one_once_it_is_resumed(
    project: Path, capsys: pytest.CaptureFixture[str], trials: int
) -> None:
    _, whole = run_json(capsys, *SCIL)
    forget_looks(project)
    run = stopped(project, capsys, trials)
    code, resumed = run_json(capsys, "scil", "run", "--resume", run.name, "--max-trials", "9999")
    assert (code, resumed["run_id"]) == (0, run.name)
    assert without_id(resumed) == without_id(whole)
    assert len(rows(run, "trials.jsonl")) == whole["trials"]
    assert_nothing_twice(run)


def start(project: Path, *words: str) -> subprocess.Popen[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(project.parent)}
    return subprocess.Popen(
        [sys.executable, "-m", "skillwalker", "-C", str(project), *words],
        cwd=PROJECT,
        env=environment | {"TMPDIR": str(project.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def is_running(run: subprocess.Popen[str]) -> bool:
    """Look whether it has ended, and leave it the processor for a moment."""
    with suppress(subprocess.TimeoutExpired):
        run.wait(timeout=0.002)
    return run.returncode is None


def many_cases() -> list[dict[str, object]]:
    """Enough that a kill meets a run in its middle."""
    return call_cases(
        positives=[f"{POSITIVES[n % 6]} {n * 7919}" for n in range(30)],
        negatives=[f"{NEGATIVES[n % 6]} {n * 7907}" for n in range(30)],
    )


def test_an_interrupted_run_names_the_line_that_goes_on_with_it(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path, cases=many_cases())
    run = start(project, "scil", "run", *SIMULATED, "--runs-per-query", "99")
    while is_running(run) and not list((project / "output").glob("*/trials.jsonl")):
        pass
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    (folder,) = (project / "output").glob("2*")
    assert run.returncode == 130, err
    (said,) = (line for line in err.splitlines() if line.startswith("next: "))
    assert said == f"next: scil -C {project} run --resume {folder.name}"
    assert main(["-C", str(project), "scil", "run", "--resume", folder.name, "--quiet"]) == 0
    assert_nothing_twice(folder)


# --- limits and what is said -------------------------------------------------------------------


def test_a_limit_counts_the_trials_of_the_earlier_life(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys, 20)
    _, same = run_json(capsys, "scil", "run", "--resume", run.name)
    assert (same["trials"], same["stopped_because"]) == (20, "budget")
    _, more = run_json(capsys, "scil", "run", "--resume", run.name, "--max-trials", "33")
    assert (more["trials"], len(rows(run, "trials.jsonl"))) == (33, 33)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["scil", "run", *SIMULATED, "--max-trials", "30"], "next: scil run --resume {} --max-tr"),
        (["measure", *SIMULATED, "--max-trials", "3"], "next: skillwalker measure --resume {} --m"),
        (["measure", *SIMULATED, "--max-trials", "3", "--quiet"], "measure --resume {}"),
    ],
    ids=["scil", "measure", "quiet"],
)
def test_a_run_that_a_limit_ended_names_the_line_that_goes_on_with_it(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], line: str
) -> None:
    main(words)
    (run,) = (project / "output").iterdir()
    assert line.format(run.name) in capsys.readouterr().err


def test_measure_is_resumed_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("measure", "demo:code-review", *SIMULATED, "--fresh", "--runs-per-query", "3")
    _, whole = run_json(capsys, *words)
    _, cut = run_json(capsys, *words, "--max-trials", "9")
    code, resumed = run_json(
        capsys, "measure", "--resume", cut["run_id"], "--max-trials", "999", "--concurrency", "1"
    )
    assert (code, without_id(resumed)) == (0, without_id(whole))
    assert (project / "output" / cut["run_id"] / "measure-summary.json").is_file()


# --- a finished run ----------------------------------------------------------------------------


def test_a_finished_run_prints_its_summary_again_and_does_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = run_json(capsys, *SCIL)
    run = project / "output" / whole["run_id"]
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    (project / "evals/review/tests.json").unlink()
    code, again = run_json(capsys, "scil", "run", "--resume", run.name)
    assert (code, again) == (0, whole)
    assert main(["scil", "run", "--resume", run.name, "--fail-under", "0.999"]) == 4
    said = capsys.readouterr().err
    assert f"; or skillwalker apply {run.name}" in said
    assert whole["best_description"][:40] in said
    assert "SIMULATED" in said.splitlines()[0]
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_what_a_kill_left_half_written_is_cleared_by_the_next_life(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    (run / "original" / "1").mkdir(parents=True)
    for name in (".run.json.9.tmp", ".scil-summary.applied.json.9.tmp", "original/1/.a.md.9.tmp"):
        (run / name).write_bytes(b"half")
    assert main(["scil", "run", "--resume", run.name]) == 0
    assert not list(run.rglob("*.tmp"))


def test_a_finished_run_is_applied_when_that_is_asked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, applied = run_json(capsys, *SCIL, "--apply", "--allow-simulated")
    assert main(["undo"]) == 0
    forget_looks(project)
    _, whole = run_json(capsys, *SCIL)
    assert not whole["applied"]
    words = ("scil", "run", "--resume", whole["run_id"], "--apply", "--allow-simulated")
    code, resumed = run_json(capsys, *words)
    assert (code, without_id(resumed)) == (0, without_id(applied))
    assert whole["best_description"].split(".")[0] in skill(project).read_text("utf-8")
    assert run_json(capsys, *words) == (0, resumed)


def test_a_write_whose_record_was_cut_off_is_recorded(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = run_json(capsys, *SCIL, "--apply", "--allow-simulated")
    run = project / "output" / whole["run_id"]
    edit_json(run / "scil-summary.json", applied=False)
    edit_json(run / "run.json", ended=False)
    written = skill(project).read_bytes()
    _, again = run_json(capsys, "scil", "run", "--resume", run.name)
    assert again["applied"]
    assert skill(project).read_bytes() == written


# --- what changed meanwhile --------------------------------------------------------------------


def changed_cases(project: Path, **changes: object) -> None:
    cases = call_cases()
    cases[0] |= changes
    write_cases(project, "review", cases)


def change_prompt(project: Path) -> None:
    changed_cases(project, prompt="have a look at what I changed since Monday")


def change_label(project: Path) -> None:
    changed_cases(project, expect=[{"skill-call": False}])


def change_model(project: Path) -> None:
    changed_cases(project, model="haiku")


def drop_case(project: Path) -> None:
    write_cases(project, "review", call_cases()[1:])


def change_target(project: Path) -> None:
    skill(project).write_text(skill(project).read_text("utf-8") + "One more line.\n", "utf-8")


def change_sibling(project: Path) -> None:
    path = skill(project, "weather")
    path.write_text(path.read_text("utf-8").replace("of a city", "of a town"), "utf-8")


def add_sibling(project: Path) -> None:
    path = skill(project, "poems")
    path.parent.mkdir()
    path.write_text("---\nname: poems\ndescription: Writes poems.\n---\nWrite.\n", "utf-8")


def change_cli(project: Path) -> None:
    for path in (project / "output").glob("2*/run.json"):
        facts = json.loads(path.read_text("utf-8"))["facts"]
        edit_json(path, facts=facts | {"cli_version": "2.1.1"})


def change_endpoint(project: Path) -> None:
    for path in (project / "output").glob("2*/run.json"):
        facts = json.loads(path.read_text("utf-8"))["facts"]
        edit_json(path, facts=facts | {"endpoint": "https://elsewhere.example"})


CHANGES = [
    pytest.param(change_prompt, "case 'yes 0' has another prompt", id="prompt"),
    pytest.param(change_label, "case 'yes 0' has another should_trigger", id="label"),
    pytest.param(change_model, "case 'yes 0' has another model", id="model"),
    pytest.param(drop_case, "case 'yes 0' is gone", id="case"),
    pytest.param(change_target, "plugins/demo/skills/code-review/SKILL.md changed", id="target"),
    pytest.param(change_sibling, "the sibling skill demo:weather changed", id="sibling"),
    pytest.param(add_sibling, "the sibling skill demo:poems is new", id="new sibling"),
    pytest.param(change_cli, "the Claude CLI is 'simulated' instead of '2.1.1'", id="CLI"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_a_run_whose_ground_changed_is_refused_unless_that_is_accepted(
    project: Path, capsys: pytest.CaptureFixture[str], change: Any, words: str
) -> None:
    run = stopped(project, capsys)
    change(project)
    before = (run / "trials.jsonl").read_bytes()
    resume = ("scil", "run", "--resume", run.name, "--max-trials", "9999")
    assert main([*resume]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "--accept-changes" in said
    assert (run / "trials.jsonl").read_bytes() == before
    code, summary = run_json(capsys, *resume, "--accept-changes")
    assert (code, summary["stopped_because"] != "budget") == (0, True)
    assert any(words in change for change in summary["accepted_changes"])
    assert_nothing_twice(run)
    assert run_json(capsys, "scil", "run", "--resume", run.name)[0] == 0


def test_trials_of_a_text_that_was_changed_meanwhile_are_still_counted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    path = skill(project)
    path.write_text(path.read_text("utf-8").replace("Helps", "Assists"), "utf-8")
    words = ("scil", "run", "--resume", run.name, "--max-trials", "9999", "--accept-changes")
    code, summary = run_json(capsys, *words)
    trials = rows(run, "trials.jsonl")
    assert code == 0
    assert len({row["candidate"] for row in trials if row["iteration"] == 1}) == 2
    assert summary["trials"] == summary["usage"]["trial"]["calls"] == len(trials)
    assert summary["undecided"] == sum(row["outcome"] == "undecided" for row in trials)


def test_trials_of_a_changed_prompt_count_for_nothing_but_the_limit(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    old = [row for row in rows(run, "trials.jsonl") if row["case"] == "yes 0"]
    assert old
    change_prompt(project)
    resume = ("scil", "run", "--resume", run.name, "--accept-changes", "--max-trials", "60")
    _, summary = run_json(capsys, *resume)
    assert summary["trials"] == 60 - len(old)
    assert [row["run_index"] for row in rows(run, "trials.changed.jsonl")] == [
        row["run_index"] for row in old
    ]
    keys = {row["cell_key"] for row in old}
    assert not keys & {row["cell_key"] for row in rows(run, "trials.jsonl")}


def test_trials_of_two_endpoints_are_never_counted_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    change_endpoint(project)
    assert main(["scil", "run", "--resume", run.name, "--accept-changes"]) == 1
    assert "the endpoint is 'simulated' instead of 'https://elsewhere" in capsys.readouterr().err


def test_an_engine_that_does_not_open_takes_nothing_from_what_was_measured(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    before = (run / "scil-summary.json").read_bytes()
    order = json.loads((run / "run.json").read_text("utf-8"))["order"]
    edit_json(run / "run.json", order=order | {"engine": "local", "claude": "/nowhere/claude"})
    words = ("scil", "run", "--resume", run.name, "--accept-changes")
    code, summary = run_json(capsys, *words)
    assert (code, summary["stopped_because"]) == (3, "preflight")
    assert (run / "scil-summary.json").read_bytes() == before


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (["--eval", "review"], "--eval"),
        (["--skill", "demo:code-review"], "--skill"),
        (["--engine", "simulated"], "--engine"),
        (["--seed", "0"], "--seed"),
        (["--gate", "0.9"], "--gate"),
        (["--runs-per-query", "3"], "--runs-per-query"),
        (["--timeout", "5"], "--timeout"),
        (["--fresh"], "--fresh"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_flags_that_the_run_has_settled_are_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], flag: str
) -> None:
    run = stopped(project, capsys)
    before = (run / "trials.jsonl").read_bytes()
    assert main(["scil", "run", "--resume", run.name, *words]) == 2
    assert f"{flag} cannot be given with --resume" in capsys.readouterr().err
    assert (run / "trials.jsonl").read_bytes() == before


def test_a_target_beside_resume_is_wrong_usage(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    assert main(["measure", "demo:code-review", "--resume", run.name]) == 2
    assert "cannot be given with --resume" in capsys.readouterr().err
    assert main(["scil", "run", "--accept-changes"]) == 2
    assert main(["scil", "run", "--resume", run.name, "--max-trials", "-1"]) == 2
    assert main(["scil", "run", "--resume", run.name, "--concurrency", "0"]) == 2


def test_what_cannot_be_resumed_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = stopped(project, capsys)
    empty = project / "output/20200101T000000"
    empty.mkdir()
    for words, said in (
        (["acil", "run", "--resume", run.name], f"scil run --resume {run.name}"),
        (["measure", "--resume", run.name], "is a run of scil"),
        (["scil", "run", "--resume", "20990101T000000"], "there is no run"),
        (["scil", "run", "--resume", empty.name], "it has no run.json"),
    ):
        assert main(words) == 1
        assert said in capsys.readouterr().err
    edit_json(run / "run.json", order=None)
    assert main(["scil", "run", "--resume", run.name]) == 1
    assert "older version" in capsys.readouterr().err
    edit_json(run / "run.json", order={"run_kind": "scil"})
    assert main(["scil", "run", "--resume", run.name]) == 1
    assert "run.json: kind" in capsys.readouterr().err


# --- one at a time -----------------------------------------------------------------------------


def test_a_second_run_on_a_target_stops_before_anything_is_recorded(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stopped(project, capsys)
    target = resolve_target("demo:code-review", TargetKind.SKILL, places_of(project))
    with locked_target(project / "output", target) as lock:
        lock.name_run("20261130T120000")
        for words in (SCIL, ("measure", *SIMULATED), ("scil", "run", "--resume", run.name)):
            assert main([*words]) == 1
            assert f"run 20261130T120000 (process {os.getpid()})" in capsys.readouterr().err
        assert [path for path in (project / "output").iterdir() if path.is_dir()] == [run]
    assert main(["measure", *SIMULATED, "--quiet"]) == 0
    assert list((project / "output").glob(".*")) == []
