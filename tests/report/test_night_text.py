"""What is told of a night in the terminal and in Markdown."""

from io import StringIO

import pytest
from rich.console import Console

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.nights import (
    BrokenSuite,
    NightAction,
    NightSummary,
    Revert,
    Stage,
    StageResult,
)
from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.report.ci.night import night_markdown
from skillwalker.report.night_text import night_lines, night_table, stage_line
from tests.overnight.test_summary import night, target

LOW, HIGH = (Rate(k=k, n=10, rate=k / 10, low=0.1, high=0.99) for k in (4, 9))
ENTRY = CatalogueEntry(path="p", suite="s", kind=TargetKind.SKILL, target="demo:x")
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
        (
            stage(Stage.TUNE, best=HIGH, stopped_because="budget"),
            "left, the limit budget came at 40 %, 7 trials, $0.50",
        ),
        (
            stage(Stage.TUNE, best=HIGH, improved=True, applied=True, stopped_because="deadline"),
            "improved, 40 % → 90 %, written, 7 trials, $0.50",
        ),
    ],
)
def test_each_run_is_a_line(result: StageResult, line: str) -> None:
    assert stage_line(ENTRY, result) == f"demo:x (suite s): {line}"


def test_the_end_names_counts_faults_and_what_may_be_done() -> None:
    whole = night(
        target("a", **FOUND),  # type: ignore[arg-type]  # a row of a test
        target("b", NightAction.FAILED, reason="it is gone"),
        *(target(f"c{n}", NightAction.FRESH, reason="good enough") for n in range(7)),
        target("d", revert=Revert(run_id="20261129T120000", p_better=0.97)),
        target("e", NightAction.LEFT, reason="the limit budget ended the night before"),
        broken=(BrokenSuite(suite="x", reason="no JSON"),),
        stopped_because="budget",
    )
    lines = list(night_lines(whole, folder="output/n"))
    assert lines[0] == "night 20261130T220000: 1 improved, 1 kept, 7 fresh, 1 failed, 1 left"
    assert "stopped by budget" in lines
    assert "left: demo:e (suite s): the limit budget ended the night before" in lines
    (fresh,) = (line for line in lines if line.startswith("fresh: demo:c0 (suite s), demo:c1"))
    assert fresh.endswith("demo:c4 (suite s) and 2 more: good enough")
    assert "failed: demo:b (suite s): it is gone" in lines
    assert "broken: suite x: no JSON" in lines
    assert "demo:a (suite s): write it with: skillwalker apply 20261130T120001" in lines
    assert any(line.endswith("take it back: skillwalker undo 20261129T120000") for line in lines)
    assert lines[-1] == "go on with: skillwalker overnight --resume 20261130T220000"
    merged = list(night_lines(whole, folder="output/n", is_merged=True))
    assert any("overnight --merge … --apply" in line for line in merged)
    assert not any("--resume" in line for line in merged)


@pytest.mark.parametrize(
    ("limit", "refused", "more"),
    [
        (None, None, ""),
        ("--max-trials", None, " --max-trials N   (N: more than 20)"),
        ("--max-cost-usd", 0.041, " --max-cost-usd N   (N: 1.05 for one more call)"),
        ("--max-cost-usd", None, " --max-cost-usd N   (N: more than 1.00)"),
        ("--deadline", None, "   (with another --deadline, or none)"),
    ],
)
def test_a_night_with_work_left_names_what_lets_it_go_on(
    limit: str | None, refused: float | None, more: str
) -> None:
    whole = night(
        target("a"),
        target("b", NightAction.LEFT),
        stopped_because="budget",
        limit=limit,
        refused_usd=refused,
    )
    lines = list(night_lines(whole, folder="output/n", wished=" --apply"))
    command = "go on with: skillwalker overnight --resume 20261130T220000 --apply"
    assert lines[-1] == command + more


def test_nobody_is_billed_by_a_stand_in() -> None:
    whole = night(target("a"), engine="local", simulated=True)
    lines = list(night_lines(whole, folder="n"))
    assert "10 trials, nobody is billed: a stand-in answered; recorded in n" in lines
    assert len(night_table(whole, width=80).columns) == 5
    assert "0.50" not in night_markdown(whole, folder="n")
    assert stage_line(ENTRY, stage(Stage.MEASURE), is_billed=False).endswith("7 trials")


def printed(summary: NightSummary, width: int) -> list[str]:
    console = Console(width=width, file=StringIO(), highlight=False)
    with console.capture() as capture:
        console.print(night_table(summary, width=width))
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [72, 80, 120])
def test_a_name_in_the_table_is_broken_between_its_parts_only(width: int) -> None:
    name = "document-processing:quarterly-report-summarizer"
    rows = (
        target("a", target=name, suite="quarterly-reports", action=NightAction.INCONCLUSIVE),
        target("b", **FOUND),  # type: ignore[arg-type]  # a row of a test
    )
    lines = printed(night(*rows), width)
    assert all(len(line) <= width for line in lines)
    words = {word for line in lines for word in line.split()}
    assert {"inconclusive", "before", "after", "trials", "10"} <= words
    whole = f"{name} (suite quarterly-reports)"
    parts = [word for word in words if word in whole and len(word) > 2]
    assert sum(map(len, parts)) == len(whole) - whole.count(" ")
    assert {part[-1] for part in parts} <= {":", "-", "e", "r", ")"}


@pytest.mark.parametrize(
    ("name", "suite", "lines"),
    [
        ("e:gap-analyzer", "gap-analyzer", ["e:gap-analyzer", "(suite gap-analyzer)"]),
        ("an-agent:of-many", "s-1", ["an-agent:of-many", "(suite s-1)"]),
        ("an-agent:of-many-words", "s", ["an-agent:", "of-many-words", "(suite s)"]),
        ("e:" + "word-" * 5, "s", ["e:word-word-word-", "word-word- (suite s)"]),
    ],
    ids=["behind the target", "a short suite", "at the colon", "at hyphens at last"],
)
def test_a_name_is_broken_within_a_part_only_where_that_fits_on_no_line(
    name: str, suite: str, lines: list[str]
) -> None:
    table = night_table(night(target("a", target=name, suite=suite)), width=58)
    assert str(next(iter(table.columns[0].cells))).split("\n") == lines


def test_the_table_has_what_changed_first_and_leaves_out_what_is_fresh() -> None:
    fresh = target("b", NightAction.FRESH, trials=0)
    cut = target("d", NightAction.LEFT)
    rows = (target("a"), fresh, cut, target("c", **FOUND))  # type: ignore[arg-type]  # rows of a test
    table = night_table(night(*rows), width=80)
    assert [str(cell) for cell in table.columns[0].cells] == [
        "demo:c (suite s)",
        "demo:a (suite s)",
        "demo:d (suite s)",
    ]
    assert list(table.columns[1].cells) == ["improved to 90 %, not written", "kept", "left"]


@pytest.mark.parametrize(
    ("reason", "force"),
    [
        ("a.md changed since it was read; nothing was written", " --force"),
        ("a.md is read-only; nothing was written; 'chmod u+w' allows it", ""),
    ],
)
def test_what_could_not_be_written_is_named_with_what_writes_it(reason: str, force: str) -> None:
    found = {**FOUND, "action": NightAction.FAILED, "reason": reason}
    rows = (target("a", **found), target("b", NightAction.FAILED, reason="it is gone"))  # type: ignore[arg-type]  # a row of a test
    lines = list(night_lines(night(*rows, simulated=True), folder="n"))
    command = f"skillwalker apply 20261130T120001 --allow-simulated{force}"
    assert f"demo:a (suite s): write it with: {command}" in lines
    assert sum("write it with" in line for line in lines) == 1
    merged = night_lines(night(*rows), folder="n", is_merged=True)
    assert not any("write it with" in line for line in merged)


def test_a_night_of_nothing_but_fresh_targets_has_no_table() -> None:
    idle = night(target("a", NightAction.FRESH, reason="good enough", trials=0))
    text = night_markdown(idle, folder="n")
    assert "| target |" not in text
    assert "\n\n\n" not in text
    assert "- fresh: demo:a (suite s): good enough" in text


def test_markdown_is_harmless_and_says_what_was_simulated() -> None:
    hostile = target("a", target="demo:<img>|@x", **FOUND)  # type: ignore[arg-type]  # a row of a test
    text = night_markdown(night(hostile, simulated=True), folder="n")
    assert "<img>" not in text
    assert "@x" not in text
    assert text.count("SIMULATED") == 2
    assert "    Use it <b>for</b> @everybody\n" in text  # in a block of code, where it is text
    row = next(line for line in text.splitlines() if line.startswith("| demo:"))
    assert row.replace("\\|", "").count("|") == 7
