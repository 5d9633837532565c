"""Which runs are worth going on with, and what is said of them."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker import StoreError, run_scil_loop
from skillwalker.datatypes.summary import Event, Started, Summary
from skillwalker.datatypes.vocabulary import StopReason, TargetKind
from skillwalker.ending import FINISHED
from skillwalker.recording.lock import locked_target
from skillwalker.recording.records import read_summary, summary_record
from skillwalker.report.next_step import ENDED_EARLY, next_command
from skillwalker.targets.names import resolve_target
from tests.bench import make_bench_project, places_of


def run_in(project: Path, listener: list[Event]) -> Summary:
    def listen(event: Event) -> None:
        listener.append(event)
        if isinstance(event, Started):
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
    assert any(isinstance(event, Started) for event in events)
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
