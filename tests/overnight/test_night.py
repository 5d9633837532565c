"""A night over a small catalogue, with runs that are told how to end."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from skillwalker.catalogue import read_catalogue
from skillwalker.config import LoopConfig
from skillwalker.datatypes.edits import WrittenFile
from skillwalker.datatypes.nights import NightAction, NightTarget
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, TargetKind, Verdict
from skillwalker.errors import BusyError, SkillwalkerError, TargetError
from skillwalker.estimate.guess import make_prior
from skillwalker.fingerprint import target_fingerprint
from skillwalker.limits import Limits
from skillwalker.overnight.journal import NightJournal, NightTask, read_task
from skillwalker.overnight.night import Night, NightTools
from skillwalker.overnight.standing import Claude
from skillwalker.paths import Places
from skillwalker.plan import Order, Plan, prepare
from skillwalker.recording.edits import record_edit, undo_edit
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import merge_entries, read_lock
from skillwalker.recording.store import RunStore
from skillwalker.remembering import entry_key, remembered
from tests.bench import call_cases, make_bench_project, places_of, skill_text, write_cases
from tests.summaries import ended_search, gate, rates

TEMPLATE = Order(
    run_kind="measure",
    kind=TargetKind.SKILL,
    suite=None,
    target=None,
    config=LoopConfig(),
    engine="simulated",
    improver="simulated",
)
BAD, GOOD = rates(0.5), rates(0.95)
End = Callable[[Plan, Order], Summary]


@dataclass(slots=True)
class Runs:
    """Stands for the runs of a night: each ends as it is told, and is remembered as a real one."""

    places: Places
    ends: dict[str, End | SkillwalkerError] = field(default_factory=dict)
    """By suite and kind of run, as `review scil`; what is not told is a bad rate, or kept."""
    ran: list[str] = field(default_factory=list)
    kill_at: int | None = None
    """The run in which the process dies."""

    async def start(
        self, order: Order, earlier: Earlier | None, began: Callable[[str], None]
    ) -> tuple[Summary, Path]:
        """Do a run."""
        name = f"{order.suite} {'duel' if order.challenger else order.run_kind}"
        plan = prepare(
            self.places,
            kind=order.kind,
            suite=order.suite,
            target=order.target,
            config=order.config,
            run_kind=order.run_kind,
        )
        run_id = earlier.folder.name if earlier is not None else f"20261130T{len(self.ran):06}"
        self.ran.append(name)
        began(run_id)
        if self.kill_at == len(self.ran):
            raise KeyboardInterrupt
        end = self.ends.get(name, ended_as(original=BAD))
        if isinstance(end, SkillwalkerError):
            raise end
        summary = replace(end(plan, order), run_id=run_id)
        key = entry_key(plan, simulated=True)
        new = remembered(read_lock(self.places.project).get(key), plan, summary)
        if new is not None:
            merge_entries(self.places.project, lambda _old: {key: new})
        if summary.applied:
            text = skill_text(plan.target.name, summary.best_description)
            plan.target.path.write_text(text, encoding="utf-8")
        return summary, self.places.output_dir / run_id


def ended_as(**values: object) -> End:
    """An end with the run's own kind and engine."""

    def end(plan: Plan, order: Order) -> Summary:
        settings = {"kind": order.run_kind, "engine": "simulated", "simulated": True, **values}
        if order.run_kind == "measure":
            settings = {"gate": None, "best": None, "best_iteration": 1, **settings}
        better = order.challenger or "Use when a pull request is to be reviewed."
        return ended_search(plan, better, **settings)

    return end


IMPROVED = ended_as(
    verdict=Verdict.IMPROVED, improved=True, applied=True, original=BAD, gate=gate(passed=True)
)
IMPROVED_NOT_WRITTEN = ended_as(
    verdict=Verdict.IMPROVED, improved=True, original=BAD, gate=gate(passed=True)
)
OUT_OF_MONEY = ended_as(stopped_because=StopReason.BUDGET, original=BAD)
SAYS_NOTHING = ended_as(
    verdict=Verdict.INCONCLUSIVE, stopped_because=StopReason.UNDECIDED, cause="all timed out"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = make_bench_project(tmp_path)
    write_cases(project, "weather", call_cases("demo:weather"))
    write_cases(project, "gaps", call_cases("demo:gap-analyzer", kind=TargetKind.AGENT))
    return project


@dataclass(frozen=True, slots=True)
class Lived:
    """What a night came to."""

    targets: tuple[NightTarget, ...]
    ran: tuple[str, ...]
    folder: Path
    was_cut: bool = False

    def of(self, suite: str) -> NightTarget:
        """The row of a suite."""
        return next(target for target in self.targets if target.suite == suite)


def make_folder(path: Path) -> Path:
    """Make a folder and those above it."""
    path.mkdir(parents=True)
    return path


def live(
    project: Path,
    ends: dict[str, End | SkillwalkerError] | None = None,
    *,
    folder: Path | None = None,
    limits: Limits | None = None,
    kill_at: int | None = None,
    warn: Callable[[str], None] = lambda _message: None,
) -> Lived:
    """Live one night, in the folder of an earlier life where one is given."""
    places = places_of(project)
    runs = Runs(places, ends or {}, kill_at=kill_at)
    folder = folder or project / "night"
    folder.mkdir(exist_ok=True)
    journal = NightJournal(folder)
    task = NightTask(template=TEMPLATE)
    journal.begin(task)
    tools = NightTools(
        places=places,
        start=runs.start,
        limits=limits or Limits(),
        claude=Claude(cli_version=plan_of(places, "review").cli_version, simulated=True),
        warn=warn,
    )
    entries = read_catalogue(places).entries
    try:
        night = Night(task, tools, journal)
        targets = anyio.run(night.run, entries)
    finally:
        journal.close()
    return Lived(targets, tuple(runs.ran), folder, night.was_cut)


def plan_of(places: Places, suite: str) -> Plan:
    kind = TargetKind.AGENT if suite == "gaps" else TargetKind.SKILL
    return prepare(
        places, kind=kind, suite=suite, target=None, config=LoopConfig(), run_kind="measure"
    )


def test_everything_is_measured_and_then_searched_by_need(project: Path) -> None:
    night = live(
        project,
        {
            "review measure": ended_as(original=rates(0.7)),
            "weather measure": ended_as(original=rates(0.5)),
            "gaps measure": ended_as(original=GOOD),
        },
    )
    assert night.ran == (
        "gaps measure",
        "review measure",
        "weather measure",
        "weather scil",
        "review scil",
    )
    assert [(t.suite, t.action.value) for t in night.targets] == [
        ("gaps", "measured"),
        ("review", "kept"),
        ("weather", "kept"),
    ]
    assert "good enough" in str(night.of("gaps").reason)


def test_a_budget_in_dollars_that_is_ample_leaves_nothing(project: Path) -> None:
    limits = Limits(max_cost_usd=5.0, prior=make_prior(()))
    night = live(project, limits=limits)
    assert [name for name in night.ran if name.endswith("measure")] == [
        "gaps measure",
        "review measure",
        "weather measure",
    ]
    assert len(night.ran) == 6  # and a search of each
    assert not night.was_cut


def test_the_second_night_spends_nothing_on_what_did_not_change(project: Path) -> None:
    live(project)
    second = live(project, folder=project / "second")
    assert second.ran == ()
    assert {target.action for target in second.targets} == {NightAction.FRESH}
    assert all(target.before is not None for target in second.targets)
    assert all(target.trials == 0 for target in second.targets)


def test_a_changed_suite_is_measured_again_and_the_others_are_not(project: Path) -> None:
    live(project)
    write_cases(project, "weather", call_cases("demo:weather")[1:])
    assert live(project, folder=project / "second").ran == ("weather measure", "weather scil")


def test_an_improvement_is_rechecked_once_in_the_next_night(project: Path) -> None:
    first = live(project, {"review scil": IMPROVED})
    improved = first.of("review")
    assert (improved.action, improved.applied) == (NightAction.IMPROVED, True)
    assert improved.after == rates(0.7).balanced
    second = live(project, folder=project / "second")
    # The agent was measured beside the skill's old text; that asks for no other search.
    assert second.ran == ("gaps measure", "review duel")
    assert second.of("review").revert is None
    assert second.of("gaps").action is NightAction.MEASURED
    assert live(project, folder=project / "third").ran == ()


def test_an_improvement_that_loses_is_proposed_for_revert(project: Path) -> None:
    run_id = live(project, {"review scil": IMPROVED}).of("review").run_ids[-1]
    lost = ended_as(
        verdict=Verdict.IMPROVED,
        improved=True,
        gate=gate(passed=True),
        best_iteration=2,
        original=BAD,
    )
    revert = live(project, {"review duel": lost}, folder=project / "second").of("review").revert
    assert revert is not None
    assert (revert.run_id, revert.p_better) == (run_id, 0.95)


def test_an_improvement_that_was_not_written_is_searched_for_no_more(project: Path) -> None:
    first = live(project, {"review scil": IMPROVED_NOT_WRITTEN})
    assert first.of("review").action is NightAction.IMPROVED
    assert first.of("review").after == BAD.balanced
    assert live(project, folder=project / "second").ran == ()


@pytest.mark.parametrize(
    ("kind", "ends", "named"),
    [
        ("waits", IMPROVED_NOT_WRITTEN, True),
        ("was written since", IMPROVED_NOT_WRITTEN, False),
        ("was taken back", IMPROVED_NOT_WRITTEN, False),
        ("record is gone", IMPROVED_NOT_WRITTEN, False),
        ("record cannot be read", IMPROVED_NOT_WRITTEN, False),
        ("found nothing", ended_as(original=BAD), False),
    ],
)
def test_a_fresh_target_is_told_with_the_command_that_writes_what_was_found(
    project: Path, kind: str, ends: End, named: bool
) -> None:
    run_id = "20261130T000003"  # gaps, review and weather are measured first
    run = project / "output" / run_id

    def end(plan: Plan, order: Order) -> Summary:
        summary = replace(ends(plan, order), run_id=run_id, applied=kind == "was written since")
        RunStore(make_folder(run)).write_summary(summary)
        return replace(summary, applied=False)

    first = live(
        project,
        {
            "review scil": end,
            "gaps measure": ended_as(original=GOOD),
            "weather measure": ended_as(original=GOOD),
        },
    )
    assert first.of("review").run_ids[-1] == run_id
    target = places_of(project).project / "plugins" / "demo" / "skills" / "code-review" / "SKILL.md"
    if kind == "was taken back":
        written = WrittenFile(path=target, before=b"a", after=target.read_bytes())
        record_edit(run, written, target="demo:code-review", project=project, now=datetime.now(UTC))
    if kind == "record is gone":
        shutil.rmtree(run)
    if kind == "record cannot be read":
        (run / "scil-summary.json").write_text("{")
    reason = str(live(project, folder=project / "second").of("review").reason)
    command = f"skillwalker apply {run_id} --allow-simulated"
    assert (command in reason) is named
    assert ("change a case or a text" in reason) is not named


@pytest.mark.parametrize(
    ("state", "action", "code"),
    [("written", "improved", 0), ("taken back", "failed", 1), ("changed again", "failed", 1)],
)
def test_what_could_not_be_written_is_no_failure_once_it_was(
    project: Path, state: str, action: str, code: int
) -> None:
    refused = ended_as(
        verdict=Verdict.IMPROVED,
        improved=True,
        not_written="SKILL.md changed since it was read",
        original=BAD,
        gate=gate(passed=True),
    )
    first = live(project, {"review scil": refused})
    assert (first.of("review").action.value, first.of("review").exit_code) == ("failed", 1)
    run = make_folder(project / "output" / first.of("review").run_ids[-1])
    path = project / "plugins" / "demo" / "skills" / "code-review" / "SKILL.md"
    written = WrittenFile(path=path, before=path.read_bytes(), after=path.read_bytes() + b"new\n")
    now = datetime.now(UTC)
    edit = record_edit(run, written, target="demo:code-review", project=project, now=now)
    path.write_bytes(written.after)
    if state == "taken back":
        undo_edit(edit, project=project)
        path.write_bytes(written.after)
    if state == "changed again":
        path.write_bytes(written.after + b"by hand\n")
    again = live(project, folder=first.folder)
    row = again.of("review")
    assert (row.action.value, row.exit_code, row.applied) == (action, code, code == 0)
    assert again.ran == ()


def test_what_fails_is_named_and_stops_nobody_else(project: Path) -> None:
    path = project / "plugins" / "demo" / "skills" / "weather" / "SKILL.md"
    path.write_text("---\nname: weather\n---\n", encoding="utf-8")
    night = live(
        project,
        {
            "review measure": SAYS_NOTHING,
            "gaps measure": ended_as(original=BAD),
            "gaps acil": TargetError("it is gone:\n  - one fault\n\n  - another"),
        },
    )
    rows = [(t.suite, t.action.value, t.exit_code) for t in night.targets]
    assert rows == [("gaps", "failed", 1), ("review", "inconclusive", 3), ("weather", "failed", 1)]
    assert "description" in str(night.of("weather").reason)
    assert night.of("review").reason == "all timed out"
    assert night.of("gaps").reason == "it is gone: - one fault; - another"
    assert night.ran == ("gaps measure", "review measure", "gaps acil")


def test_a_limit_leaves_the_rest_for_another_night(project: Path) -> None:
    night = live(project, {"gaps measure": OUT_OF_MONEY}, limits=Limits())
    assert night.of("gaps").action is NightAction.LEFT
    limits = Limits(max_trials=0)
    nothing = live(project, folder=project / "second", limits=limits)
    assert nothing.of("gaps").action is NightAction.LEFT
    assert "budget" in str(nothing.of("gaps").reason)
    assert nothing.was_cut


@pytest.mark.parametrize("kill_at", [1, 2, 3, 4, 5])
def test_a_killed_night_goes_on_and_does_nothing_twice(project: Path, kill_at: int) -> None:
    whole = live(project, folder=project / "whole")
    (project / "skillwalker.lock").unlink()
    with pytest.raises(KeyboardInterrupt):
        live(project, folder=project / "killed", kill_at=kill_at)
    resumed = live(project, folder=project / "killed")
    assert len(resumed.ran) == len(whole.ran) - kill_at + 1
    assert [replace(t, run_ids=()) for t in resumed.targets] == [
        replace(t, run_ids=()) for t in whole.targets
    ]


def test_what_a_night_was_asked_is_read_back(project: Path) -> None:
    folder = live(project).folder
    assert read_task(folder) == NightTask(template=TEMPLATE)
    rows = [json.loads(line) for line in (folder / "night.jsonl").read_text().splitlines()]
    assert [row["event"] for row in rows][:3] == ["asked", "decided", "decided"]


def test_the_fingerprint_of_a_night_is_that_of_its_runs(project: Path) -> None:
    live(project)
    places = places_of(project)
    plan = plan_of(places, "review")
    entry = read_lock(project)[entry_key(plan, simulated=True)]
    assert entry.fingerprint == target_fingerprint(plan, engine="simulated")


def test_what_the_night_itself_wrote_makes_nothing_stale_in_a_later_life(project: Path) -> None:
    live(project, {f"{suite} measure": ended_as(original=GOOD) for suite in ("review", "gaps")})
    write_cases(project, "review", call_cases("demo:code-review")[1:])
    folder = project / "second"
    whole = live(project, {"review scil": IMPROVED}, folder=folder)
    assert whole.ran == ("review measure", "review scil")
    assert whole.of("gaps").action is NightAction.FRESH
    again = live(project, folder=folder)
    assert again.ran == ()
    assert again.targets == whole.targets


def test_a_change_of_this_night_is_not_rechecked_even_where_no_decision_stands(
    project: Path,
) -> None:
    """As in a night that an older version began."""
    folder = live(project, {"review scil": IMPROVED}).folder
    path = folder / "night.jsonl"
    rows = path.read_text().splitlines(keepends=True)
    path.write_text("".join(row for row in rows if '"event":"decided"' not in row))
    assert "review duel" not in live(project, folder=folder).ran


def test_a_target_that_another_run_holds_is_left_and_is_no_failure(project: Path) -> None:
    folder = project / "night"
    night = live(project, {"review measure": BusyError("run 7 (process 8) measures it now")})
    assert [(t.suite, t.action.value, t.exit_code) for t in night.targets] == [
        ("gaps", "kept", 0),
        ("review", "left", 0),
        ("weather", "kept", 0),
    ]
    assert night.of("review").reason == "run 7 (process 8) measures it now"
    assert not night.was_cut
    assert live(project, folder=folder).ran == ("review measure", "review scil")


def test_a_recheck_that_cannot_be_remembered_is_told_and_ends_no_night(project: Path) -> None:
    live(project, {"review scil": IMPROVED})
    told: list[str] = []

    def end(plan: Plan, order: Order) -> Summary:
        (project / "skillwalker.lock").chmod(0o444)
        return ended_as(verdict=Verdict.KEPT, original=None)(plan, order)

    night = live(project, {"review duel": end}, folder=project / "second", warn=told.append)
    assert len(night.targets) == 3
    assert len(told) == 1
    assert "skillwalker.lock was not updated" in told[0]
