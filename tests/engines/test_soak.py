"""Many real trials: the same rates at any concurrency, the same requests, and nothing left."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import anyio
import pytest

from skillwalker.engines.docker.run import open_docker
from skillwalker.engines.protocol import Engine
from skillwalker.standin.replies import Reply, Use
from skillwalker.standin.request import read_listing, read_prompt, turn_number
from skillwalker.standin.server import MessageRequest, serve
from tests.bench import call_cases, make_bench_project
from tests.clis import ROOT, VERSIONS, need_cli
from tests.docker_daemon import need_docker, our_containers
from tests.engines.test_local import fake_cli
from tests.engines.worlds import World, docker_settings, local_opener, make_world
from tests.user_runs import DONE, TARGET, Ran, User, by_name, calls, is_first, processes_with

NEWEST = VERSIONS[0]
THINGS = [
    "apples",
    "pears",
    "trains",
    "boats",
    "clouds",
    "rivers",
    "lamps",
    "chairs",
    "tables",
    "books",
]
TOWNS = ("Oslo", "Rome", "Paris", "Bern", "Lima", "Kyoto", "Quito", "Cairo", "Perth", "Delhi")
POSITIVES = [
    f"Review change {number}, which is about {word}." for number, word in enumerate(THINGS)
]
NEGATIVES = [f"How far is it to {word}, in {number} steps?" for number, word in enumerate(TOWNS)]


# --- rates ---------------------------------------------------------------------------------------


def fires(prompt: str, p: float) -> bool:
    """Draw whether the model calls the skill; the same for every repeat of a prompt."""
    drawn = int.from_bytes(sha256(prompt.encode()).digest()[:8], "big") / 2**64
    return drawn < p


def with_chance(p: float) -> Callable[[MessageRequest], Reply]:
    """Call the target with probability p, in the first turn or, as often, after a look around."""
    look = Reply(blocks=(Use("Bash", {"command": "ls", "description": "Look around"}),))

    def answer(asked: MessageRequest) -> Reply:
        control = by_name(asked)
        prompt, turn = read_prompt(asked.body), turn_number(asked.body)
        if control is not None or prompt not in (*POSITIVES, *NEGATIVES):
            return control or DONE
        late = len(prompt) % 2
        if late and turn == 1:
            return look
        return calls(TARGET) if turn == 1 + late and fires(prompt, p) else DONE

    return answer


def fire_on_positives(asked: MessageRequest) -> Reply:
    """Call the target for every positive, and for nothing else."""
    control = by_name(asked)
    if control is None and read_prompt(asked.body) in POSITIVES and is_first(asked):
        return calls(TARGET)
    return control or DONE


def counts(ran: Ran) -> list[int]:
    """Recall and specificity as counts: k and n of each."""
    assert ran.code == 0, ran.said
    original = ran.summary["original"]
    return [original[side][key] for side in ("recall", "specificity") for key in ("k", "n")]


@pytest.mark.cli
def test_the_rates_are_what_the_model_did_at_any_concurrency(tmp_path: Path) -> None:
    """B1.6: one worker or ten, the same outcomes; every request lists one copy of the target."""
    claude = need_cli(NEWEST)
    cases = call_cases(positives=POSITIVES[:7], negatives=NEGATIVES[:7])
    hits = sum(fires(prompt, 0.5) for prompt in POSITIVES[:7])
    false_alarms = sum(fires(prompt, 0.5) for prompt in NEGATIVES[:7])
    assert 0 < hits < 7
    assert 0 < false_alarms < 7
    outcomes = []
    with serve(with_chance(0.5)) as standin:
        user = User(make_bench_project(tmp_path, cases=cases), standin.url)
        for limit in ("1", "10"):
            ran = user.measure(claude, "--fresh", "--concurrency", limit)
            assert counts(ran) == [hits, 7, 7 - false_alarms, 7]
            rows = user.rows(ran.summary, "trials.jsonl")
            outcomes.append(sorted((row["case"], row["run_index"], row["outcome"]) for row in rows))
        listed = [[line.name for line in read_listing(one.body)] for one in standin.requests]
    assert outcomes[0] == outcomes[1]
    assert all(names.count(TARGET) == 1 for names in listed)
    assert all(sum("code-review" in name.split(":")[1:] for name in names) == 1 for names in listed)


@dataclass(frozen=True, slots=True)
class Fresh:
    """Three runs of the same measurement."""

    runs: list[Ran]
    requests: list[MessageRequest]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    claude = need_cli(NEWEST)
    cases = call_cases(positives=POSITIVES, negatives=NEGATIVES)
    project = make_bench_project(tmp_path_factory.mktemp("fresh"), cases=cases)
    with serve(fire_on_positives) as standin:
        user = User(project, standin.url)
        flags = ("--fresh", "--concurrency", "10")
        runs = [user.measure(claude, *flags) for _ in range(3)]
        return Fresh(runs, list(standin.requests))


@pytest.mark.cli
def test_no_trigger_of_thirty_is_lost(fresh: Fresh) -> None:
    found = [counts(ran) for ran in fresh.runs]
    assert found == [[10, 10, 10, 10]] * 3
    assert len({ran.summary["run_id"] for ran in fresh.runs}) == 3


# --- requests ------------------------------------------------------------------------------------

SESSION = re.compile(rb'"metadata":\{.*?\}"\}')
"""Names the session anew each time; it stands outside of what a prompt cache compares."""
SLOT = re.compile(rb"skillwalker-\d+/(\d\d)/work")


def without_prompt(asked: MessageRequest) -> bytes:
    """Give the bytes of a request without its prompt and its session."""
    prompt = json.dumps(read_prompt(asked.body), ensure_ascii=False).encode()
    assert asked.raw.count(prompt) == 1
    raw, sessions = SESSION.subn(b"", asked.raw)
    assert sessions == 1
    return raw.replace(prompt, b"")


@pytest.mark.cli
def test_requests_of_a_slot_differ_in_the_prompt_alone(fresh: Fresh) -> None:
    slots: dict[bytes, set[bytes]] = {}
    for asked in filter(is_first, fresh.requests):
        (slot,) = set(SLOT.findall(asked.raw))
        slots.setdefault(slot, set()).add(without_prompt(asked))
    assert 1 < len(slots) <= 10
    assert {slot: len(seen) for slot, seen in slots.items()} == dict.fromkeys(slots, 1)


@pytest.mark.docker
def test_all_requests_of_docker_differ_in_the_prompt_alone(tmp_path: Path) -> None:
    world = make_world(f"docker-{NEWEST}", tmp_path)
    world.concurrency = 4
    world.behaviour = lambda _asked: DONE
    scaffold = tmp_path / "scaffold"
    scaffold.mkdir()
    (scaffold / "main.py").write_text("print('hello')\n")
    done = world.run(*(world.invocation(prompt, scaffold=scaffold) for prompt in NEGATIVES[:6]))
    assert [transcript.failure for transcript in done] == [None] * 6
    assert len(world.requests) == 6
    assert len({without_prompt(asked) for asked in world.requests}) == 1


# --- what is left --------------------------------------------------------------------------------

GRANDCHILDREN = """
import socket, subprocess
open({started!r}, "a").write("x\\n")
socket.socket(socket.AF_UNIX).bind(os.environ["TMPDIR"] + "/cli.sock")
stubborn = "trap '' TERM HUP INT; sleep 600; :"
for command in ("setsid sleep 600 &", stubborn):
    subprocess.Popen(["sh", "-c", command], start_new_session=True)
message(1, {{"type": "text", "text": "On it."}})
message(2, call("demo:change-review"))
time.sleep(600)
"""
PROCESSES = 4
"""Of a trial: the CLI, an orphan, and a child that does not listen, with a child of its own."""
RUN_MANY = """
import sys
from pathlib import Path
from tests.engines.test_soak import run_many

run_many(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
"""


def docker_with_tools(world: World) -> AbstractAsyncContextManager[Engine]:
    """Open a docker engine in which tools may do what they like."""
    settings = docker_settings(world, need_docker(NEWEST))
    return open_docker(replace(settings, permission_mode="bypassPermissions"))


def run_many(name: str, root: Path, url: str, trials: int, limit: int) -> None:
    """Run trials, so many at a time, whose model starts processes that nobody ends."""
    opener = local_opener(str(root / "claude")) if name == "local" else docker_with_tools
    world = World(name, root, opener, url=url, concurrency=limit)

    async def run() -> None:
        async with opener(world) as engine, anyio.create_task_group() as tasks:
            for number in range(trials):
                tasks.start_soon(engine.run, world.invocation(f"Trial {number}."))

    anyio.run(run)


def start_many(
    name: str, root: Path, url: str, *, trials: int, limit: int
) -> subprocess.Popen[bytes]:
    """Start `run_many` in a process of its own."""
    words = [sys.executable, "-c", RUN_MANY, name, str(root), url, str(trials), str(limit)]
    return subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE)


def kill_in_the_middle(process: subprocess.Popen[bytes], is_middle: Callable[[], bool]) -> None:
    """Wait until a run is in its middle, and kill it."""
    deadline = time.monotonic() + 60
    with process:
        while not is_middle() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        was_running = process.poll() is None
        process.kill()
        assert was_running, process.communicate()[1].decode()


def run_to_the_end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a run that must end well."""
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0, said


def test_a_hundred_local_trials_and_a_kill_leave_nothing(tmp_path: Path) -> None:
    """B9.4: grandchildren in sessions of their own, deaf to requests, end with their trial."""
    started = tmp_path / "started"
    started.touch()
    fake_cli(tmp_path, GRANDCHILDREN.format(started=str(started)))
    temporary = tmp_path / "t"
    marker = f"HOME={temporary}"
    dead = "http://127.0.0.1:9"
    first = start_many("local", tmp_path, dead, trials=100, limit=8)
    kill_in_the_middle(first, lambda: len(started.read_text().split()) >= 50)
    assert list(temporary.glob("*/*.lock")), "locks and slots outlive a kill"
    assert 0 < len(processes_with(marker)) <= 8 * PROCESSES, "only those in flight outlive it too"
    run_to_the_end(start_many("local", tmp_path, dead, trials=50, limit=4))
    assert len(started.read_text().split()) >= 100
    assert processes_with(marker) == []
    assert list(temporary.iterdir()) == []


def containers_after_a_while() -> list[str]:
    """List our containers, once the daemon is done with what the killed run asked of it."""
    deadline = time.monotonic() + 20
    while our_containers() and time.monotonic() < deadline:
        time.sleep(0.2)
    return our_containers()


@pytest.mark.docker
def test_docker_trials_and_a_kill_leave_nothing(tmp_path: Path) -> None:
    """B9.4: a model's own processes, the container, the proxy's socket: all end with the trial."""
    need_docker(NEWEST)
    script = "for n in 1 2; do (trap '' TERM; setsid sleep 60613) & done; sleep 0.1"
    stay = Use("Bash", {"command": script, "description": "Stay", "run_in_background": True})
    asked: list[str] = []

    def answer(request: MessageRequest) -> Reply:
        asked.append(read_prompt(request.body))
        return Reply(blocks=(stay,)) if is_first(request) else calls("demo:change-review")

    temporary = tmp_path / "t"
    with serve(answer) as standin:
        first = start_many("docker", tmp_path, standin.url, trials=12, limit=3)
        kill_in_the_middle(first, lambda: len(asked) >= 12)
        assert our_containers(), "containers outlive a kill"
        assert list(temporary.glob("*/s/*.sock"))
        run_to_the_end(start_many("docker", tmp_path, standin.url, trials=6, limit=2))
    assert len(asked) >= 2 * (4 + 6)
    assert containers_after_a_while() == []
    assert processes_with("60613") == []
    assert list(temporary.iterdir()) == []
