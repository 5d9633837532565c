"""The sandbox from inside and outside: no key, no network, nothing of the host, nothing left."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code.command import Access
from skillwalker.claude_code.process import Next, ProcessEnd, TimeLimits
from skillwalker.datatypes.trials import Transcript
from skillwalker.engines.docker.client import connect
from skillwalker.engines.docker.container import Containers
from skillwalker.engines.docker.hardening import MEMORY, Job, create_container
from skillwalker.engines.docker.image import need_image
from skillwalker.engines.docker.run import open_docker
from skillwalker.engines.docker.sweep import remove, this_process
from skillwalker.engines.key_proxy import GATEWAY
from skillwalker.engines.protocol import Engine
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.standin.behaviour import scripted
from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.server import MessageRequest, serve
from tests.clis import ROOT, VERSIONS
from tests.docker_daemon import docker_host, need_docker, our_containers
from tests.engines.worlds import World, docker_settings, make_world

NEWEST = VERSIONS[0]
MARKER = "sk-ant-hedgehog-marker-key"
PROMPT = "Look around."
LIMITS = TimeLimits(wall=30.0, idle=20.0)


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(f"docker-{NEWEST}", tmp_path)
    made.access = Access(api_key=MARKER)
    return made


class Sandbox:
    """Runs shell scripts in containers like a trial's."""

    def __init__(self, folder: Path, image: str) -> None:
        self.folder = folder / "trial"
        self.sockets = folder / "s"
        for made in (self.folder / "work", self.sockets):
            made.mkdir(parents=True)
        (self.folder / "prompt").write_text("the prompt")
        self.image = image
        self.lines: list[bytes] = []
        self.wants: Callable[[bytes], Next] = lambda _line: Next.MORE

    def take(self, line: bytes) -> Next:
        """Collect a line and ask the test what should happen next."""
        self.lines.append(line)
        return self.wants(line)

    def job(self, image: str, script: str = "") -> Job:
        """Describe a container."""
        return Job(
            name=f"skillwalker-test-{os.getpid()}",
            image=image,
            argv=("bash", "-c", script),
            env={"GIVEN": "x"},
            folder=self.folder,
            sockets=self.sockets,
            owner=this_process(),
        )

    async def start(self, script: str, limits: TimeLimits) -> ProcessEnd:
        """Run a script."""
        with closing(connect(docker_host())) as client:
            job = self.job(need_image(client, self.image).id, script)
            containers = Containers(client, streams=1)
            end, _ = await containers.run(job, on_line=self.take, limits=limits)
            return end

    def run(self, script: str, limits: TimeLimits = LIMITS) -> ProcessEnd:
        """Run a script from a plain test."""
        return anyio.run(self.start, script, limits)

    def says(self, script: str) -> list[str]:
        """Run a script and give its lines."""
        end = self.run(script)
        assert end.exit_code == 0, end.stderr
        return [line.decode() for line in self.lines]


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    yield Sandbox(tmp_path, need_docker(NEWEST))
    assert not our_containers()


@pytest.mark.docker
def test_it_has_no_capability_no_way_to_gain_one_and_a_filter(sandbox: Sandbox) -> None:
    said = sandbox.says("grep -E '^(Cap|NoNewPrivs|Seccomp:|Uid)' /proc/self/status")
    found = {name: value.split() for name, _, value in (line.partition(":") for line in said)}
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(found[name][0], 16) == 0, name
    assert (found["NoNewPrivs"], found["Seccomp"]) == (["1"], ["2"])
    assert set(found["Uid"]) == {"10001"}


@pytest.mark.docker
def test_only_file_systems_in_memory_can_be_written(sandbox: Sandbox) -> None:
    said = sandbox.says("cat /proc/mounts")
    mounts = [line.split()[:4] for line in said]
    writable = {place: kind for _, place, kind, options in mounts if options.split(",")[0] == "rw"}
    assert {"/tmp", "/home/runner", "/workspace"} <= writable.keys()  # noqa: S108 (inside)
    assert set(writable.values()) <= {"tmpfs", "proc", "devpts", "mqueue", "sysfs"}
    assert all(kind != "ext4" and kind != "overlay" for kind in writable.values())
    assert {"/trial", "/run/skillwalker"} <= {place for _, place, _, _ in mounts}


@pytest.mark.docker
def test_nothing_of_ours_or_of_the_image_can_be_written(sandbox: Sandbox) -> None:
    tries = "/trial/x /trial/prompt /trial/work/x /run/skillwalker/x /etc/x /usr/local/bin/x /x"
    said = sandbox.says(f"for f in {tries}; do (echo x >$f) 2>/dev/null && echo $f; done; :")
    assert said == []


@pytest.mark.docker
def test_it_has_no_network(sandbox: Sandbox) -> None:
    script = (
        "ls /sys/class/net; for to in 127.0.0.1/80 1.1.1.1/443 172.17.0.1/80; do "
        "(exec 3<>/dev/tcp/$to) 2>/dev/null && echo reached $to; done; :"
    )
    assert sandbox.says(script) == ["lo"]


@pytest.mark.docker
def test_its_environment_is_what_it_was_given(sandbox: Sandbox) -> None:
    names = {line.partition("=")[0] for line in sandbox.says("env")}
    assert names <= {"GIVEN", "PATH", "PWD", "SHLVL", "HOME", "HOSTNAME", "_", "LANG"}


@pytest.mark.docker
def test_it_has_limits_of_memory_and_processes(sandbox: Sandbox) -> None:
    groups = "/sys/fs/cgroup"
    names = "pids.max memory.max pids/pids.max memory/memory.limit_in_bytes"
    said = sandbox.says(f"cd {groups}; cat {names} 2>/dev/null; :")
    assert said == ["512", str(MEMORY)]


@pytest.mark.docker
def test_what_is_written_in_the_working_folder_may_be_run(sandbox: Sandbox) -> None:
    script = "printf '#!/bin/sh\\necho ran' >x; chmod +x x; ./x; cat"
    assert sandbox.says(script) == ["ran", "the prompt"]


@pytest.mark.docker
def test_without_a_socket_it_gets_a_network_and_the_hosts_name(sandbox: Sandbox) -> None:
    """Only how such a container is made: the daemon of CI has no network to run it in."""
    with closing(connect(docker_host())) as client:
        job = replace(sandbox.job(need_image(client, sandbox.image).id), sockets=None)
        create_container(client, job, wall=1.0)
        try:
            config = client.api.inspect_container(job.name)["HostConfig"]
        finally:
            remove(client, job.name)
    assert (config["NetworkMode"], config["ExtraHosts"]) == ("bridge", [f"{GATEWAY}:host-gateway"])
    assert [mount["Target"] for mount in config["Mounts"]] == ["/trial"]


@pytest.mark.docker
def test_the_exit_code_and_the_last_words_arrive(sandbox: Sandbox) -> None:
    end = sandbox.run("echo a; echo; printf b; echo why >&2; exit 3")
    assert (sandbox.lines, end.exit_code) == ([b"a", b"", b"b"], 3)
    assert (end.stderr.strip(), end.timed_out, end.idle) == ("why", False, False)


@pytest.mark.docker
def test_a_large_output_arrives_whole(sandbox: Sandbox) -> None:
    assert sandbox.run("head -c 3000000 /dev/zero | tr '\\0' x").exit_code == 0
    assert sandbox.lines == [b"x" * 3_000_000]


@pytest.mark.docker
def test_its_output_goes_into_a_large_pipe(sandbox: Sandbox) -> None:
    assert sandbox.says("perl -e 'print fcntl STDOUT, 1032, 0'") == [str(2**20)]


@pytest.mark.docker
def test_a_silent_program_is_ended(sandbox: Sandbox) -> None:
    end = sandbox.run("echo a; sleep 60", TimeLimits(wall=20.0, idle=0.5))
    assert (end.idle, end.timed_out, end.exit_code) == (True, False, None)
    assert sandbox.lines == [b"a"]


@pytest.mark.docker
def test_a_slow_program_is_ended_with_its_children(sandbox: Sandbox) -> None:
    script = "setsid sleep 60 & trap '' TERM; while :; do echo tick; sleep 0.1; done"
    end = sandbox.run(script, TimeLimits(wall=1.0, idle=20.0))
    assert (end.timed_out, end.idle) == (True, False)
    assert b"tick" in sandbox.lines


@pytest.mark.docker
def test_enough_ends_it_at_once(sandbox: Sandbox) -> None:
    sandbox.wants = lambda line: Next.STOP if line == b"1" else Next.MORE
    sandbox.run("echo 0; echo 1; echo 2; sleep 60")
    assert sandbox.lines == [b"0", b"1"]


@pytest.mark.docker
def test_it_may_linger_but_not_long(sandbox: Sandbox) -> None:
    sandbox.wants = lambda _line: Next.LINGER
    end = sandbox.run("echo result; sleep 60", replace(LIMITS, linger=0.3))
    assert (end.exit_code, end.idle, end.timed_out) == (None, False, False)


@pytest.mark.docker
def test_too_much_memory_is_said(sandbox: Sandbox) -> None:
    end = sandbox.run("exec tail /dev/zero")
    assert end.exit_code == 137
    assert "memory" in end.stderr


@pytest.mark.docker
def test_the_key_is_nowhere_but_in_our_memory(world: World) -> None:
    script = "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; cat /trial/*"
    look = Use("Bash", {"command": script, "description": "Look around"})
    seen: list[str] = []

    def answer(_asked: object) -> Reply:
        seen.append(outside(world))
        return Reply(blocks=(look,)) if len(seen) == 1 else Reply(blocks=(Say("Done."),))

    world.behaviour = answer
    transcript = run_freely(world)
    assert transcript.failure is None, transcript.detail
    first, second = world.requests
    assert first.headers["x-api-key"] == MARKER
    result = second.raw.decode()
    assert "ANTHROPIC_API_KEY=sandbox-" in result, "the model saw its environment"
    assert MARKER not in result
    assert "ANTHROPIC_API_KEY=sandbox-" in seen[0], "the container was inspected"
    assert '"NetworkMode": "none"' in seen[0], "the daemon of CI has no network to be kept from"
    assert '"LogConfig": {"Type": "none"' in seen[0], "nothing of a trial is kept in a log"
    assert MARKER not in "".join(seen)
    assert MARKER.encode() not in b"\n".join(transcript.raw)


def run_freely(world: World) -> Transcript:
    """Run a trial whose tools may do what they like, as an eval's do."""

    @asynccontextmanager
    async def open_it(world: World) -> AsyncIterator[Engine]:
        settings = docker_settings(world, need_docker(NEWEST))
        async with open_docker(replace(settings, permission_mode="bypassPermissions")) as engine:
            yield engine

    world.opener = open_it
    (transcript,) = world.run(world.invocation(PROMPT, called_as=None))
    return transcript


def outside(world: World) -> str:
    """Read all that others on this machine could: descriptions, processes and files."""
    with closing(connect(docker_host())) as client:
        ours = client.api.containers(all=True, filters={"label": "skillwalker=container"})
        found = [json.dumps(client.api.inspect_container(one["Id"])) for one in ours]
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            with suppress(OSError):
                found.append((process / name).read_text(errors="replace"))
    files = [path for path in world.temp_root.rglob("*") if path.is_file()]
    return "\n".join([*found, *(path.read_text(errors="replace") for path in files)])


KILLED = """
import sys
from pathlib import Path
import anyio
from tests.engines.worlds import make_world

async def run():
    async with world.opener(world) as engine:
        await engine.run(world.invocation("hello"))

world = make_world(sys.argv[1], Path(sys.argv[2]))
world.url = sys.argv[3]
anyio.run(run)
"""


@pytest.mark.docker
def test_what_a_killed_run_left_is_gone_after_the_next_start(world: World) -> None:
    asked = threading.Event()

    def answer(_asked: MessageRequest) -> Reply:
        asked.set()
        return Reply(blocks=(Say("late"),), delay=60)

    with serve(answer) as standin:
        command = [sys.executable, "-c", KILLED, world.name, str(world.root), standin.url]
        with subprocess.Popen(command, cwd=ROOT) as killed:
            assert asked.wait(30)
            killed.send_signal(signal.SIGKILL)
        assert our_containers(), "the container goes on"
        assert list(world.temp_root.glob("*"))
        world.url = standin.url
        anyio.run(_open_and_close, world)
    assert not our_containers()
    assert not list(world.temp_root.glob("*"))


async def _open_and_close(world: World) -> None:
    async with world.opener(world):
        assert not our_containers(), "they are removed before the first trial"


@pytest.mark.docker
def test_no_api_gives_the_reason_in_one_line(world: World) -> None:
    async def run_one() -> Transcript:
        async with world.opener(world) as engine:
            return await engine.run(world.invocation(PROMPT))

    with socket.create_server(("127.0.0.1", 0)) as unused:
        world.url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    transcript = anyio.run(run_one)
    assert transcript.failure == "connection"
    assert (
        transcript.detail == f"{world.url}: ConnectionRefusedError: [Errno 111] Connection refused"
    )


@pytest.mark.docker
def test_a_variable_that_the_user_lets_through_arrives_and_a_secret_does_not(
    world: World,
) -> None:
    @asynccontextmanager
    async def open_it(world: World) -> AsyncIterator[Engine]:
        extra = {"MY_TOOL": "on", "COPY_OF_THE_KEY": MARKER, "ANTHROPIC_UNIX_SOCKET": "/x"}
        settings = replace(docker_settings(world, need_docker(NEWEST)), extra_env=extra)
        async with open_docker(settings) as engine:
            yield engine

    seen: list[str] = []

    def answer(_asked: object) -> Reply:
        seen.append(outside(world))
        return Reply(blocks=(Say("Done."),))

    world.opener = open_it
    world.behaviour = answer
    (transcript,) = world.run(world.invocation(PROMPT))
    assert transcript.failure is None, transcript.detail
    assert '"MY_TOOL=on"' in seen[0]
    assert MARKER not in seen[0]


@pytest.mark.docker
def test_the_first_line_says_what_runs_and_who_pays(world: World) -> None:
    async def headline(url: str) -> str:
        world.url = url
        async with world.opener(world) as engine:
            return engine.facts.headline

    with serve(scripted((Reply(),))) as standin:
        simulated = anyio.run(headline, standin.url)
    assert "paid by nobody: a stand-in answers" in simulated
    real = anyio.run(headline, "http://someone@127.0.0.1:1/p")
    assert f"engine docker: Claude Code {NEWEST}" in real
    assert "no network but the API" in real
    assert real.endswith("requests to http://127.0.0.1:1/p, paid by the API key")


@pytest.mark.docker
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        pytest.param({"access": Access()}, "ANTHROPIC_API_KEY", id="no login"),
        pytest.param({"image": "skillwalker-test-base"}, "sandbox build", id="no sandbox image"),
        pytest.param({"docker_host": "unix:///nowhere"}, "no daemon answers", id="no daemon"),
    ],
)
def test_an_engine_that_cannot_run_says_what_to_do(
    world: World, changed: dict[str, object], words: str
) -> None:
    settings = replace(docker_settings(world, need_docker(NEWEST)), **changed)  # type: ignore[arg-type]  # a test's shorthand

    async def open_it() -> None:
        async with open_docker(settings):
            pass

    with pytest.raises(EngineUnavailableError, match=words):
        anyio.run(open_it)
    assert not list(world.temp_root.glob("*"))


@pytest.mark.docker
def test_a_scaffold_that_cannot_be_read_is_one_undecided_trial(world: World) -> None:
    async def run_one() -> None:
        async with world.opener(world) as engine:
            await engine.run(world.invocation(PROMPT, scaffold=world.root / "absent"))

    with pytest.raises(TrialError, match="absent"):
        anyio.run(run_one)
    assert not list(world.temp_root.glob("*"))
