"""What a run says in a log and on a terminal, from real events of the loop."""

import io
from pathlib import Path

import anyio
import pytest
from rich.console import Console

from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.datatypes.scores import GateResult
from skillwalker.datatypes.summary import Summary
from skillwalker.engines.simulated import SimulatedEngine
from skillwalker.loop import improve
from skillwalker.preflight import check_instrument
from skillwalker.report.console import PLAIN_WIDTH, Reporter
from skillwalker.report.tables import case_table, change_table
from skillwalker.search.gate import not_confirmed
from skillwalker.verdict import summarise
from tests.bench import Bench, make_bench_project, plan_of
from tests.measured import result


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def told(stream: io.StringIO, folder: Path, *, quiet: bool = False) -> tuple[str, Summary]:
    """Run the loop on the simulated engine and give all that was written."""
    plan = plan_of(make_bench_project(folder))
    bench = Bench(workdir=folder / "work")
    reporter = Reporter(stream, quiet=quiet)
    engine = SimulatedEngine(seed=0)
    tools = bench.tools(
        engine=engine,
        completer=SimulatedCompleter(),
        preflight=check_instrument,
        listener=reporter,
    )
    measured = anyio.run(improve, plan, tools)
    reporter.close()
    summary = summarise(plan, measured, run_id="20261130T120000", facts=engine.facts)
    reporter.final(summary, folder="output/20261130T120000", next_command="skillwalker undo")
    return stream.getvalue(), summary


def test_a_log_is_plain_lines_with_every_step(tmp_path: Path) -> None:
    text, summary = told(io.StringIO(), tmp_path)
    assert "\x1b" not in text
    for words in (
        "SIMULATED",
        "demo:code-review: suite review, 12 cases (6 should trigger, 6 should not; 0 held out)",
        "iteration 1 (explore): train",
        "proposed:",
        "round 1:",
        "(original",
        "balanced accuracy",
        "Changes in points",
        "recorded in output/20261130T120000",
        "next: skillwalker undo",
    ):
        assert words in text
    assert f"{summary.usage[0][1].calls} trial" in text


def test_quiet_leaves_the_result(tmp_path: Path) -> None:
    text, _ = told(io.StringIO(), tmp_path, quiet=True)
    assert "proposed:" not in text
    assert "round 1:" not in text
    assert "balanced accuracy" in text
    assert "recorded in" in text


def test_a_terminal_gets_a_live_bar_and_the_same_result(tmp_path: Path) -> None:
    text, _ = told(Terminal(), tmp_path)
    assert "\x1b[" in text
    assert "recorded in output/20261130T120000" in text


@pytest.mark.parametrize("columns", [40, 80])
def test_nothing_is_lost_on_a_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text, summary = told(Terminal(), tmp_path)
    last_word = summary.best_description.split()[-1]
    assert last_word in text


WIDE = (-1.0, 1.0)
GATE = GateResult(
    p_better=0.5,
    threshold=0.9,
    passed=False,
    change=-1.0,
    interval=WIDE,
    recall_change=-1.0,
    specificity_change=1.0,
    recall_interval=WIDE,
    specificity_interval=None,
    rounds=2,
    reason="",
)


def test_the_changes_of_both_classes_stand_with_their_intervals_in_80_columns() -> None:
    table = change_table(GATE)
    assert table is not None
    stream = io.StringIO()
    Console(file=stream, width=PLAIN_WIDTH).print(table)
    rows = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert rows == [
        "Changes in points (2 confirm rounds)",
        "change 90 % interval",
        "recall -100 -100 to +100",
        "specificity +100 —",
        "balanced accuracy -100 -100 to +100",
    ]
    assert change_table(not_confirmed(0.9)) is None


def test_the_confirm_rounds_of_a_case_stand_apart_from_the_search() -> None:
    case = result("a", "tn").case
    pairs = [(result("a", "nn"), result("a", "tn"))]
    shown = case_table(pairs, same=False, confirms={(case.name, case.model): "0/1 → 1/1"})
    names = [str(column.header) for column in shown.columns]
    assert names == ["case", "should", "original", "best", "90 % of best", "confirmed"]
    assert list(shown.columns[-1].cells) == ["0/1 → 1/1"]
    assert "runs of the search" in str(shown.title)
    alone = case_table(pairs, same=True)
    assert "(runs that triggered)" in str(alone.title)
    assert [str(column.header) for column in alone.columns][-1] == "90 %"
