"""The nights of the bench are those that the real `Night` lives over real files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from bench.nights.catalogue import make_targets
from bench.nights.changes import CHANGES
from bench.nights.night import Night as BenchNight
from bench.nights.night import Rules
from bench.nights.target import USERS, Surroundings, WorldTarget
from bench.strategies.shipped import split_of
from bench.strategies.world import Setting
from skillwalker.catalogue import read_catalogue
from skillwalker.datatypes.nights import Stage
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.limits import Limits
from skillwalker.overnight.journal import NightJournal, NightTask
from skillwalker.overnight.night import Night, NightTools
from skillwalker.overnight.standing import Claude
from skillwalker.paths import Places
from skillwalker.plan import Order, for_version, prepare
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import merge_entries, read_lock
from skillwalker.remembering import entry_key, looks_taken, remembered
from tests.bench import places_of, skill_text, write_cases

SMALL = Setting(fewest_cases=12, most_cases=16)
COUNT, NIGHTS = 3, 6
TEMPLATE = Order(
    run_kind="measure",
    kind=TargetKind.SKILL,
    suite=None,
    target=None,
    config=Rules().config,
    engine="simulated",
    improver="simulated",
)
Did = list[tuple[str, Stage]]


@dataclass(slots=True)
class WorldRuns:
    """Does each run of a real night in the world, and leaves what a real run leaves."""

    places: Places
    targets: Sequence[WorldTarget]
    number: int
    cli_version: str
    did: Did = field(default_factory=list)

    async def start(
        self, order: Order, earlier: Earlier | None, began: Callable[[str], None]
    ) -> tuple[Summary, Path]:
        """Do a run."""
        assert earlier is None
        stage = Stage.MEASURE if order.run_kind == "measure" else Stage.TUNE
        stage = Stage.RECHECK if order.challenger is not None else stage
        target = next(one for one in self.targets if order.suite == f"suite-{one.seed}")
        plan = prepare(
            self.places,
            kind=order.kind,
            suite=order.suite,
            target=order.target,
            config=order.config,
            run_kind=order.run_kind,
        )
        plan = for_version(plan, self.cli_version)
        key = entry_key(plan, simulated=True)
        entry = read_lock(self.places.project).get(key)
        plan = replace(plan, looks=1 + looks_taken(entry, plan))
        run_id = f"{self.number}-{stage.value}"
        began(run_id)
        summary = target.run(stage, plan, run_id, challenger=order.challenger)
        new = remembered(entry, plan, summary)
        assert new is not None
        merge_entries(self.places.project, lambda _old: {key: new})
        if summary.applied:
            text = skill_text(plan.target.name, summary.best_description)
            plan.target.path.write_text(text, encoding="utf-8")
        self.did.append((str(order.suite), stage))
        return summary, self.places.output_dir / run_id


def write_project(project: Path, targets: Sequence[WorldTarget]) -> None:
    """Write the targets' plugin; their files hold the users' texts."""
    manifest = project / "plugins" / "demo" / ".claude-plugin" / "plugin.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "demo", "version": "1.0.0"}', encoding="utf-8")
    for target in targets:
        name = f"skill-{target.seed}"
        path = project / "plugins" / "demo" / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(skill_text(name, USERS), encoding="utf-8")


def write_suites(project: Path, targets: Sequence[WorldTarget]) -> None:
    """Write the targets' suites as the world has them now."""
    for target in targets:
        cases = [
            {
                "name": split.case.name,
                "type": "skill-call",
                "skillFile": f"demo:skill-{target.seed}",
                "prompt": split.case.prompt,
                "expect": [{"skill-call": split.case.should_trigger}],
            }
            for split in split_of(target.skill)
        ]
        write_cases(project, f"suite-{target.seed}", cases)


def live_really(project: Path, runs: WorldRuns) -> None:
    """Live one night as the product does."""
    folder = project / f"night {runs.number}"
    folder.mkdir()
    task = NightTask(template=TEMPLATE)
    tools = NightTools(
        places=runs.places,
        start=runs.start,
        limits=Limits(),
        claude=Claude(cli_version=runs.cli_version, simulated=True),
    )
    journal = NightJournal(folder)
    try:
        journal.begin(task)
        anyio.run(Night(task, tools, journal).run, read_catalogue(runs.places).entries)
    finally:
        journal.close()


@pytest.mark.parametrize(
    "change", ["a new case in every third night", "a new Claude Code in every third night"]
)
def test_a_night_of_the_bench_is_a_real_night(tmp_path: Path, change: str) -> None:
    ours, theirs = make_targets(1, COUNT, SMALL), make_targets(1, COUNT, SMALL)
    project = tmp_path / "project"
    write_project(project, theirs)
    places = places_of(project)
    around = Surroundings()
    stages: set[Stage] = set()
    for number in range(1, NIGHTS + 1):
        CHANGES[change](number, around, theirs)
        around = CHANGES[change](number, around, ours)
        night = BenchNight(number=number, rules=Rules(), around=around)
        night.live(ours)
        write_suites(project, theirs)
        runs = WorldRuns(places, theirs, number, around.cli_version)
        live_really(project, runs)
        assert runs.did == [(f"suite-{target.seed}", stage) for target, stage in night.runs]
        assert [target.file for target in theirs] == [target.file for target in ours]
        entries = {entry.key.suite: entry for entry in read_lock(project).values()}
        for target in ours:
            assert target.entry is not None
            entry = entries[f"suite-{target.seed}"]
            assert (entry.looks, entry.applied) == (target.entry.looks, target.entry.applied)
        stages |= {stage for _, stage in runs.did}
    assert stages == set(Stage)
