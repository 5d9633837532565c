from dataclasses import replace

import pytest

from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.vocabulary import TargetKind, Verdict
from skillwalker.report.overview_text import overview_next, overview_table, told_verdict
from tests.recorded_runs import AGAINST, plain_run

SUMMARY = replace(plain_run().summary, kind="measure", verdict=Verdict.KEPT, applied=False)


def at(rate: float | None) -> Rate:
    return Rate(k=1, n=2, rate=rate, low=None if rate is None else 0.25, high=0.75)


def test_targets_stand_weakest_first_and_those_not_measured_last() -> None:
    shares = {"a": 0.8, "b": None, "c": 0.4, "d": 0.0}
    summaries = [
        replace(SUMMARY, target=name, rate_in_file=at(share)) for name, share in shares.items()
    ]
    names, balanced, intervals, verdicts, runs = (
        list(column.cells) for column in overview_table(summaries).columns
    )
    assert names == ["d", "c", "a", "b"]
    assert balanced == ["0 %", "40 %", "80 %", "—"]
    assert intervals == ["25–75 %", "25–75 %", "25–75 %", "—"]
    assert set(verdicts) == {"measured"}
    assert set(runs) == {SUMMARY.run_id}
    (line,) = overview_next(summaries, project=None)
    assert line == "next: scil run --eval review --skill d   (the weakest)"


def test_the_weakest_has_a_command_that_can_be_copied() -> None:
    agent = replace(
        SUMMARY,
        target="demo:an agent",
        target_kind=TargetKind.AGENT,
        suite="of two",
        engine="simulated",
        rate_in_file=at(0.1),
    )
    (line,) = overview_next([agent], project="my project")
    command = "acil -C 'my project' run --eval 'of two' --agent 'demo:an agent' --engine simulated"
    assert line == f"next: {command}   (the weakest)"
    searched = replace(agent, kind="acil")
    (line,) = overview_next([searched], project="p")
    assert line == "next: skillwalker -C p report --all   (all runs on one page)"


@pytest.mark.parametrize(
    ("dropped", "told"),
    [(True, "measured, dropped"), (False, "measured"), (None, "measured")],
)
def test_a_measurement_that_dropped_says_so(dropped: bool | None, told: str) -> None:
    assert told_verdict(replace(SUMMARY, against=replace(AGAINST, dropped=dropped))) == told
