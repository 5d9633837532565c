"""Which runs are worth going on with, and what is said of them."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker import StoreError, run_scil_loop
from skillwalker.cli.endings import Wishes, exit_code
from skillwalker.datatypes.against import Against
from skillwalker.datatypes.summary import Event, RunStarted, Summary
from skillwalker.datatypes.vocabulary import StopReason, TargetKind, Verdict
from skillwalker.ending import FINISHED
from skillwalker.recording.lock import locked_target
from skillwalker.recording.summary_records import read_summary, summary_record
from skillwalker.report.next_step import ENDED_EARLY, next_command
from skillwalker.targets.names import resolve_target
from tests.bench import make_bench_project, places_of


def run_in(project: Path, listener: list[Event]) -> Summary:
    def listen(event: Event) -> None:
        listener.append(event)
        if isinstance(event, RunStarted):
            target = resolve_target("demo:code-review", TargetKind.SKILL, places_of(project))
            (run,) = (project / "output").glob("2*")
            with (
                pytest.raises(StoreError, match=rf"run {run.name} \(process "),
                locked_target(project / "output", target),
            ):
                pytest.fail("a second run begins beside the first")

    async def work() -> Summary:
        return await run_scil_loop(
            engine="simulated",
            tests_dir=project,
            output_dir=project / "output",
            max_iterations=1,
            listener=listen,
        )

    return anyio.run(work)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    events: list[Event] = []
    summary = run_in(make_bench_project(tmp_path_factory.mktemp("kept")), events)
    assert any(isinstance(event, RunStarted) for event in events)
    return summary


@pytest.mark.parametrize(
    ("reason", "iterations", "cause", "resumed"),
    [
        *((reason, 1, None, True) for reason in sorted(ENDED_EARLY)),
        *((reason, 1, None, False) for reason in sorted(FINISHED)),
        (StopReason.PREFLIGHT, 0, "no CLI", False),
        (StopReason.PREFLIGHT, 1, "the daemon went away", True),
        (StopReason.IMPROVER, 1, "no answer", True),
        (StopReason.IMPROVER, 1, None, False),
    ],
)
def test_a_run_with_work_left_names_its_resumption(
    kept: Summary, reason: StopReason, iterations: int, cause: str | None, resumed: bool
) -> None:
    ended = replace(kept, stopped_because=reason, iterations=iterations, cause=cause)
    said = next_command(ended, quiet=False) or ""
    assert (f"scil run --resume {kept.run_id}" in said) is resumed
    assert ("--max-trials" in said) is (reason is StopReason.BUDGET)


def test_every_reason_to_stop_is_thought_of() -> None:
    assert ENDED_EARLY | FINISHED | {StopReason.PREFLIGHT, StopReason.IMPROVER} == set(StopReason)


def test_a_recorded_summary_reads_back(kept: Summary) -> None:
    row = summary_record(kept)
    assert summary_record(read_summary(row)) == row
    with pytest.raises(StoreError, match="the summary: verdict"):
        read_summary(row | {"verdict": "splendid"})
    with pytest.raises(StoreError, match="schema_version 9"):
        read_summary(row | {"schema_version": 9})


HELD = Against(
    run_id="20261129T120000",
    change=-0.2,
    interval=(-0.3, -0.1),
    p_better=0.01,
    recall_change=-0.4,
    specificity_change=0.0,
    dropped_points=20.0,
    threshold=10.0,
    dropped=True,
    flipped=(),
    differences=(),
    not_comparable=(),
)
JUDGED = Wishes(as_json=False, quiet=False, debug=False, fail_on_drop=10.0)


@pytest.mark.parametrize(
    ("found", "held", "code"),
    [
        (HELD, True, 4),
        (replace(HELD, change=-0.05), True, 0),
        (replace(HELD, dropped=None), True, 3),
        (replace(HELD, change=None, p_better=None, dropped=None), True, 3),
        (None, True, 3),
        (None, False, 0),
    ],
    ids=["fell", "held up", "cut off", "nothing shared", "not compared", "the first run of all"],
)
def test_a_drop_that_nobody_could_tell_is_no_pass(
    kept: Summary, found: Against | None, held: bool, code: int
) -> None:
    assert exit_code(replace(kept, against=found), JUDGED, held=held) == code
    assert exit_code(replace(kept, against=found), replace(JUDGED, fail_on_drop=None)) == 0


def test_other_gates_hold_beside_that_of_a_drop(kept: Summary) -> None:
    better = replace(kept, verdict=Verdict.IMPROVED, against=replace(HELD, change=0.1))
    assert exit_code(better, replace(JUDGED, require_improvement=True)) == 0
    assert exit_code(kept, replace(JUDGED, require_improvement=True), held=False) == 4
    assert exit_code(replace(kept, rate_in_file=None), replace(JUDGED, fail_under=0.0)) == 3
    stopped = replace(kept, verdict=Verdict.INCONCLUSIVE, against=HELD)
    assert exit_code(stopped, JUDGED) == 3
    interrupted = replace(stopped, stopped_because=StopReason.INTERRUPTED)
    assert exit_code(interrupted, JUDGED) == 130
