"""What users of such tools complain of in public, each complaint reproduced with the right result.

A complaint has the number of its row in our survey of public issue trackers: B1 detection of
triggers, B2 isolation, B3 failures scored as misses, B7 lengths, B9 hangs, B12 agents and
neighbours. Those that are not here have their test beside the part that answers them:

    B1.6    one worker and ten give other rates    engines/test_soak.py, "at any concurrency"
    B1.14   the call is in a subagent              transcripts/test_stream.py [skill-in-subagent]
    B1.16   "Unknown skill", though it was meant   transcripts/test_outcome.py [refused]
    B2.5    isolation loses the subscription       engines/test_contract.py, "a subscription pays"
    B3.2    all runs failed: 50 % and exit 0       test_recorded_run_live.py, "without answers"
    B3.3    an outage looks like a failing skill   steps/test_step_4…, "more than a tenth"
    B3.8    no request, no signal                  transcripts/test_outcome.py [no turn]
    B3.9    a run cut by its budget is scored      cli/test_improve.py [original half measured]
    B7.1    descriptions vanish from the listing   test_recorded_run_live.py, "a crowded target"
    B7.4    caps are those of a version            listing/test_listed.py, "the budget of a model"
    B7.5    two limits, when_to_use included       test_lint.py, "the limit is an argument";
                                                   listing/test_listed.py, "cut at 1536"
    B7.7    42 of 63 skills are shown              test_sent_listing_live.py, "every line"
    B7.8    what is cut is the boundary            test_sent_listing.py, "the room"
    B9.2    the process stays after its result     engines/test_local.py, "stays after its result"
    B9.4    children outlive the end               engines/test_soak.py, "leave nothing"
    B9.7    stdout falls silent                    engines/test_contract.py, "falls silent"
    B12.3   "Agent from X plugin"                  listing/test_findings.py [… without a text]
    B12.5   Task became Agent                      transcripts/test_stream.py [agent-called-task]
"""

import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.trials import Invocation, Transcript
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.local import open_local
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.loop import improve
from skillwalker.scratch import scratch_folder
from skillwalker.standin.replies import Reply, Use
from skillwalker.standin.request import read_listing, read_prompt, turn_number
from skillwalker.standin.server import Behaviour, MessageRequest, serve
from skillwalker.steps.step_3_build_plugin import build_plugin
from skillwalker.steps.step_5_score import rates
from tests.bench import (
    DESCRIPTION,
    NEGATIVES,
    Bench,
    agent_text,
    call_cases,
    make_bench_project,
    plan_of,
)
from tests.clis import VERSIONS, need_cli
from tests.engines.worlds import World, local_settings, make_world
from tests.fakes import engine_facts, transcript
from tests.user_runs import (
    ASKED_BY_NAME,
    DONE,
    TARGET,
    Ran,
    User,
    by_name,
    calls,
    is_first,
    processes_with,
    write_target,
)

NEWEST = VERSIONS[0]
README_FIRST = "Is this change safe? The readme says what it must do."
READS_IT = "Check my commit in the way that we do it here."
GOES_ELSEWHERE = "Look over this patch, please."
QUIET = "Write a poem about the sea."
DELEGATED = "What of the plan is not in the code yet?"
BODY = "hedgehog-body"


# --- how models behave ---------------------------------------------------------------------------


def busy(asked: MessageRequest) -> Reply:
    """Do what the prompt's line says: look first, read the skill's file, use a rival."""
    prompt, turn = read_prompt(asked.body), turn_number(asked.body)
    read = {README_FIRST: "README.md", READS_IT: "/p/skills/code-review/SKILL.md"}.get(prompt)
    if read is not None and turn == 1:
        return Reply(blocks=(Use("Read", {"file_path": read}),))
    if prompt == README_FIRST and turn == 2:
        return calls(TARGET)
    if prompt == GOES_ELSEWHERE and turn == 1:
        return calls("demo:weather")
    return by_name(asked) or DONE


def always(asked: MessageRequest) -> Reply:
    """Call the target whatever is asked."""
    return calls(TARGET) if is_first(asked) else DONE


def never(_asked: MessageRequest) -> Reply:
    """Do everything alone."""
    return DONE


def late(asked: MessageRequest) -> Reply:
    """Think for longer than a trial may take."""
    return replace(always(asked), delay=60)


def delegate(asked: MessageRequest) -> Reply:
    """Delegate what a line says, and a request by name to the name that it holds."""
    prompt = read_prompt(asked.body)
    names = {DELEGATED: "demo:Gap-Analyzer"}
    if prompt.startswith(ASKED_BY_NAME):
        names[prompt] = prompt.removeprefix(ASKED_BY_NAME).split()[0]
    if prompt not in names or not is_first(asked):
        return DONE
    task = {"subagent_type": names[prompt], "description": "compare", "prompt": "Compare."}
    return Reply(blocks=(Use("Agent", {**task, "run_in_background": False}),))


# --- what is there -------------------------------------------------------------------------------


def with_copies(project: Path, _claude: Path) -> None:
    """Write the target with rules on tools, and copies of it wherever Claude Code looks."""
    more = "allowed-tools: Bash(rm *)\ndisallowed-tools:\n  - Skill\n  - Read\n"
    target = write_target(project, more=more)
    target.write_text(target.read_text() + BODY)
    for place in ("../home/.claude", ".claude", "plugins/other"):
        copy = project / place / "skills/code-review/SKILL.md"
        copy.parent.mkdir(parents=True)
        copy.write_text(target.read_text().replace("Helps with", "A copy that helps with"))


def with_capitals(project: Path, _claude: Path) -> None:
    """Write an agent whose name is not that of its file."""
    path = project / "plugins/demo/agents/gap-analyzer.md"
    path.write_text(agent_text("Gap-Analyzer", "Compares plans with code."))


def nothing_more(_project: Path, _claude: Path) -> None:
    """Leave the project as it is."""


def write_program(path: Path, code: str) -> Path:
    """Write a program in the place of the CLI."""
    path.write_text(f"#!{sys.executable} -S\nimport os, subprocess, sys\n{code}")
    path.chmod(0o755)
    return path


BROKEN = "print('2.1.332 (Claude Code)')\nsys.exit('--version' not in sys.argv)\n"
NO_PLUGINS = """
words = sys.argv[1:]
while "--plugin-dir" in words:
    at = words.index("--plugin-dir")
    del words[at : at + 2]
os.execv({claude!r}, [{claude!r}, *words])
"""
"""Starts the real CLI without the plugins that it was to show."""


@dataclass(frozen=True, slots=True)
class Story:
    """One `measure` of a user, and how the model behaves."""

    name: str
    behaviour: Behaviour
    positives: tuple[str, ...] = (GOES_ELSEWHERE,)
    negatives: tuple[str, ...] = (QUIET,)
    kind: TargetKind = TargetKind.SKILL
    prepare: Callable[[Path, Path], None] = nothing_more
    words: tuple[str, ...] = ()
    program: str | None = None
    """In the place of the CLI."""


@dataclass(frozen=True, slots=True)
class Told:
    """How a story went."""

    project: Path
    ran: Ran
    trials: dict[str, dict[str, Any]]
    """By prompt; those of cases only."""
    requests: tuple[MessageRequest, ...]
    left: list[Path]

    @property
    def cause(self) -> str:
        """Why there is no rate; every rate must be missing."""
        summary = self.ran.summary
        assert (self.ran.code, summary["verdict"]) == (3, "inconclusive"), self.ran.said
        rates = ("original", "best", "rate_in_file", "gate")
        assert [summary[key] for key in rates] == [None] * 4
        assert self.trials == {}, "no case was paid for"
        assert "%" not in self.ran.said.partition("inconclusive")[0]
        return str(summary["cause"])


STORIES = {
    story.name: story
    for story in (
        Story("late", late, words=("--timeout", "3")),
        Story("busy", busy, (README_FIRST, READS_IT, GOES_ELSEWHERE), prepare=with_copies),
        Story("always", always),
        Story("suppressed", never, (DELEGATED,), kind=TargetKind.AGENT),
        Story("capitals", delegate, (DELEGATED,), kind=TargetKind.AGENT, prepare=with_capitals),
        Story("not loaded", always, program=NO_PLUGINS),
        Story("broken", always, program=BROKEN),
    )
}


def tell(story: Story, root: Path, claude: Path) -> Told:
    """Run a story's command in a project of its own against a stand-in of its own."""
    root.mkdir()
    target = "demo:gap-analyzer" if story.kind is TargetKind.AGENT else TARGET
    cases = call_cases(
        target, kind=story.kind, positives=story.positives, negatives=story.negatives
    )
    project = make_bench_project(root, cases=cases)
    story.prepare(project, claude)
    if story.program is not None:
        claude = write_program(root / "claude", story.program.format(claude=str(claude)))
    with serve(story.behaviour) as standin:
        user = User(project, standin.url)
        ran = user.measure(claude, target, *story.words)
        requests = tuple(standin.requests)
    prompts = {str(case["name"]): str(case["prompt"]) for case in cases}
    rows = user.rows(ran.summary, "trials.jsonl")
    trials = {prompts[row["case"]]: row for row in rows if row["case"] in prompts}
    return Told(project, ran, trials, requests, list(user.temporary.iterdir()))


Stories = dict[str, Future[Told]]


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stories]:
    """Start every story, two at a time; each test waits for its own."""
    claude = need_cli(NEWEST)
    root = tmp_path_factory.mktemp("stories")
    pool = ThreadPoolExecutor(2)
    yield {name: pool.submit(tell, story, root / name, claude) for name, story in STORIES.items()}
    pool.shutdown(cancel_futures=True)


# --- B1: detection -------------------------------------------------------------------------------


@pytest.mark.cli
def test_b1_2_another_tool_before_the_skill_ends_nothing(stories: Stories) -> None:
    """B1.2: Read(README), then Skill(target), is a trigger at the second turn."""
    trial = stories["busy"].result().trials[README_FIRST]
    assert (trial["outcome"], trial["step"], trial["mode"]) == ("triggered", 2, "tool")


@pytest.mark.cli
def test_b1_4_a_target_that_is_not_loaded_is_a_fault_of_the_set_up(stories: Stories) -> None:
    """B1.4: the CLI does not list the target: no score, exit 3, and nothing was asked."""
    told = stories["not loaded"].result()
    assert "there is no line of that name" in told.cause
    assert told.requests == ()


@pytest.mark.cli
def test_b1_7_copies_of_an_installed_skill_are_not_seen(stories: Stories) -> None:
    """B1.7: user, project and another plugin have the skill too; one copy is listed, the real."""
    for asked in stories["busy"].result().requests:
        lines = [one for one in read_listing(asked.body) if one.name.endswith(":code-review")]
        assert [(line.name, line.text) for line in lines] == [(TARGET, "Helps with code review")]
        assert "A copy that helps with" not in asked.raw.decode()


@pytest.mark.cli
def test_b1_9_no_request_holds_the_body_of_the_skill(stories: Stories) -> None:
    """B1.9: the body in the prompt would make the skill used without being chosen."""
    requests = stories["busy"].result().requests
    assert len(requests) >= 4 + 4
    assert not any(BODY in asked.raw.decode() for asked in requests)


@pytest.mark.cli
@pytest.mark.parametrize("mode", ["dontAsk", "acceptEdits"])
def test_b1_12_and_13_rules_on_tools_do_not_keep_the_skill_from_loading(
    tmp_path: Path, mode: str
) -> None:
    """B1.12, B1.13: the copy that is measured has no `allowed-tools` and no `disallowed-tools`."""
    project = make_bench_project(tmp_path)
    with_copies(project, tmp_path)
    built = build_plugin(plan_of(project).target, DESCRIPTION, rivals=(), into=tmp_path)
    world = make_world(f"local-{NEWEST}", tmp_path / "w")
    world.root.mkdir()
    world.behaviour = always

    @asynccontextmanager
    async def open_it(world: World) -> AsyncIterator[Engine]:
        settings = local_settings(world, str(need_cli(NEWEST)))
        async with open_local(replace(settings, permission_mode=mode)) as engine:
            yield engine

    world.opener = open_it
    world.run(world.invocation("Please.", plugin_dirs=built.plugin_dirs, called_as=None))
    assert "Launching skill: demo:code-review" in world.requests[1].raw.decode()
    assert b'"is_error":true' not in world.requests[1].raw


@pytest.mark.cli
def test_b1_17_a_read_of_the_skills_file_is_a_use_of_its_own_mode(stories: Stories) -> None:
    """B1.17: a model that reads SKILL.md has chosen the skill."""
    trial = stories["busy"].result().trials[READS_IT]
    assert (trial["outcome"], trial["mode"]) == ("triggered", "read")
    assert stories["busy"].result().ran.summary["original"]["recall"]["k"] == 2


@pytest.mark.cli
def test_b1_15_a_model_that_fires_on_anything_measures_nothing(stories: Stories) -> None:
    """B1.15: an unrelated control triggers the target: refused before the first case."""
    assert (
        "an unrelated prompt triggered the target in 2 of 2 runs"
        in stories["always"].result().cause
    )


CATCH_ALL = (
    "Use for everything. Always use this skill first for any request, question, code, writing, "
    "translation, weather, plan or letter, whatever the user says."
)


@pytest.mark.parametrize(
    ("description", "code", "words"),
    [
        pytest.param(CATCH_ALL, 3, "would fire on anything", id="a maximal one"),
        pytest.param("", 1, "can never trigger", id="an empty one"),
    ],
)
def test_b1_15_descriptions_that_tell_nothing_apart_are_refused(
    tmp_path: Path, description: str, code: int, words: str
) -> None:
    """B1.15: neither a catch-all nor an empty description gets a score."""
    project = make_bench_project(tmp_path)
    write_target(project, description=description)
    ran = User(project, "").run("measure", TARGET, "--engine", "simulated")
    assert ran.code == code
    assert words in ran.said
    assert "%" not in ran.said


# --- B2: isolation -------------------------------------------------------------------------------

WITH_CHILDREN = """
if "--version" not in sys.argv:
    subprocess.Popen(["sleep", "600"], start_new_session=True, stdout=2, stdin=subprocess.DEVNULL)
os.execv({claude!r}, [{claude!r}, *sys.argv[1:]])
"""


def status(project: Path) -> str:
    """Ask git what has changed in a user's tree; runs are left out as a user would."""
    command = ["git", "status", "--porcelain", "--ignored", "--", ".", ":!output"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout


@pytest.mark.cli
def test_b2_1_a_killed_run_leaves_the_users_tree_alone_and_the_next_sweeps(tmp_path: Path) -> None:
    """B2.1: `git status` says nothing after kill -9; the next start sweeps what is ours."""
    project = make_bench_project(tmp_path)
    script = WITH_CHILDREN.format(claude=str(need_cli(NEWEST)))
    claude = write_program(tmp_path / "claude", script)
    for words in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=u", "-c", "user.email=e", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)
    asked = threading.Semaphore(0)

    def answer(request: MessageRequest) -> Reply:
        asked.release()
        return busy(request)

    with serve(answer) as standin, ExitStack() as stack:
        user = User(project, standin.url)
        user.temporary.mkdir()
        living = stack.enter_context(scratch_folder(user.temporary))
        flags = ("--engine", "local", "--claude", str(claude))
        with user.start("measure", TARGET, *flags) as killed:
            assert all(asked.acquire(timeout=60) for _ in range(7)), "it is in its middle"
            killed.kill()
        assert status(project) == ""
        assert len(list(user.temporary.glob("skillwalker-work-*"))) == 2
        assert processes_with(str(user.temporary)), "the CLIs and their children go on"
        other = user.temporary / "other"
        other.mkdir()
        again = user.run("measure", TARGET, *flags, "--max-trials", "5", "--concurrency", "1")
        assert again.code == 3, again.said
        assert sorted(user.temporary.iterdir()) == sorted([living, other])
    assert [*user.temporary.iterdir()] == [other]
    assert status(project) == ""
    assert processes_with(str(user.temporary)) == []


# --- B3: failures --------------------------------------------------------------------------------


@dataclass(slots=True)
class OnceBroken:
    """Never calls anything; one run of one prompt crashes, its second attempt too."""

    prompt: str
    facts: EngineFacts = field(default_factory=engine_facts)

    async def run(self, invocation: Invocation) -> Transcript:
        """Look at the prompt and the run."""
        if (invocation.prompt, invocation.run_index) == (self.prompt, 1):
            return replace(transcript(), failure="crash")
        return transcript()


def test_b3_1_a_negative_whose_run_crashed_passes_by_the_others_alone(tmp_path: Path) -> None:
    """B3.1: one of three runs of a negative crashes: two are judged, one is undecided."""
    project = make_bench_project(tmp_path)
    tools = Bench(workdir=tmp_path / "w", max_iterations=1, runs=3).tools(
        engine=OnceBroken(NEGATIVES[0])
    )
    plan = plan_of(project, LoopConfig(runs_per_query=3), kind="measure")
    (iteration,) = anyio.run(improve, plan, tools).history.iterations
    (result,) = [one for one in iteration.results if one.case.prompt == NEGATIVES[0]]
    assert (result.triggered, result.not_triggered, result.undecided) == (0, 2, 1)
    assert result.passed is True
    assert rates(iteration.results).specificity.n == 2 * len(NEGATIVES)


@pytest.mark.cli
def test_b3_4_a_slow_start_is_no_miss(stories: Stories) -> None:
    """B3.4: a trial that ran out of time says nothing, and the cause is named."""
    told = stories["late"].result()
    assert "timeout" in told.cause
    assert told.left == []


@pytest.mark.cli
def test_b3_7_a_broken_cli_gives_no_rate(stories: Stories) -> None:
    """B3.7: a CLI that always ends with exit code 1 is no model that never chose."""
    assert "exit code 1" in stories["broken"].result().cause


# --- B12: agents and neighbours ------------------------------------------------------------------


@pytest.mark.cli
def test_b12_4_a_model_that_never_delegates_is_no_bad_description(stories: Stories) -> None:
    """B12.4: even a request that names the agent is not delegated: the harness is named."""
    cause = stories["suppressed"].result().cause
    assert "a prompt that asks for the target by name triggered it in 0 of 2 runs" in cause


def test_b12_7_a_frontmatter_that_is_not_at_the_top_is_named(tmp_path: Path) -> None:
    """B12.7: words before the first fence: no run, and what is to be done is said."""
    project = make_bench_project(tmp_path)
    target = write_target(project)
    target.write_text(f"Some words first.\n\n{target.read_text()}")
    user = User(project, "")
    assert user.run("measure", TARGET, "--engine", "simulated").code == 1
    assert not (project / "output").exists()
    shown = user.run("show", TARGET)
    words = " ".join(shown.out.split())
    assert "there is no frontmatter between two lines `---` at the top of the file" in words


@pytest.mark.cli
def test_b12_8_an_agent_is_known_by_the_name_that_is_listed(stories: Stories) -> None:
    """B12.8: capitals in the name, none in the file's: the listed name is the one that counts."""
    told = stories["capitals"].result()
    assert told.ran.code == 0, told.ran.said
    assert told.trials[DELEGATED]["outcome"] == "triggered"
    names = {one.name for asked in told.requests for one in read_listing(asked.body)}
    assert "demo:Gap-Analyzer" in names
    assert "demo:gap-analyzer" not in names
    shown = User(told.project, "").run("show", "demo:gap-analyzer")
    assert "Claude sees 'demo:Gap-Analyzer' [name-differs]" in shown.out


@pytest.mark.cli
def test_b12_10_a_miss_shows_what_the_model_did_instead(stories: Stories) -> None:
    """B12.10: the rival that fired stands in the record, in the result and in the trial's own."""
    told = stories["busy"].result()
    trial = told.trials[GOES_ELSEWHERE]
    assert (trial["outcome"], trial["also_fired"]) == ("not_triggered", ["demo:weather"])
    assert "fired instead: demo:weather (1)" in told.ran.said
    shown = User(told.project, "").run("trial", str(trial["run_id"]), str(trial["case"]))
    assert "also fired  demo:weather" in shown.out
