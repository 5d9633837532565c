"""What every engine promises, checked on each of them; exceptions are named where they are made."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code.command import Access
from skillwalker.claude_code.process_tree import find_marked
from skillwalker.datatypes.trials import CalledAs, Reading, Transcript
from skillwalker.datatypes.vocabulary import Mode, Outcome, TargetKind
from skillwalker.standin.behaviour import scripted, with_faults
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply, Say, Use
from skillwalker.standin.request import read_listing, read_prompt
from skillwalker.transcripts.outcome import read_outcome
from tests.docker_daemon import our_containers
from tests.engines.worlds import CODE_REVIEW, MODEL, World, make_world

REAL_ENGINES = [
    pytest.param("local-2.1.332", marks=pytest.mark.cli),
    pytest.param("local-2.1.197", marks=pytest.mark.cli),
    pytest.param("docker-2.1.332", marks=pytest.mark.docker),
    pytest.param("docker-2.1.197", marks=pytest.mark.docker),
]
ENGINES = [pytest.param("simulated"), *REAL_ENGINES]
ASKS = "Please check this diff before the merge: does the commit hold up?"
UNRELATED = "What is the capital of Norway?"


@pytest.fixture(params=ENGINES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = make_world(str(request.param), tmp_path)
    yield made
    assert_nothing_left(made)


@pytest.fixture(params=REAL_ENGINES)
def api_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Leave out the simulated engine, which asks no API and starts no process."""
    made = make_world(str(request.param), tmp_path)
    yield made
    assert_nothing_left(made)


def assert_nothing_left(world: World) -> None:
    assert not list(world.temp_root.glob("*"))
    if world.name.startswith("docker"):
        assert not our_containers()
    for slot in ("00", "01", "02", "03"):
        homes = world.temp_root.glob(f"*/{slot}/home")
        assert not [home for home in homes if find_marked(f"HOME={home}")]


def read(transcript: Transcript, called_as: CalledAs = CODE_REVIEW) -> Reading:
    return read_outcome(transcript, called_as, model_asked=MODEL, max_turns=3)


def test_the_target_triggers_and_an_unrelated_prompt_does_not(world: World) -> None:
    world.concurrency = 2
    asked, unrelated = world.run(world.invocation(ASKS), world.invocation(UNRELATED))
    assert (read(asked).outcome, read(asked).mode) == (Outcome.TRIGGERED, Mode.TOOL), asked.detail
    assert read(unrelated).outcome is Outcome.NOT_TRIGGERED, unrelated.detail


def test_a_neighbour_that_wins_is_named(world: World) -> None:
    (transcript,) = world.run(world.invocation("Write the changelog: what is new in version 2?"))
    reading = read(transcript)
    assert (reading.outcome, reading.also_fired) == (Outcome.NOT_TRIGGERED, ("demo:release-notes",))


def test_an_agent_triggers(world: World) -> None:
    agent = CalledAs(
        kind=TargetKind.AGENT,
        names=frozenset({"demo:gap-finder"}),
        path_suffix="agents/gap-finder.md",
    )
    prompt = "Compare the plan with the code: what is missing from the implementation?"
    (transcript,) = world.run(world.invocation(prompt, called_as=agent))
    assert read(transcript, agent).outcome is Outcome.TRIGGERED, transcript.detail


def test_a_skill_in_project_position_triggers(world: World) -> None:
    own = CalledAs(
        kind=TargetKind.SKILL,
        names=frozenset({"change-review"}),
        path_suffix="skills/change-review/SKILL.md",
    )
    invocation = world.invocation(ASKS, plugin_dirs=(), project_dir=world.project(), called_as=own)
    (transcript,) = world.run(invocation)
    assert read(transcript, own).outcome is Outcome.TRIGGERED, transcript.detail
    if world.asks_an_api:
        names = {entry.name for entry in read_listing(world.requests[0].body)}
        assert {"change-review", "gap-finder"} <= names


def test_a_prompt_that_names_the_command_is_no_trigger_by_description(world: World) -> None:
    (transcript,) = world.run(world.invocation("/demo:change-review the diff"))
    reading = read(transcript)
    assert (reading.outcome, reading.mode) == (Outcome.NOT_TRIGGERED, Mode.COMMAND)


def test_the_facts_say_what_is_run(world: World) -> None:
    async def facts() -> tuple[str, bool, str]:
        async with world.opener(world) as engine:
            return engine.facts.name, engine.facts.simulated, engine.facts.cli_version

    with world.serving():
        name, simulated, version = anyio.run(facts)
    assert simulated
    assert f"{name}-{version}" in (world.name, "simulated-simulated")


def test_nothing_is_written_where_the_user_works(world: World) -> None:
    scaffold = world.root / "scaffold"
    scaffold.mkdir()
    (scaffold / "main.py").write_text("print('hello')\n")
    watched = (world.plugin(), world.project(), scaffold)

    def state() -> list[tuple[str, bytes]]:
        files = [path for root in watched for path in sorted(root.rglob("*")) if path.is_file()]
        return [(str(path), path.read_bytes()) for path in files]

    before = state()
    world.run(world.invocation(ASKS, scaffold=scaffold, project_dir=world.project()))
    assert state() == before


PROMPTS = {
    "Überprüfe den Merge 変更をレビューして 🚀 e\u0301\u200d",
    "--help me with -p and\n- a list",
    "/usr/bin/python3 is missing, why?",
    "`rm` $HOME \"x\" 'y' \\ %PATH% {{ template }} <b>&amp;</b>",
    "Look at this log.\n" + "0123456789 abcdefghij\n" * 9_500 + "The end.",
}


def test_prompts_arrive_whole(api_world: World) -> None:
    api_world.concurrency = 3
    done = api_world.run(*(api_world.invocation(prompt) for prompt in PROMPTS))
    assert [transcript.failure for transcript in done] == [None] * len(PROMPTS)
    assert {read_prompt(request.body) for request in api_world.requests} == PROMPTS


def test_plugin_and_neighbours_are_listed_with_their_texts(api_world: World) -> None:
    api_world.run(api_world.invocation(UNRELATED))
    listed = {entry.name: entry.text for entry in read_listing(api_world.requests[0].body)}
    assert listed["demo:change-review"] is not None
    assert listed["demo:change-review"].startswith("Reviews code changes.")
    assert {"demo:release-notes", "demo:gap-finder"} <= listed.keys()
    assert "simplify" in listed, "Claude Code's own skills compete"


def test_a_long_answer_is_read_to_its_end(api_world: World) -> None:
    # Version 2.1.197 drops what a full pipe did not take when it ends, whoever reads: an answer
    # of a megabyte comes through only sometimes, and is then undecided.
    api_world.behaviour = scripted([Reply(blocks=(Say("word " * 40_000 + "the end"),))])
    (transcript,) = api_world.run(api_world.invocation(ASKS))
    assert transcript.failure is None, transcript.detail
    assert transcript.answer.endswith("the end")


def test_a_model_that_takes_too_long_is_undecided(api_world: World) -> None:
    api_world.behaviour = scripted([Reply(blocks=(Say("late"),), delay=60)])
    (transcript,) = api_world.run(api_world.invocation(ASKS, timeout=4.0))
    assert (read(transcript).outcome, read(transcript).reason) == (Outcome.UNDECIDED, "timeout")


def test_a_stream_that_falls_silent_is_undecided(api_world: World) -> None:
    api_world.behaviour = scripted(
        [Reply(blocks=(Say("so far"),), fault=InjectedFault(kind=FaultKind.STALL))]
    )
    api_world.idle_timeout = 4.0
    (transcript,) = api_world.run(api_world.invocation(ASKS))
    assert (read(transcript).outcome, read(transcript).reason) == (Outcome.UNDECIDED, "idle")


def test_a_call_before_the_stream_falls_silent_counts(api_world: World) -> None:
    call = Use("Skill", {"skill": "demo:change-review"})
    stall = InjectedFault(kind=FaultKind.STALL, after=9)
    api_world.behaviour = scripted([Reply(blocks=(Say("On it."), call), fault=stall)])
    (transcript,) = api_world.run(api_world.invocation(ASKS))
    assert read(transcript).outcome is Outcome.TRIGGERED


@pytest.mark.parametrize(("status", "reason"), [(401, "auth"), (529, "overloaded")])
def test_a_refused_request_is_undecided(api_world: World, status: int, reason: str) -> None:
    fault = InjectedFault(kind=FaultKind.STATUS, status=status)
    api_world.behaviour = with_faults(api_world.behaviour, [fault])
    (transcript,) = api_world.run(api_world.invocation(ASKS))
    assert (read(transcript).outcome, read(transcript).reason) == (Outcome.UNDECIDED, reason)
    assert str(status) in (transcript.detail or "")


def test_a_cancelled_trial_leaves_nothing(api_world: World) -> None:
    async def cancel_at_the_request() -> None:
        async with api_world.opener(api_world) as engine, anyio.create_task_group() as tasks:
            tasks.start_soon(engine.run, api_world.invocation(ASKS))
            with anyio.fail_after(30):
                while not api_world.requests:  # noqa: ASYNC110 (the request arrives in a thread)
                    await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()

    api_world.behaviour = scripted([Reply(blocks=(Say("late"),), delay=60)])
    with api_world.serving():
        anyio.run(cancel_at_the_request)
        assert_nothing_left(api_world)


MARKER = "hedgehog-marker"


def dirty_scaffold(root: Path) -> Path:
    """Write a scaffold full of what must not reach a trial, and one file that must."""
    scaffold = root / "scaffold"
    claude = scaffold / ".claude"
    write = {
        scaffold / "notes.txt": "A plain file.\n",
        claude / "settings.json": json.dumps(
            {
                "hooks": {
                    "SessionStart": [
                        {"hooks": [{"type": "command", "command": f"echo {MARKER}-settings"}]}
                    ]
                },
                "env": {"ANTHROPIC_MODEL": f"{MARKER}-model"},
            }
        ),
        claude / "settings.local.json": '{"permissions": {"deny": ["Skill"]}}',
        claude / "hooks" / "x.sh": f"echo {MARKER}-hook\n",
        scaffold / ".mcp.json": json.dumps(
            {"mcpServers": {MARKER: {"command": "touch", "args": [str(root / "mcp-ran")]}}}
        ),
    }
    for path, text in write.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return scaffold


@pytest.mark.parametrize("position", ["plugin", "project"])
def test_nothing_of_a_dirty_host_or_scaffold_gets_in(
    api_world: World, position: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = api_world.root / "dirty-home"
    for name in ("CLAUDE.md", "skills/rival/SKILL.md", "agents/rival.md", "commands/rival.md"):
        path = home / ".claude" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nname: rival\ndescription: {MARKER}\n---\n{MARKER}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"x-marker: {MARKER}")
    project = api_world.project() if position == "project" else None
    scaffold = dirty_scaffold(api_world.root)
    (transcript,) = api_world.run(
        api_world.invocation(ASKS, scaffold=scaffold, project_dir=project)
    )
    assert read(transcript).outcome is Outcome.TRIGGERED, transcript.detail
    for request in api_world.requests:
        assert MARKER.encode() not in request.raw
        assert MARKER not in json.dumps(request.headers)
    assert not (api_world.root / "mcp-ran").exists()
    if "2.1.332" in api_world.name:  # the older version does not say it
        assert "Is a git repository: true" in api_world.requests[0].raw.decode()


def test_a_subscription_pays_by_its_token(api_world: World) -> None:
    api_world.access = Access(oauth_token="token-of-a-subscription")
    (transcript,) = api_world.run(api_world.invocation(UNRELATED))
    assert transcript.failure is None, transcript.detail
    headers = api_world.requests[0].headers
    assert headers["authorization"] == "Bearer token-of-a-subscription"
    assert "x-api-key" not in headers


def test_the_prefix_of_the_request_is_the_same_in_every_trial(api_world: World) -> None:
    scaffold = api_world.root / "scaffold"
    scaffold.mkdir()
    (scaffold / "main.py").write_text("print('hello')\n")
    first = api_world.invocation(UNRELATED, scaffold=scaffold)
    api_world.run(first, api_world.invocation("Tell me a joke.", scaffold=scaffold))
    api_world.run(first)
    seen = [request.body for request in api_world.requests]
    for part in ("tools", "system"):
        assert len({json.dumps(body[part]) for body in seen}) == 1
    same_prompt = [body for body in seen if read_prompt(body) == UNRELATED]
    assert len({json.dumps(body["messages"]) for body in same_prompt}) == 1
