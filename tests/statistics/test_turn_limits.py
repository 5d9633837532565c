"""What was measured within different turn limits is never counted together."""

import json
from pathlib import Path

from skillwalker.datatypes.statistics import Statistics
from skillwalker.datatypes.vocabulary import CaseSet, Verdict
from skillwalker.report.statistics_text import statistics_lines
from skillwalker.statistics.figures import make_figures
from skillwalker.statistics.reading import RunFilter, read_history
from tests.histories import NEW, Past, gate, trials, write_all

LOST = {"p1": "n", "p2": "n", "n1": "n", "n2": "n"}
FOUND = LOST | {"p1": "t", "p2": "t"}


def figures(output: Path, *pasts: Past) -> Statistics:
    write_all(output, pasts)
    return make_figures(read_history(output, RunFilter()))


def test_a_target_has_a_row_of_rates_for_each_limit(tmp_path: Path) -> None:
    found = figures(
        tmp_path,
        Past(run_id="20260101T080000", max_turns=1, trials=trials(LOST)),
        Past(run_id="20260102T080000", max_turns=8, trials=trials(FOUND)),
        Past(run_id="20260103T080000", max_turns=8, trials=trials(FOUND)),
    )
    recalls = {row.setting.max_turns: row.rates.recall for row in found.rates}
    assert {limit: (recall.k, recall.n) for limit, recall in recalls.items()} == {
        1: (0, 2),
        8: (4, 4),
    }
    assert [(row.setting.max_turns, row.triggered) for row in found.outcomes] == [(1, 0), (8, 4)]
    text = "\n".join(statistics_lines(found, folder="output"))
    assert (
        "https://api.anthropic.com, within 1 turn, CLI 2.1.332\n    all          recall 0 %" in text
    )
    assert "within 8 turns, CLI 2.1.332\n    all          recall 100 % (4/4)" in text


def applied(run_id: str, max_turns: int, before: dict[str, str]) -> Past:
    after = trials(FOUND, text=NEW, side=CaseSet.CONFIRM)
    return Past(
        run_id=run_id,
        kind="scil",
        best=NEW,
        applied=True,
        verdict=Verdict.IMPROVED,
        gate=gate(passed=True),
        max_turns=max_turns,
        trials=(*trials(before, side=CaseSet.CONFIRM), *after),
    )


def test_gains_within_different_limits_have_no_common_mean(tmp_path: Path) -> None:
    found = figures(
        tmp_path,
        applied("20260101T080000", 2, LOST),
        applied("20260102T080000", 4, FOUND),
    )
    means = {mean.setting.max_turns: mean.mean_change for mean in found.search[0].mean_gains}
    assert means == {2: 0.5, 4: 0.0}


def test_a_case_whose_own_limit_was_changed_is_another_case(tmp_path: Path) -> None:
    found = figures(
        tmp_path,
        Past(run_id="20260101T080000", trials=trials(LOST)),
        Past(run_id="20260102T080000", own_turns=(("p1", 9),), trials=trials(FOUND)),
        Past(run_id="20260103T080000", own_turns=(("p1", 9),), trials=trials(FOUND)),
    )
    (row,) = found.rates
    assert row.cases == 5
    assert row.rates.recall.rate is not None
    assert abs(row.rates.recall.rate - (0 + 1 + 2 / 3) / 3) < 1e-9


def test_a_run_that_does_not_say_its_limit_stands_alone(tmp_path: Path) -> None:
    known, old = (Past(run_id=f"2026010{day}T080000", trials=trials(FOUND)) for day in (1, 2))
    write_all(tmp_path, (known, old))
    path = tmp_path / old.run_id / "run.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    del plan["settings"]
    path.write_text(json.dumps(plan), encoding="utf-8")
    found = make_figures(read_history(tmp_path, RunFilter()))
    assert [row.setting.max_turns for row in found.rates] == [None, 4]
    text = "\n".join(statistics_lines(found, folder="output"))
    assert "https://api.anthropic.com, CLI 2.1.332" in text
