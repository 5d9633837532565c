"""Which earlier run a measurement is held against."""

import json
from pathlib import Path

import pytest

from skillwalker.errors import StoreError
from skillwalker.statistics.last_runs import Alike, find_last_runs, require_alike

WANTED = Alike(
    target_path="plugins/demo/skills/x/SKILL.md",
    suite="x",
    engine="local",
    endpoint="https://api.anthropic.com",
    permission_mode="dontAsk",
    listing_mode="real",
)
FACTS = {
    "name": "local",
    "endpoint": "https://api.anthropic.com",
    "permission_mode": "dontAsk",
    "simulated": False,
}


def record(output: Path, run_id: str, kind: str = "measure", /, **changes: object) -> Path:
    """Write what is looked at of a run."""
    folder = output / run_id
    folder.mkdir(parents=True)
    facts = FACTS | {key: value for key, value in changes.items() if key in FACTS}
    plan = {
        "schema_version": 1,
        "target_path": WANTED.target_path,
        "suite": "x",
        "listing_mode": "real",
        "facts": None if changes.get("engine") == "never opened" else facts,
    }
    plan |= {key: value for key, value in changes.items() if key in plan}
    (folder / "run.json").write_text(json.dumps(plan))
    summary = {"schema_version": 1, "verdict": "kept", "original": {}}
    summary |= {key: value for key, value in changes.items() if key in summary}
    if changes.get("ended", True):
        (folder / f"{kind}-summary.json").write_text(json.dumps(summary))
    return folder


@pytest.mark.parametrize("kind", ["measure", "scil", "acil"])
def test_the_newest_run_of_any_kind_is_found(tmp_path: Path, kind: str) -> None:
    record(tmp_path, "20261130T120000")
    newest = record(tmp_path, "20261130T120000-2", kind)
    assert find_last_runs(tmp_path) == {WANTED: newest}
    require_alike(newest, WANTED)


OTHERS: list[dict[str, object]] = [
    {"target_path": "plugins/demo/skills/y/SKILL.md"},
    {"suite": "y"},
    {"name": "docker"},
    {"endpoint": "http://127.0.0.1:1"},
    {"permission_mode": "default"},
    {"listing_mode": "roomy"},
]
SILENT: list[dict[str, object]] = [
    {"ended": False},
    {"verdict": "inconclusive"},
    {"original": None},
    {"engine": "never opened"},
]


@pytest.mark.parametrize("changes", [*OTHERS, *SILENT], ids=str)
def test_a_newer_run_that_cannot_be_compared_is_passed_over(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    older = record(tmp_path, "20261130T120000")
    newer = record(tmp_path, "20261130T130000", **changes)
    assert find_last_runs(tmp_path)[WANTED] == older
    with pytest.raises(StoreError, match=r"--against 20261130T130000"):
        require_alike(newer, WANTED)


def test_a_run_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    older = record(tmp_path, "20261130T120000")
    (record(tmp_path, "20261130T130000") / "run.json").write_text("{")
    assert find_last_runs(tmp_path) == {WANTED: older}


def test_no_run_at_all_is_no_fault(tmp_path: Path) -> None:
    assert find_last_runs(tmp_path / "output") == {}
