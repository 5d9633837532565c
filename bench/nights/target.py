"""A target of the simulated catalogue: its skill in the world, its file, what is remembered of it.

Every run is one of the shipped strategies with the shipped gate, and ends in the shipped summary.
Nothing is written: the file is the name of a text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.strategies.shipped import CONTROLS, TARGET, Run, split_of
from bench.strategies.world import Setting, Skill, Text
from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import Listed, ListingPlace, SplitCase, Target
from skillwalker.datatypes.lock_entries import LockEntry
from skillwalker.datatypes.nights import Stage
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import ListingState, Position, TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.loop import MeasuredRun
from skillwalker.plan import Plan
from skillwalker.search import gate
from skillwalker.search.choice import choose_strategy
from skillwalker.search.duel import Duel
from skillwalker.search.protocol import Strategy
from skillwalker.verdict import summarise

ENGINE = "simulated"
FACTS = EngineFacts(
    name=ENGINE,
    simulated=True,
    endpoint=ENGINE,
    cli_version="world",
    permission_mode="",
    effort="",
    headline="a simulated world",
)
PLACE = ListingPlace(
    listed=Listed(
        path=TARGET.path,
        kind=TargetKind.SKILL,
        position=Position.PLUGIN,
        listed=True,
        name="skill",
        alias=None,
        text="",
        yaml_text=None,
    ),
    budget_chars=None,
    used_chars=0,
    state=ListingState.WHOLE,
)
USERS = "the user's text"
CHALLENGER = "challenger"
NO_BUDGET = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the rates of every target depend on, beside its own text and suite."""

    model: str = "model 1"
    cli_version: str = "1.0.0"


class WorldTarget:
    """One target.

    Args:
        seed: of its skill.
        plugin: in which it has siblings.
        setting: the world that it lives in.
    """

    def __init__(self, seed: int, plugin: str, setting: Setting) -> None:
        self.seed, self.plugin = seed, plugin
        self.skill = Skill(seed, setting)
        self.texts: dict[str, Text] = {USERS: self.skill.original}
        self.file = USERS
        """Name of the text that the file holds."""
        self.entry: LockEntry | None = None

    @property
    def target(self) -> Target:
        """The target as its file stands."""
        name = f"skill-{self.seed}"
        path = Path(self.plugin, name, "SKILL.md")
        return replace(TARGET, plugin=self.plugin, name=name, path=path, description=self.file)

    def truth(self, text: str) -> float:
        """Give the true worth of a text, which no run can see."""
        return self.skill.truth(self.texts[text])

    def plan(self, siblings: Sequence[Target], around: Surroundings, config: LoopConfig) -> Plan:
        """Give the plan of its runs, with all that fingerprints are made of."""
        return Plan(
            kind="measure",
            suite=f"suite-{self.seed}",
            target=self.target,
            target_path=self.target.path.as_posix(),
            rivals=tuple(siblings),
            cases=tuple(_under(around.model, split) for split in split_of(self.skill)),
            listing=PLACE,
            config=config,
            cli_version=around.cli_version,
        )

    def run(self, stage: Stage, plan: Plan, run_id: str, *, challenger: str | None) -> Summary:
        """Do a run, and write its text into the file if it is better; its trials are counted.

        Args:
            stage: which.
            plan: with the looks by which the gate is raised; its kind is that of the stage.
            run_id: its name.
            challenger: the text that a recheck lays beside that in the file.
        """
        config = plan.config
        if config.gate is not None:
            config = replace(config, gate=gate.threshold(config.gate, plan.looks))
        skill, before = self.skill, self.skill.calls
        skill.original = self.texts[self.file]
        strategy = _strategy(stage, config, split_of(skill))
        run = Run(skill, strategy, config, NO_BUDGET)
        if challenger is not None:
            run.texts[CHALLENGER] = self.texts[challenger]
        run.controls()
        run.search()
        run.confirm()
        summary = summarise(plan, _measured(run, strategy), run_id=run_id, facts=FACTS)
        best = self.file if summary.best_iteration == 1 else challenger or f"text of {run_id}"
        applied = stage is Stage.TUNE and summary.improved
        if applied:
            self.texts[best] = run.texts[summary.best_description]
            self.file = best
        trials = skill.calls - before
        return replace(summary, best_description=best, applied=applied, trials=trials)


def _strategy(stage: Stage, config: LoopConfig, cases: Sequence[SplitCase]) -> Strategy:
    """Choose what a stage's run does, as `skillwalker.recorded_run` does."""
    if stage is Stage.RECHECK:
        return Duel(
            challenger=CHALLENGER, runs=config.runs_per_query, confirm_rounds=config.confirm_runs
        )
    return choose_strategy(
        config, cases, controls=2 * CONTROLS, measure_only=stage is Stage.MEASURE
    )


def _measured(run: Run, strategy: Strategy) -> MeasuredRun:
    """Give all that a run measured; the world's trials say nothing but whether they went right."""
    return MeasuredRun(
        history=run.history,
        best=strategy.best(run.history),
        gate=run.gate,
        confirmed=run.confirmed,
        stopped=run.stopped,
        cause=None,
        trials=(),
        reused=(),
        answers=(),
    )


def _under(model: str, split: SplitCase) -> SplitCase:
    """Give a case as it is asked of a model."""
    return replace(split, case=replace(split.case, model=model))
