"""Whatever happened to a recorded run, its readers say in one line what and where."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillwalker.cli import main
from skillwalker.datatypes.comparison import Which
from skillwalker.errors import StoreError
from skillwalker.evaluation.rescoring import rescore_run
from skillwalker.paths import Places
from skillwalker.recording import records, summary_records
from skillwalker.recording.best import mark_applied, read_best
from skillwalker.recording.changes import NEVER_POOLED, find_changes, moved_facts, stale_cases
from skillwalker.recording.frozen import read_frozen
from skillwalker.recording.recorded import read_recorded
from skillwalker.recording.rows import read_row, read_rows
from skillwalker.recording.store import RunStore
from skillwalker.recording.warm_search import find_warm
from skillwalker.statistics.compared_run import read_compared
from tests.bench import make_bench_project, places_of
from tests.damage import surprises


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    project = make_bench_project(tmp_path_factory.mktemp("damaged"))
    asked = ["--engine", "simulated", "--max-iterations", "2", "--no-gate", "--no-html", "--quiet"]
    assert main(["-C", str(project), "scil", "run", *asked]) == 0
    return places_of(project)


@pytest.fixture(scope="module")
def folder(places: Places) -> Path:
    (run,) = places.output_dir.iterdir()
    return run


def record_of(path: Path) -> dict[str, object]:
    """The record in a file, or its first."""
    return next(read_rows(path)) if path.suffix == ".jsonl" else read_row(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("trials.jsonl", records.read_trial),
        ("improver.jsonl", lambda row: records.read_answers((row,))),
        ("scil-summary.json", summary_records.read_summary),
    ],
    ids=["a trial", "a proposal", "the summary"],
)
def test_a_damaged_record_is_read_or_refused(
    folder: Path, name: str, read: Callable[[Any], object]
) -> None:
    assert surprises(record_of(folder / name), read) == []


def test_a_damaged_plan_is_gone_on_with_or_refused(folder: Path, tmp_path: Path) -> None:
    plan = json.loads((folder / "run.json").read_text())
    plan["metrics"] = [{"name": "lines", "version": 1, "fingerprint": "f"}]
    plan["siblings"] = [{"kind": "skill", "target": "demo:other", "sha256": "0"}]

    def go_on(broken: object) -> None:
        (tmp_path / "run.json").write_text(json.dumps(broken))
        record, _ = read_frozen(tmp_path)
        tuple(find_changes(record, plan))
        stale_cases(record, plan)
        if record["facts"] is not None:
            tuple(moved_facts(record["facts"], plan["facts"], NEVER_POOLED))
        assert record["listing_mode"] in {"real", "roomy"}

    assert surprises(plan, go_on) == []


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("scil-iteration.jsonl", read_recorded),
        ("scil-iteration.jsonl", lambda run: RunStore(run).write_iterations("scil", ())),
    ],
    ids=["iterations", "iterations that are gone on with"],
)
def test_a_damaged_file_is_read_or_refused(
    folder: Path, tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    for path in folder.glob("*.json*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for path in (tmp_path / "trials.jsonl", tmp_path / "improver.jsonl"):
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    row = record_of(folder / name)

    def read_file(broken: object) -> None:
        (tmp_path / name).write_text(f"{json.dumps(broken)}\n")
        read(tmp_path)

    assert surprises(row, read_file) == []


def test_a_damaged_summary_gives_no_best_text(folder: Path, tmp_path: Path) -> None:
    keys = ("schema_version", "kind", "best_description", "gate", "improved", "target_sha256")
    whole = read_row(folder / "scil-summary.json")

    def read(broken: dict[str, object]) -> None:
        rest = {key: value for key, value in whole.items() if key not in keys}
        (tmp_path / "scil-summary.json").write_text(json.dumps(rest | broken))
        read_best(tmp_path)
        mark_applied(tmp_path, applied=True)

    assert surprises({key: whole[key] for key in keys}, read) == []


def test_a_plan_that_cannot_be_scored_again_says_where(places: Places, folder: Path) -> None:
    whole = (folder / "run.json").read_bytes()
    trials = (folder / "trials.jsonl").read_bytes()
    (folder / "trials.jsonl").write_bytes(trials.splitlines(keepends=True)[0])

    def score(broken: object) -> None:
        (folder / "run.json").write_text(json.dumps(broken))
        rescore_run(places, folder.name)

    plan = json.loads(whole)
    plan = {key: plan[key] for key in ("target", "cases")} | {
        "order": {"kind": plan["order"]["kind"]},
        "settings": {"max_turns": plan["settings"]["max_turns"]},
        "siblings": [{"kind": "skill", "target": plan["target"]}],
    }
    try:
        score(plan)
        assert surprises(plan, score) == []
        with pytest.raises(StoreError, match=r"run\.json: order\.kind: Input should be"):
            score(plan | {"order": {"kind": "x"}})
    finally:
        (folder / "run.json").write_bytes(whole)
        (folder / "trials.jsonl").write_bytes(trials)


def test_a_damaged_trial_of_another_run_is_nobodys_source(places: Places, folder: Path) -> None:
    plan = json.loads((folder / "run.json").read_text())
    own = plan | {"run_id": f"{plan['run_id']}-2"}
    trials = (folder / "trials.jsonl").read_bytes()
    row = record_of(folder / "trials.jsonl")

    def search(broken: object) -> None:
        (folder / "trials.jsonl").write_text(f"{json.dumps(broken)}\n")
        find_warm(places.output_dir, own)

    try:
        assert len(find_warm(places.output_dir, own)) > 0
        assert surprises(row, search) == []
    finally:
        (folder / "trials.jsonl").write_bytes(trials)


def test_a_damaged_line_is_named_with_its_number(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "improver.jsonl").write_text(
        json.dumps(record_of(folder / "improver.jsonl") | {"usage": None}) + "\n"
    )
    with pytest.raises(StoreError) as caught:
        RunStore(tmp_path)
    assert str(caught.value).startswith("improver.jsonl, line 1: usage: Input")


def test_a_damaged_run_is_compared_or_refused(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / folder.name
    run.mkdir()
    for name in ("run.json", "scil-summary.json"):
        (run / name).write_bytes((folder / name).read_bytes())
    lines = (folder / "trials.jsonl").read_bytes().splitlines(keepends=True)
    (run / "trials.jsonl").write_bytes(b"".join(lines[-2:]))
    plan = read_row(run / "run.json")
    needed = ("schema_version", "kind", "target", "suite", "facts", "listing_mode", "cases")
    plan = {key: plan[key] for key in needed if key in plan} | {
        "accepted_changes": ["the suite"],
        "settings": {"max_turns": 4},
        "original_description": "one",
    }

    def compare(broken: object) -> None:
        (run / "run.json").write_text(json.dumps(broken))
        read_compared(run, Which.BEST)

    compare(plan)
    assert surprises(plan, compare) == []
