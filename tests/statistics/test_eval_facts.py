import json
from pathlib import Path

import pytest

from skillwalker.statistics.eval_facts import read_eval_spent
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.reading import RunFilter, read_history
from skillwalker.statistics.run_facts import count_estimated

RUN = "20260101T080000"
HEAD = {"schema_version": 1, "test_run_id": RUN, "suite": "quality"}


def write_eval(folder: Path, trials: list[dict[str, object]]) -> None:
    folder.mkdir(parents=True)
    test = HEAD | {"test": {"target": "demo:review"}, "engine": "docker"}
    usage = {"trial": {"calls": len(trials), "cost_usd": 0.03}, "judge": {"calls": 2}}
    summary = HEAD | {"engine": "docker", "simulated": False, "usage": usage}
    for name, rows in (("test-config.jsonl", [test]), ("trials.jsonl", trials)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "test-run-summary.json").write_text(json.dumps(summary))


def trial(cost: float | None, *, estimated: bool) -> dict[str, object]:
    return {"cost_usd": cost, "cost_estimated": estimated}


CUT = [trial(0.01, estimated=True), trial(0.01, estimated=False), trial(0.01, estimated=True)]


def test_estimates_of_eval_runs_are_counted_as_those_of_others(tmp_path: Path) -> None:
    write_eval(tmp_path / RUN, CUT)
    spent = {one.purpose: one for one in read_eval_spent(tmp_path / RUN, simulated=False)}
    assert {name: one.estimated_calls for name, one in spent.items()} == {"trial": 2, "judge": 0}
    figures = make_figures(read_history(tmp_path, RunFilter()))
    assert sum(one.estimated_calls for one in figures.costs) == 2


@pytest.mark.parametrize(
    ("row", "number"),
    [
        (trial(0.0, estimated=True), 1),
        (trial(0.01, estimated=False), 0),
        (trial(None, estimated=True), 0),
    ],
    ids=["estimated", "billed", "unknown"],
)
def test_an_estimate_is_a_cost_that_is_known_as_one(row: dict[str, object], number: int) -> None:
    assert count_estimated([row]) == number
