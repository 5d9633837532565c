"""What is tracked of a text: once, on the record before it counts, and not when a run is to end."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.metrics import TrackedMetric
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import BudgetReached
from skillwalker.limits import Limits
from skillwalker.metrics.registry import meanings
from skillwalker.plan import Plan, prepare
from skillwalker.recording.rows import RowFiles
from skillwalker.recording.tracked import TrackedFile
from skillwalker.targets.names import description_hash
from skillwalker.tracking import Commands, Tracking
from tests.days import Day
from tests.metrics.specs import spec
from tests.projects import call_case, make_project, write_suite

TEXT = "Use when a review of changes is asked for."
BUILT_IN = ["description_chars", "listing_share"]


def make_plan(root: Path, *, version: int = 1) -> Plan:
    """A plan whose suite tracks a metric that notes each of its runs."""
    places = make_project(root / "project")
    cases = [call_case("yes"), call_case("no", False, prompt="write a poem")]
    write_suite(places, "s", {"plugins": ["demo"], "metrics": ["n"], "tests": cases})
    script = root / "count.py"
    script.write_text(f"open({str(root / 'log')!r}, 'a').write('x')\nprint('METRIC n=7')\n")
    command = (sys.executable, "-S", str(script))
    metric = spec("n", "positive", command=command, unit="n", version=version)
    return prepare(
        replace(places, metrics=(metric,)),
        kind=TargetKind.SKILL,
        suite="s",
        target=None,
        config=LoopConfig(),
        run_kind="scil",
    )


def track(
    plan: Plan, root: Path, *texts: str, limits: Limits | None = None
) -> Sequence[tuple[TrackedMetric, ...]]:
    """Track texts as one life of a run does."""
    folder = root / "run"
    folder.mkdir(exist_ok=True)
    (root / "tmp").mkdir(exist_ok=True)
    files = RowFiles(folder)
    commands = Commands(project=root / "project", temporary=root / "tmp")
    tracking = Tracking(plan, commands, book=TrackedFile(files), limits=limits or Limits())

    async def all_texts() -> list[tuple[TrackedMetric, ...]]:
        return [await tracking.of(text) for text in texts]

    try:
        return anyio.run(all_texts)
    finally:
        files.close()


def runs(root: Path) -> int:
    log = root / "log"
    return len(log.read_text()) if log.exists() else 0


def test_a_text_is_measured_once_in_all_lives_of_a_run(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    first = track(plan, tmp_path, TEXT, "another text", TEXT)
    assert runs(tmp_path) == 2
    assert first[0] == first[2] == track(plan, tmp_path, TEXT)[0]
    assert runs(tmp_path) == 2
    assert [metric.name for metric in first[0]] == ["n", *BUILT_IN]
    assert first[0][0].value == 7


def test_what_measures_something_else_is_measured_again(tmp_path: Path) -> None:
    track(make_plan(tmp_path), tmp_path, TEXT)
    track(make_plan(tmp_path, version=2), tmp_path, TEXT)
    assert runs(tmp_path) == 2


@pytest.mark.parametrize("how", ["interrupt", "deadline"])
def test_a_run_that_is_to_end_starts_no_command(tmp_path: Path, how: str) -> None:
    plan, day = make_plan(tmp_path), Day()
    known = track(plan, tmp_path, TEXT)
    limits = Limits(clock=day.clock, deadline=day.time if how == "deadline" else None)
    if how == "interrupt":
        limits.interrupt()
    with pytest.raises(BudgetReached):
        track(plan, tmp_path, "another text", limits=limits)
    assert runs(tmp_path) == 1
    assert track(plan, tmp_path, TEXT, limits=limits) == known


def test_spent_trials_keep_no_command_from_running(tmp_path: Path) -> None:
    track(make_plan(tmp_path), tmp_path, TEXT, limits=Limits(max_trials=0, max_cost_usd=0.0))
    assert runs(tmp_path) == 1


def test_a_torn_line_is_measured_again(tmp_path: Path) -> None:
    plan = make_plan(tmp_path)
    track(plan, tmp_path, TEXT)
    path = tmp_path / "run/metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    track(plan, tmp_path, TEXT)
    assert runs(tmp_path) == 2
    book = TrackedFile(RowFiles(tmp_path / "run"))
    assert book.recorded(description_hash(TEXT), meanings(plan.metrics, plan.declared))
