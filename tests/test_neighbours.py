"""The requests of rivals: found in their own suites, measured beside, and not to be taken."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import CaseSet, TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import SuiteError
from skillwalker.loop import MeasuredRun, improve
from skillwalker.plan import Plan
from tests.bench import (
    NEGATIVES,
    POSITIVES,
    Bench,
    call_cases,
    make_bench_project,
    plan_of,
    reply,
    write_cases,
)
from tests.fakes import ScriptedCompleter, call_of, engine_facts, transcript

GUARDED = LoopConfig(guard_neighbours=True)
WEATHER = tuple(f"{word} forecast for {at * 7919} please" for at, word in enumerate("abcdefgh"))
BETTER = "Reviews pull requests, diffs and patches. Use when asked to check changes for bugs."
GREEDY = "Reviews anything at all. Use whenever a user asks for checks, words or forecasts."


@dataclass(slots=True)
class TakingEngine:
    """Triggers the positives under any new text, and a rival's requests under the greedy one."""

    facts: EngineFacts = field(default_factory=engine_facts)
    taken: frozenset[str] = frozenset(WEATHER)

    async def run(self, invocation: Invocation) -> Transcript:
        """Look at the text in the plugin that is shown."""
        called_as = invocation.called_as
        assert called_as is not None
        shown = (invocation.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
        is_new = "Reviews" in shown
        takes = "anything at all" in shown and invocation.prompt in self.taken
        if is_new and (invocation.prompt in POSITIVES or takes):
            return transcript(call_of(called_as))
        return transcript()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = make_bench_project(tmp_path)
    cases = call_cases("demo:weather", positives=WEATHER, negatives=NEGATIVES[:2])
    write_cases(project, "weather", cases)
    return project


def run(
    project: Path, text: str, engine: TakingEngine | None = None, config: LoopConfig = GUARDED
) -> tuple[Plan, MeasuredRun]:
    plan = plan_of(project, config)
    bench = Bench(workdir=project.parent / "work", max_iterations=2)
    completer = ScriptedCompleter([reply(text)])
    tools = bench.tools(engine=engine or TakingEngine(), completer=completer)
    return plan, anyio.run(improve, plan, tools)


def test_positives_of_the_rivals_are_found_with_their_owner(project: Path) -> None:
    plan = plan_of(project, GUARDED)
    assert {one.owner for one in plan.neighbours} == {"demo:weather"}
    assert {one.case.prompt for one in plan.neighbours} == set(WEATHER)
    assert plan.neighbours[0].case.name == "demo:weather in weather: yes 0"
    assert not any(one.case.should_trigger for one in plan.neighbours)


def test_a_request_and_its_near_duplicates_are_one_draw_on_every_model(project: Path) -> None:
    asked = ("what will the weather in Rome be like", "what will the weather in Paris be like")
    more = call_cases("demo:weather", positives=[*asked, "is it raining"], negatives=NEGATIVES[:2])
    write_cases(project, "weather", more)
    plan = plan_of(project, replace(GUARDED, trial_model=("opus", "sonnet")))
    groups: dict[str, set[str]] = {}
    for one in plan.neighbours:
        groups.setdefault(one.group, set()).add(one.case.prompt)
    assert len(plan.neighbours) == 6
    assert sorted(groups.values(), key=len) == [{"is it raining"}, set(asked)]


def test_nobody_is_guarded_unless_asked(project: Path) -> None:
    assert plan_of(project).neighbours == ()


def test_agents_are_neighbours_too_and_prompts_of_the_own_suite_are_not_asked_twice(
    project: Path,
) -> None:
    cases = call_cases(
        "demo:gap-analyzer",
        kind=TargetKind.AGENT,
        positives=["find the gaps", NEGATIVES[0]],
        negatives=NEGATIVES[1:],
    )
    write_cases(project, "gaps", cases)
    owners = [(n.owner, n.case.prompt) for n in plan_of(project, GUARDED).neighbours]
    assert ("demo:gap-analyzer", "find the gaps") in owners
    assert NEGATIVES[0] not in {prompt for _, prompt in owners}


def test_every_model_of_the_run_is_asked(project: Path) -> None:
    config = LoopConfig(guard_neighbours=True, trial_model=("haiku", "opus"))
    asked = [one.case.model for one in plan_of(project, config).neighbours]
    assert (asked.count("haiku"), asked.count("opus")) == (8, 8)


def test_a_broken_suite_is_named_with_the_way_out(project: Path) -> None:
    (project / "evals" / "weather" / "tests.json").write_text("{", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"(?s)weather/tests\.json.*--guard-neighbours reads"):
        plan_of(project, GUARDED)


def test_a_text_that_takes_nothing_is_an_improvement(project: Path) -> None:
    plan, measured = run(project, BETTER)
    assert measured.gate is not None
    assert measured.gate.passed
    (weather,) = measured.gate.neighbours
    assert (weather.target, weather.kept_before, weather.kept_after) == (
        "demo:weather",
        weather.runs_before,
        weather.runs_after,
    )
    asked = [trial for trial in measured.trials if trial.set is CaseSet.NEIGHBOUR]
    assert len(asked) == 2 * len(plan.neighbours) * measured.gate.rounds


def test_a_text_that_takes_a_neighbours_requests_is_refused_with_names(project: Path) -> None:
    _, measured = run(project, GREEDY)
    assert measured.gate is not None
    assert measured.gate.p_better is not None
    assert measured.gate.p_better > 0.9
    assert not measured.gate.passed
    assert measured.gate.reason.startswith(
        "it takes requests of its neighbours: demo:weather keeps 0 of "
    )
    assert "demo:weather in weather: yes 0" in measured.gate.reason


def test_what_a_neighbour_lost_on_two_models_is_lost_once(project: Path) -> None:
    lost = []
    for models in (("opus",), ("haiku", "opus")):
        engine = TakingEngine(taken=frozenset(WEATHER[:2]))
        _, measured = run(project, GREEDY, engine, replace(GUARDED, trial_model=models))
        assert measured.gate is not None
        (weather,) = measured.gate.neighbours
        assert weather.change == pytest.approx(-1 / 4)
        lost.append(weather.lasting)
    assert lost[1] == pytest.approx(lost[0])
    assert lost[0] < 0


def test_neighbours_are_in_no_rate(project: Path) -> None:
    _, measured = run(project, GREEDY)
    assert measured.confirmed is not None
    for results in measured.confirmed:
        assert {result.set for result in results} == {CaseSet.CONFIRM}
        assert len(results) == 12
