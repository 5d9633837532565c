"""It is the product that runs in the simulated world: its strategies, its brief, its gate."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import anyio
import pytest

from bench.strategies.improver import Way, improve
from bench.strategies.shipped import CONTROLS, Run, run_shipped, split_of
from bench.strategies.world import Setting, Skill, Text
from skillwalker import loop
from skillwalker.config import LoopConfig
from skillwalker.datatypes.improver import Completion
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.trials import Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Phase, StopReason
from skillwalker.engines.protocol import EngineFacts
from skillwalker.search.choice import choose_strategy
from skillwalker.search.protocol import History, Measure, Propose, Stop, Work
from skillwalker.unmovable import RUNS
from tests.bench import Bench, make_bench_project, plan_of
from tests.fakes import call_of, engine_facts, transcript


@dataclass
class OneEdit:
    """A strategy of its own: the original, one edit, stop."""

    confirm_rounds: int = 1
    asked: int = 0

    def next_work(self, history: History) -> Work:
        """Count how often it is asked."""
        self.asked += 1
        if not history.iterations:
            return Measure(description=history.original, phase=Phase.EXPLORE, runs=1)
        if len(history.iterations) == 1:
            return Propose(parent=1, operator=Operator.EDIT, phase=Phase.CONVERGE, runs=1)
        return Stop(reason=StopReason.ITERATIONS)

    def best(self, history: History) -> Iteration:
        """Take the edit."""
        return history.iterations[-1]


def test_the_strategy_is_asked_and_the_gate_decides() -> None:
    applied, kept = 0, 0
    for seed in range(12):
        strategy = OneEdit()
        skill = Skill(seed, Setting())
        ending = run_shipped(skill, strategy, LoopConfig(), 1000)
        assert (strategy.asked, ending.scored) == (3, 2)
        applied += ending.applied is not skill.original
        kept += ending.applied is skill.original
        ungated = Skill(seed, Setting())
        assert (
            run_shipped(ungated, OneEdit(), LoopConfig(gate=None), 1000).applied
            is not ungated.original
        )
    assert applied
    assert kept


def test_a_run_that_is_cut_applies_nothing() -> None:
    skill = Skill(1, Setting(fewest_cases=20, most_cases=20))
    ending = run_shipped(skill, OneEdit(), LoopConfig(), 70)
    assert (ending.applied, skill.calls) == (skill.original, 70)


@dataclass(slots=True)
class WorldEngine:
    """Runs trials in the world: which text is shown is read from the copy on disk."""

    skill: Skill
    texts: dict[str, Text]
    queries: dict[str, int]
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Draw what the world says."""
        called_as = invocation.called_as
        assert called_as is not None
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        text = next(text for words, text in self.texts.items() if words in shown)
        if invocation.prompt.startswith("Use the "):  # a case that nothing moved, by name
            return transcript(call_of(called_as))
        at = self.queries[invocation.prompt]
        right = self.skill.trial(text, at)
        if right == self.skill.queries[at].positive:
            return transcript(call_of(called_as))
        return transcript()


@dataclass(slots=True)
class WorldCompleter:
    """Makes the child that the world's improver makes of what the prompt really shows."""

    engine: WorldEngine

    async def complete(self, prompt: str, *, schema: Mapping[str, object]) -> Completion:
        """Read the brief out of the prompt."""
        assert schema
        brief = json.loads(prompt.partition("<brief>")[2].partition("</brief>")[0])
        parent = self.engine.texts[brief["current"]]
        shown = [self.engine.queries[case["prompt"]] for case in brief["failures"]]
        way = Way.REWRITE if "\nRewrite. " in prompt else Way.EDIT
        words = f"Does what child {len(self.engine.texts):03} of this world does, nothing else."
        self.engine.texts[words] = improve(self.engine.skill, parent, shown, way)
        reply = json.dumps({"description": words, "reason": "failures"})
        return Completion(text=reply, model="world", usage=Usage(cost_usd=0.0))


def _prompt(at: int) -> str:
    """A prompt unlike every other, so that no two are near-duplicates."""
    return sha256(str(at).encode()).hexdigest()


@pytest.mark.parametrize("search", ["phases", "race"])
def test_the_driver_does_what_the_loop_does(tmp_path: Path, search: str) -> None:
    setting = Setting(fewest_cases=20, most_cases=20)
    for seed in (3, 8):
        ours = Skill(seed, setting)
        config = LoopConfig(search=search, concurrency=1)
        strategy = choose_strategy(config, split_of(ours), controls=0)
        run = Run(ours, strategy, config, 10_000)
        run.search()
        run.confirm()
        theirs = Skill(seed, setting)
        cases = [
            {
                "name": split.case.name,
                "type": "skill-call",
                "skillFile": "demo:code-review",
                "prompt": _prompt(at),
                "expect": [{"skill-call": split.case.should_trigger}],
            }
            for at, split in enumerate(split_of(theirs))
        ]
        project = make_bench_project(tmp_path / str(seed), cases=cases)
        plan = plan_of(project, config)
        engine = WorldEngine(
            theirs,
            {plan.target.description: theirs.original},
            {_prompt(at): at for at in range(len(theirs.queries))},
        )
        tools = Bench(workdir=tmp_path / f"work {seed}").tools(
            engine=engine, completer=WorldCompleter(engine), strategy=strategy
        )
        measured = anyio.run(loop.improve, plan, tools)
        assert [type(e) for e in measured.history.events] == [type(e) for e in run.history.events]
        assert measured.history.tallies == run.history.tallies
        assert measured.gate == run.gate
        # The bench's preflight is free; by name, each stuck case is asked for twice.
        controls = sum(trial.set is CaseSet.CONTROL for trial in measured.trials)
        assert run.asked <= set(range(20))
        assert controls == RUNS * len(run.asked)
        assert ours.calls == theirs.calls + controls + CONTROLS * run.winner_checked
