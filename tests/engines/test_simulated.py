"""The simulated engine: reads the folders it is shown and answers by the router."""

from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.trials import CalledAs, Invocation, Transcript, Usage
from skillwalker.datatypes.vocabulary import Mode, Outcome, TargetKind
from skillwalker.engines.protocol import Engine
from skillwalker.engines.simulated import SimulatedEngine, read_catalog
from skillwalker.errors import TrialError
from skillwalker.simulation.router import choose
from skillwalker.transcripts.outcome import read_outcome

REVIEW = "Reviews code changes. Use when someone wants a diff or commit checked before the merge."
GAPS = "Compares a plan with the code. Use when asked what is missing from an implementation."


def write_skill(root: Path, name: str, description: str, extra: str = "") -> None:
    path = root / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n{extra}---\nBody.\n")


def write_agent(root: Path, name: str, description: str) -> None:
    path = root / "agents" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\nBody.\n")


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    root = tmp_path / "demo"
    (root / ".claude-plugin").mkdir(parents=True)
    (root / ".claude-plugin" / "plugin.json").write_text('{"name": "demo"}')
    write_skill(root, "code-review", REVIEW)
    write_skill(
        root, "hidden", "Use for hedgehogs and narwhals.", "disable-model-invocation: true\n"
    )
    write_agent(root, "gap-analyzer", GAPS)
    return root


def invocation(
    prompt: str,
    *plugin_dirs: Path,
    project_dir: Path | None = None,
    run_index: int = 0,
    max_turns: int = 4,
) -> Invocation:
    return Invocation(
        prompt=prompt,
        plugin_dirs=plugin_dirs,
        project_dir=project_dir,
        scaffold=None,
        model="sonnet",
        max_turns=max_turns,
        timeout=10.0,
        called_as=None,
        run_index=run_index,
    )


def run(invocation: Invocation, engine: Engine | None = None) -> Transcript:
    return anyio.run((engine or SimulatedEngine(seed=0)).run, invocation)


@pytest.mark.parametrize(
    ("prompt", "kind", "name"),
    [
        pytest.param(
            "Check this diff before the merge", TargetKind.SKILL, "demo:code-review", id="skill"
        ),
        pytest.param(
            "What is missing from the implementation of the plan?",
            TargetKind.AGENT,
            "demo:gap-analyzer",
            id="agent",
        ),
    ],
)
def test_what_matches_is_called_under_its_listed_name(
    plugin: Path, prompt: str, kind: TargetKind, name: str
) -> None:
    (call,) = run(invocation(prompt, plugin)).calls
    assert (call.kind, call.name, call.mode) == (kind, name, Mode.TOOL)


def test_an_unrelated_prompt_calls_nothing_and_is_decided(plugin: Path) -> None:
    transcript = run(invocation("What is the capital of Norway?", plugin))
    called_as = CalledAs(
        kind=TargetKind.SKILL, names=frozenset({"demo:code-review"}), path_suffix="/SKILL.md"
    )
    reading = read_outcome(transcript, called_as, model_asked="sonnet", max_turns=4)
    assert (reading.outcome, transcript.calls) == (Outcome.NOT_TRIGGERED, ())


def test_a_file_that_is_not_listed_is_never_called(plugin: Path) -> None:
    assert run(invocation("Feed hedgehogs and narwhals, use demo:hidden", plugin)).calls == ()


def test_a_project_folder_is_read_too(tmp_path: Path) -> None:
    write_skill(tmp_path / ".claude", "code-review", REVIEW)
    write_agent(tmp_path / ".claude", "gap-analyzer", GAPS)
    (call,) = run(invocation("Check this diff before the merge", project_dir=tmp_path)).calls
    assert call.name == "code-review"


@pytest.mark.parametrize(
    ("prompt", "mode"),
    [
        pytest.param("/demo:code-review main", Mode.COMMAND, id="qualified"),
        pytest.param("/code-review", Mode.COMMAND, id="bare"),
        pytest.param("/src/merge.py: check this diff before the merge", Mode.TOOL, id="a path"),
        pytest.param("/nosuch check this diff before the merge", Mode.TOOL, id="unknown"),
    ],
)
def test_a_slash_command_is_no_trigger_by_description(
    plugin: Path, prompt: str, mode: Mode
) -> None:
    (call,) = run(invocation(prompt, plugin)).calls
    assert (call.name, call.mode) == ("demo:code-review", mode)


def test_an_agent_has_no_slash_command(plugin: Path) -> None:
    assert [c.mode for c in run(invocation("/gap-analyzer", plugin)).calls] == [Mode.TOOL]


def test_the_transcript_is_free_and_says_what_it_is(plugin: Path) -> None:
    transcript = run(invocation("Check this diff before the merge", plugin))
    assert transcript.usage == Usage(cost_usd=0.0)
    assert (transcript.model, transcript.cli_version) == ("simulated", "simulated")
    assert (transcript.raw, transcript.failure, transcript.duration) == ((), None, 0.0)


@pytest.mark.parametrize("max_turns", [1, 4])
def test_calls_come_at_the_first_or_second_turn_within_the_limit(
    plugin: Path, max_turns: int
) -> None:
    engine = SimulatedEngine(seed=0)
    prompt = "Check this diff before the merge"
    steps = set()
    for index in range(60):
        transcript = run(invocation(prompt, plugin, run_index=index, max_turns=max_turns), engine)
        steps |= {call.step for call in transcript.calls}
        assert transcript.turns <= max_turns
    assert steps == ({1, 2} if max_turns > 1 else {1})


def test_it_answers_as_the_router_does(plugin: Path) -> None:
    prompts = ("Is this diff fine?", "Check the commit", "What is missing?", "merge it")
    engine = SimulatedEngine(seed=5)
    catalog = read_catalog((plugin,), None)
    for prompt in prompts:
        for index in range(20):
            calls = run(invocation(prompt, plugin, run_index=index), engine).calls
            name = choose(prompt, catalog, seed=5, run_index=index)
            assert [call.name for call in calls] == ([] if name is None else [name])


def test_another_seed_gives_other_noise(plugin: Path) -> None:
    engines = [SimulatedEngine(seed=seed) for seed in (0, 1)]
    answers = [
        [
            bool(run(invocation("Is this diff fine?", plugin, run_index=i), engine).calls)
            for i in range(60)
        ]
        for engine in engines
    ]
    assert answers[0] != answers[1]


def test_a_missing_folder_is_an_undecided_trial_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(TrialError, match=r"gone is not a folder") as caught:
        run(invocation("hello", tmp_path / "gone"))
    assert caught.value.reason == "set_up"
