"""Real trials against a bare loop: what Skillwalker adds to the CLI's own time.

    .venv/bin/python bench/throughput.py --claude PATH [--seconds 2]
    .venv/bin/python bench/throughput.py --engine docker [--docker-host HOST] [--seconds 2]

Sixty trials (20 prompts, each under three names; half of them call the skill) at a fixed time a
model turn, at concurrency 4 and 10, from the first trial to the last: preflight, improver and gate
apart. The bare loop starts the same command lines with fresh homes and kills them at the first
tool call; for docker it makes, starts and removes the same containers by the SDK alone, on the
same key proxy, since they have no other way out. Both run in one go, in turn, so that what else
the machine does meets both alike.
"""

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import docker
from anyio import to_thread

from skillwalker.claude_code.command import build_arguments, build_environment
from skillwalker.config import Login, LoopConfig
from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import Cell
from skillwalker.datatypes.trials import BuiltPlugin, CalledAs
from skillwalker.datatypes.vocabulary import CaseSet, Outcome, TargetKind
from skillwalker.engines.docker import hardening as inside
from skillwalker.engines.docker.image import IMAGE, need_image
from skillwalker.engines.docker.sweep import this_process
from skillwalker.engines.key_proxy import serve_key_proxy
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.limits import Limits
from skillwalker.recording.store import RunStore
from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.request import read_prompt
from skillwalker.standin.server import Behaviour, MessageRequest, serve
from skillwalker.steps.step_4_run_trials import run_trials
from skillwalker.trials.pool import drain

MODEL = "claude-sonnet-4-5"
PROMPTS = tuple((f"prompt {n}", n % 2 == 0) for n in range(20))
NAMES = 3


def answer_after(seconds: float) -> Behaviour:
    """Call the skill for every second prompt, after the time that a model would take."""
    wanted = {prompt for prompt, expected in PROMPTS if expected}

    def answer(asked: MessageRequest) -> Reply:
        if read_prompt(asked.body).strip() in wanted:
            return Reply(blocks=(Use("Skill", {"skill": "demo:target"}),), delay=seconds)
        return Reply(blocks=(Say("No skill is needed."),), delay=seconds)

    return answer


def write_plugin(folder: Path) -> BuiltPlugin:
    """Write the plugin that every trial is shown."""
    skill = folder / "demo/skills/target/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: target\ndescription: Handles every second prompt.\n---\nSay so.\n")
    manifest = folder / "demo/.claude-plugin/plugin.json"
    manifest.parent.mkdir()
    manifest.write_text(json.dumps({"name": "demo"}))
    return BuiltPlugin(
        candidate="0" * 16,
        plugin_dirs=(folder / "demo",),
        project_dir=None,
        called_as=CalledAs(
            kind=TargetKind.SKILL,
            names=frozenset({"demo:target", "target"}),
            path_suffix="skills/target/SKILL.md",
        ),
        listing_key="bench",
    )


def cells() -> tuple[Cell, ...]:
    """Sixty one-run cases."""
    return tuple(
        Cell(
            case=TriggerCase(
                name=f"{prompt} as {name}", prompt=prompt, should_trigger=expected, model=MODEL
            ),
            set=CaseSet.TRAIN,
            runs=1,
            first_index=0,
        )
        for prompt, expected in PROMPTS
        for name in range(NAMES)
    )


async def ours(engine: str, settings: EngineSettings, built: BuiltPlugin, folder: Path) -> float:
    """Seconds from the first trial to the last."""
    store = RunStore(folder)
    async with open_engine(engine, seed=0, settings=settings) as opened:
        began = time.perf_counter()
        results = await run_trials(
            cells(),
            built=built,
            iteration=1,
            engine=opened,
            journal=store,
            config=LoopConfig(concurrency=settings.concurrency),
            limits=Limits(),
            on_trial=lambda trial: None if trial.outcome is not Outcome.UNDECIDED else print(trial),
            on_reused=lambda _trial: None,
        )
        seconds = time.perf_counter() - began
    store.close()
    assert all(result.passed for result in results), "a trial was read wrongly"
    return seconds


def command(claude: str, plugin: str) -> tuple[str, ...]:
    """The command line of every trial."""
    return build_arguments(
        binary=claude, plugin_dirs=(plugin,), has_project=False, model=MODEL, max_turns=4
    )


async def timed(run: Callable[[str], Awaitable[None]], limit: int) -> float:
    """Seconds of all trials, so many at a time."""
    jobs = [cell.case.prompt for cell in cells()]
    began = time.perf_counter()
    await drain(lambda: jobs.pop(0) if jobs else None, run, limit=limit)
    return time.perf_counter() - began


async def bare(settings: EngineSettings, built: BuiltPlugin) -> float:
    """Seconds of the same command lines, killed at the first tool call."""
    arguments = command(settings.claude, str(built.plugin_dirs[0]))

    async def run(prompt: str) -> None:
        home = Path(await to_thread.run_sync(tempfile.mkdtemp))
        for name in ("work", "tmp"):
            (home / name).mkdir()
        env = build_environment(
            settings.access, home=str(home), temp=str(home / "tmp"), path=settings.path
        )
        async with await anyio.open_process(
            arguments, env=env, cwd=home / "work", stderr=None, start_new_session=True
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send(prompt.encode())
            await process.stdin.aclose()
            async for chunk in process.stdout:
                if b'"tool_use"' in chunk:
                    process.kill()
                    break
        await to_thread.run_sync(shutil.rmtree, home)

    return await timed(run, settings.concurrency)


def readable_folder() -> Path:
    """Make a folder that a container's user can read."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    return folder


async def bare_docker(settings: EngineSettings, built: BuiltPlugin) -> float:
    """Seconds of the same containers, removed at the first tool call."""
    client = docker.DockerClient(
        base_url=settings.docker_host, max_pool_size=2 * settings.concurrency
    )
    image = need_image(client, IMAGE).id
    sockets = readable_folder()
    arguments = command("claude", f"{inside.INPUT}/plugins/0/plugin")
    limiter = anyio.CapacityLimiter(settings.concurrency)

    def run(prompt: str) -> None:
        folder = readable_folder()
        (folder / "work").mkdir()
        (folder / "prompt").write_text(prompt)
        shutil.copytree(built.plugin_dirs[0], folder / "plugins/0/plugin")
        name = f"bench-{folder.name}"
        job = inside.Job(
            name=name,
            image=image,
            argv=arguments,
            env=environment,
            folder=folder,
            sockets=sockets,
            owner=this_process(),
        )
        inside.create_container(client, job, wall=60.0)
        stream = client.api.attach(name, stream=True)
        client.api.start(name)
        next((chunk for chunk in stream if b'"tool_use"' in chunk), None)
        client.api.remove_container(name, force=True, v=True)
        shutil.rmtree(folder)

    async def run_in_thread(prompt: str) -> None:
        await to_thread.run_sync(run, prompt, limiter=limiter)

    with serve_key_proxy(settings.access, socket_path=sockets / "api.sock") as proxy:
        environment = build_environment(
            proxy.access, home=inside.HOME, temp=inside.TEMP, path=inside.PATH
        )
        environment["ANTHROPIC_UNIX_SOCKET"] = f"{inside.SOCKETS}/api.sock"
        seconds = await timed(run_in_thread, settings.concurrency)
    shutil.rmtree(sockets)
    client.close()
    return seconds


def main() -> None:
    """Print both walls and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claude", default="claude")
    parser.add_argument("--engine", default="local", choices=("local", "docker"))
    parser.add_argument("--docker-host", default=os.environ.get("DOCKER_HOST"))
    parser.add_argument("--seconds", type=float, default=2.0)
    said = parser.parse_args()
    loop = bare_docker if said.engine == "docker" else bare
    with tempfile.TemporaryDirectory() as name, serve(answer_after(said.seconds)) as standin:
        folder, url = Path(name), standin.url
        built = write_plugin(folder)
        for limit in (4, 10):
            settings = EngineSettings(
                login=Login(api_key="sk-ant-dummy", base_url=url),
                temporary=folder,
                path="/usr/local/bin:/usr/bin:/bin",
                concurrency=limit,
                claude=said.claude,
                docker_host=said.docker_host,
            )
            theirs = anyio.run(loop, settings, built)
            (folder / f"run-{limit}").mkdir()
            mine = anyio.run(ours, said.engine, settings, built, folder / f"run-{limit}")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"concurrency {limit}: bare {theirs:.1f} s, {said.engine} {mine:.1f} s,"
                f" ratio {mine / theirs:.2f}; orchestrator {peak:.0f} MB"
            )


if __name__ == "__main__":
    main()
