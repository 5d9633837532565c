"""A run of the real loop, read back: what a report is made of is what was measured."""

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.errors import StoreError
from skillwalker.recording.glances import glance_at_runs
from skillwalker.recording.recorded import read_recorded, read_trial_dialogue
from skillwalker.report.tallies import confirmed, rates_of_tallies, result_of
from tests.bench import call_cases, make_bench_project


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = make_bench_project(tmp_path_factory.mktemp("recorded"))
    asked = ["--engine", "simulated", "--holdout", "0.5", "--runs-per-query", "3", "--no-html"]
    assert main(["-C", str(project), "scil", "run", *asked, "--quiet", "--json"]) == 0
    (run,) = (project / "output").iterdir()
    return run


def test_the_rates_of_the_summary_follow_from_what_is_read(folder: Path) -> None:
    run = read_recorded(folder)
    assert run.original is not None
    assert run.best is not None
    assert run.summary.measured_on == "confirm"
    assert rates_of_tallies(result_of(run, run.original)) == run.summary.original
    assert rates_of_tallies(result_of(run, run.best)) == run.summary.best


@pytest.mark.parametrize("holdout", ["0", "0.5"])
def test_rates_on_several_models_and_near_duplicates_follow_too(
    tmp_path: Path, holdout: str
) -> None:
    cases = call_cases()
    twice = [{**case, "name": f"{case['name']} again"} for case in cases[:3]]
    project = make_bench_project(tmp_path, cases=[*cases, *twice])
    models = ["--trial-model", "sonnet", "--trial-model", "haiku", "--holdout", holdout]
    asked = ["--engine", "simulated", *models, "--no-html", "--quiet", "--json"]
    assert main(["-C", str(project), "scil", "run", *asked]) == 0
    (folder,) = (project / "output").iterdir()
    run = read_recorded(folder)
    assert run.original is not None
    assert run.best is not None
    assert rates_of_tallies(result_of(run, run.original)) == run.summary.original
    assert rates_of_tallies(result_of(run, run.best)) == run.summary.best
    assert {case.group for one in run.iterations for case in one.cases} == {
        case.group for case in run.cases
    }
    assert None not in {case.group for case in run.cases}


def test_everything_that_was_recorded_is_there(folder: Path) -> None:
    run = read_recorded(folder)
    assert len(run.trials) == run.summary.trials
    assert [one.number for one in run.iterations] == list(range(1, run.summary.iterations + 1))
    assert {case.name for case in run.cases} == {one.case for one in run.iterations[0].cases}
    assert {one.set for one in run.cases} == {"train", "holdout"}
    assert len(run.answers) == run.summary.iterations - 1
    assert run.max_turns == 4
    assert run.original is not None
    assert {one.case for one in confirmed(run, run.original)} == {case.name for case in run.cases}


def test_a_transcript_is_read_from_the_runs_own_folder_alone(folder: Path) -> None:
    trial = read_recorded(folder).trials[0]
    assert read_trial_dialogue(folder, trial) is None  # a simulated one has none
    kept = folder / "transcripts"
    kept.mkdir(exist_ok=True)
    line = {"type": "assistant", "message": {"content": [{"type": "text", "text": "hello"}]}}
    (kept / "a.jsonl.gz").write_bytes(gzip.compress(json.dumps(line).encode() + b"\n"))
    (folder.parent / "b.jsonl.gz").write_bytes((kept / "a.jsonl.gz").read_bytes())
    dialogue = read_trial_dialogue(folder, replace(trial, transcript="transcripts/a.jsonl.gz"))
    assert dialogue is not None
    assert [one.text for one in dialogue] == ["hello"]
    with pytest.raises(StoreError, match="lies outside"):
        read_trial_dialogue(folder, replace(trial, transcript="../b.jsonl.gz"))
    with pytest.raises(StoreError, match="cannot read the transcript"):
        read_trial_dialogue(folder, replace(trial, transcript="transcripts/gone.jsonl.gz"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("scil-summary.json", "{}", "schema_version None"),
        ("run.json", '{"cases": [{"case": "x"}]}', "0.model"),
        ("scil-iteration.jsonl", '{"schema_version": 1, "iteration": 1}\n', "phase"),
    ],
)
def test_a_broken_file_is_named(
    folder: Path, tmp_path: Path, name: str, content: str, words: str
) -> None:
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(StoreError, match=words):
        read_recorded(tmp_path)


def test_every_run_is_glanced_at_whatever_became_of_it(folder: Path, tmp_path: Path) -> None:
    whole = tmp_path / "20260101T000000"
    unended = tmp_path / "20260102T000000"
    broken = tmp_path / "20260103T000000"
    evaluated = tmp_path / "20260104T000000"
    nothing = tmp_path / "20260105T000000"
    for made in (whole, unended, broken, evaluated, nothing):
        made.mkdir()
    for name in ("scil-summary.json", "run.json"):
        (whole / name).write_bytes((folder / name).read_bytes())
    (whole / "report.html").write_text("x", encoding="utf-8")
    (unended / "run.json").write_bytes((folder / "run.json").read_bytes())
    (broken / "scil-summary.json").write_text("[]", encoding="utf-8")
    counts = {
        "schema_version": 1,
        "suites": ["a"],
        "passed": 2,
        "failures": 1,
        "inconclusive": 3,
        "simulated": True,
    }
    (evaluated / "test-run-summary.json").write_text(json.dumps(counts), encoding="utf-8")
    glances = {one.run_id: one for one in glance_at_runs(tmp_path)}
    assert len(glances) == 5
    assert glances[whole.name].summary is not None
    assert glances[whole.name].report == "20260101T000000/report.html"
    notes = {
        unended: "it did not end",
        broken: "cannot be read",
        evaluated: "SIMULATED eval run of a: 2 passed, 1 failed, 3 inconclusive",
        nothing: "no measurement",
    }
    for made, words in notes.items():
        assert words in glances[made.name].note
        assert glances[made.name].summary is None


def test_a_night_is_glanced_at_as_a_night(tmp_path: Path) -> None:
    ended, begun = tmp_path / "20260101T000000", tmp_path / "20260102T000000"
    for made in (ended, begun):
        made.mkdir()
    row = {"schema_version": 1, "simulated": True, "counts": {"improved": 2, "kept": 0, "left": 1}}
    (ended / "overnight-summary.json").write_text(json.dumps(row), encoding="utf-8")
    (ended / "overnight-report.md").write_text("x", encoding="utf-8")
    (begun / "night.jsonl").write_text("", encoding="utf-8")
    newest, oldest = glance_at_runs(tmp_path)
    assert newest.note == "a night: it did not end"
    assert oldest.note == "SIMULATED night: 2 improved, 1 left"
    assert oldest.report == "20260101T000000/overnight-report.md"


def test_a_gate_that_was_recorded_without_the_intervals_of_classes_is_read(
    folder: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / folder.name))
    path = copy / "scil-summary.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    whole = read_recorded(folder).summary.gate
    assert whole is not None
    assert whole.recall_interval is not None
    for key in ("recall_interval", "specificity_interval"):
        del record["gate"][key]
    path.write_text(json.dumps(record), encoding="utf-8")
    old = read_recorded(copy).summary.gate
    assert old == replace(whole, recall_interval=None, specificity_interval=None)
