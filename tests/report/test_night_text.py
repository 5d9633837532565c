"""What is told of a night in the terminal and in Markdown."""

import pytest

from skillwalker.catalogue import Entry
from skillwalker.datatypes.nights import BrokenSuite, NightAction, Revert, Stage, StageResult
from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.report.ci.night import night_markdown
from skillwalker.report.night_text import night_lines, night_table, stage_line
from tests.overnight.test_summary import night, target

LOW, HIGH = (Rate(k=k, n=10, rate=k / 10, low=0.1, high=0.99) for k in (4, 9))
ENTRY = Entry(path="p", suite="s", kind=TargetKind.SKILL, target="demo:x")
FOUND = {
    "action": NightAction.IMPROVED,
    "before": LOW,
    "after": LOW,
    "found": HIGH,
    "description": "Use it <b>for</b> @everybody",
    "run_ids": ("20261130T120000", "20261130T120001"),
}


def stage(of: Stage, **values: object) -> StageResult:
    settings = {"stage": of, "run_id": "r", "original": LOW, "trials": 7, "cost_usd": 0.5}
    return StageResult(**{**settings, **values})  # type: ignore[arg-type]  # a row of a test


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (stage(Stage.MEASURE), "measured, balanced accuracy 40 %, 7 trials, $0.50"),
        (stage(Stage.RECHECK), "rechecked, balanced accuracy 40 %, 7 trials, $0.50"),
        (stage(Stage.TUNE, best=HIGH), "kept at 40 %, 7 trials, $0.50"),
        (
            stage(Stage.TUNE, best=HIGH, improved=True),
            "improved, 40 % → 90 %, not written, 7 trials, $0.50",
        ),
        (
            stage(Stage.TUNE, best=HIGH, improved=True, applied=True),
            "improved, 40 % → 90 %, written, 7 trials, $0.50",
        ),
        (stage(Stage.MEASURE, exit_code=1, cause="it is\x1b gone"), "it is� gone"),
        (stage(Stage.MEASURE, exit_code=3, stopped_because="budget"), "stopped by budget"),
    ],
)
def test_each_run_is_a_line(result: StageResult, line: str) -> None:
    assert stage_line(ENTRY, result) == f"demo:x (suite s): {line}"


def test_the_end_names_counts_faults_and_what_may_be_done() -> None:
    whole = night(
        target("a", **FOUND),  # type: ignore[arg-type]  # a row of a test
        target("b", NightAction.FAILED, reason="it is gone"),
        target("c", NightAction.FRESH, reason="not told"),
        target("d", revert=Revert(run_id="20261129T120000", p_better=0.97)),
        target("e", NightAction.LEFT),
        broken=(BrokenSuite(suite="x", reason="no JSON"),),
        stopped_because="budget",
    )
    lines = list(night_lines(whole, folder="output/n"))
    assert lines[0] == "night 20261130T220000: 1 improved, 1 kept, 1 fresh, 1 failed, 1 left"
    assert "stopped by budget" in lines
    assert "failed: demo:b (suite s): it is gone" in lines
    assert "broken: suite x: no JSON" in lines
    assert "demo:a (suite s): write it with: skillwalker apply 20261130T120001" in lines
    assert any(line.endswith("take it back: skillwalker undo 20261129T120000") for line in lines)
    assert lines[-1] == "go on with: skillwalker overnight --resume 20261130T220000"
    assert not any("not told" in line for line in lines)
    merged = list(night_lines(whole, folder="output/n", is_merged=True))
    assert any("overnight --merge … --apply" in line for line in merged)
    assert not any("--resume" in line for line in merged)


def test_the_table_has_what_changed_first_and_leaves_out_what_is_fresh() -> None:
    rows = (target("a"), target("b", NightAction.FRESH), target("c", **FOUND))  # type: ignore[arg-type]  # rows of a test
    table = night_table(night(*rows))
    assert [str(cell) for cell in table.columns[0].cells] == [
        "demo:c (suite s)",
        "demo:a (suite s)",
    ]
    assert list(table.columns[1].cells) == ["improved to 90 %, not written", "kept"]


def test_markdown_is_harmless_and_says_what_was_simulated() -> None:
    hostile = target("a", target="demo:<img>|@x", **FOUND)  # type: ignore[arg-type]  # a row of a test
    text = night_markdown(night(hostile, simulated=True), folder="n")
    assert "<img>" not in text
    assert "@x" not in text
    assert text.count("SIMULATED") == 2
    assert "    Use it <b>for</b> @everybody\n" in text  # in a block of code, where it is text
    row = next(line for line in text.splitlines() if line.startswith("| demo:"))
    assert row.replace("\\|", "").count("|") == 7
