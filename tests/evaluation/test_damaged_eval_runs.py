"""Whatever happened to the record of an eval run, its readers say in one line what and where."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.judging import JudgeCall
from skillwalker.datatypes.trials import OutputFile, OutputFiles, Usage
from skillwalker.evaluation.records import judge_row, output_rows, scaffold_row
from skillwalker.evaluation.store import EvalStore
from skillwalker.paths import Places
from skillwalker.recording.recorded_evals import read_evaluated
from skillwalker.recording.rows import read_row, read_rows
from tests.damage import surprises
from tests.eval_world import ALL_MET, TableEngine, make_eval_project, run_order

CALL = JudgeCall(
    key="k",
    suite="mixed",
    test_name="a",
    rubric_file="review.md",
    run_index=0,
    judge_run=0,
    attempt=0,
    judge="api",
    model_asked="sonnet",
    model="claude-sonnet-4-5",
    prompt="grade it",
    reply="{}",
    fault=None,
    usage=Usage(),
)
Readers = dict[str, Callable[[Path], object]]

READERS: Readers = {
    "test-config.jsonl": lambda folder: EvalStore(folder).read_cases(),
    "test-run.jsonl": lambda folder: EvalStore(folder).read_trials(),
    "test-run-summary.json": read_evaluated,
    "test-results.jsonl": read_evaluated,
    "scaffold-files.jsonl": lambda folder: EvalStore(folder).read_scaffolds(),
    "output-files.jsonl": lambda folder: EvalStore(folder).read_trials(),
    "judge.jsonl": lambda folder: EvalStore(folder).read_judge(),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    places = make_eval_project(tmp_path_factory.mktemp("damaged"))
    run_order(places, TableEngine(ALL_MET))
    (run,) = places.output_dir.iterdir()
    store = EvalStore(run)
    trial = store.read_trials()[0]
    wrote = OutputFile(path="a.py", size=1, text="x")
    output = replace(trial.transcript, output=OutputFiles(files=(wrote,)))
    rows = {
        "output-files.jsonl": next(output_rows(run.name, replace(trial, transcript=output))),
        "scaffold-files.jsonl": scaffold_row(run.name, trial.suite, "api", wrote),
        "judge.jsonl": judge_row(run.name, CALL),
    }
    for name, row in rows.items():
        (run / name).write_text(f"{json.dumps(row)}\n")
    return places


@pytest.fixture(scope="module")
def folder(places: Places) -> Path:
    (run,) = places.output_dir.iterdir()
    return run


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    for path in folder.glob("*.json*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_read_or_refused(folder: Path, copy: Path, name: str) -> None:
    is_row = name.endswith(".jsonl")
    row = list(read_rows(folder / name))[-1] if is_row else read_row(folder / name)

    def read(broken: object) -> None:
        (copy / name).write_text(f"{json.dumps(broken)}\n")
        READERS[name](copy)

    read(row)
    assert surprises(row, read) == []


def test_a_damaged_event_is_no_word_of_a_trial(folder: Path, copy: Path) -> None:
    row = next(read_rows(folder / "test-run.jsonl"))
    name = (str(row["suite"]), str(row["test_name"]), 0)

    def read(broken: object) -> None:
        (copy / "test-run.jsonl").write_text(f"{json.dumps(broken)}\n")
        EvalStore(copy).read_events({name: 0})

    assert surprises(row, read) == []
