"""The local engine around a fake CLI: what it needs, what it hands over, what it leaves."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.claude_code.command import Access
from skillwalker.claude_code.process_tree import find_marked
from skillwalker.datatypes.trials import Transcript
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.engines import local
from skillwalker.engines.local import LocalSettings, open_local
from skillwalker.engines.slots import claim_slots, open_root
from skillwalker.errors import EngineUnavailableError, TrialError
from skillwalker.transcripts.outcome import read_outcome
from tests.engines.worlds import CODE_REVIEW, World, local_opener

STREAM = """
import json, os, sys, time
if "--version" in sys.argv:
    print("9.9.9 (Claude Code)")
    sys.exit()
prompt = sys.stdin.read()
def say(**event): print(json.dumps(event), flush=True)
def message(number, *blocks):
    say(type="assistant", parent_tool_use_id=None, message={
        "id": f"msg_{number}", "model": "claude-sonnet-4-5", "content": blocks,
        "usage": {"input_tokens": 1000, "output_tokens": 1}})
def call(name):
    return {"type": "tool_use", "id": f"toolu_{name}", "name": "Skill", "input": {"skill": name}}
say(type="system", subtype="init", claude_code_version="9.9.9", slash_commands=[])
"""
RESULT = """
message(1, {"type": "text", "text": "hello"})
say(type="result", subtype="success", is_error=False, num_turns=1, result="hello")
"""


def fake_cli(root: Path, code: str) -> str:
    path = root / "claude"
    path.write_text(f"#!{sys.executable} -S\n{STREAM}{code}")
    path.chmod(0o755)
    return str(path)


def fake_world(root: Path, code: str) -> World:
    return World("local-9.9.9", root, local_opener(fake_cli(root, code)))


def run(world: World, **given: object) -> Transcript:
    (transcript,) = world.run(world.invocation("hello", **given))
    assert not list(world.temp_root.iterdir())
    return transcript


def opening(settings: LocalSettings) -> str:
    """Give the message with which opening an engine fails."""

    async def open_it() -> None:
        async with open_local(settings):
            pass

    with pytest.raises(EngineUnavailableError) as caught:
        anyio.run(open_it)
    assert caught.value.exit_code == 3
    return str(caught.value)


def settings_of(root: Path, claude: str, *, login: bool = True) -> LocalSettings:
    access = Access(api_key="sk-ant-dummy" if login else None, base_url="http://127.0.0.1:9")
    return LocalSettings(
        access=access, temp_root=root, path=os.defpath, concurrency=1, claude=claude
    )


def test_an_absent_cli_is_said_with_the_remedy(tmp_path: Path) -> None:
    message = opening(settings_of(tmp_path, "no-such-claude"))
    assert "'no-such-claude' was not found" in message
    assert "--claude" in message


def test_a_program_that_is_no_cli_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\necho I am a teapot\n")
    path.chmod(0o755)
    assert "says 'I am a teapot', which is no Claude CLI" in opening(
        settings_of(tmp_path, str(path))
    )
    path.write_text("#!/no/such/interpreter\n")
    assert "cannot start the Claude CLI" in opening(settings_of(tmp_path, str(path)))


def test_what_cannot_be_run_is_named(tmp_path: Path) -> None:
    assert "is a folder" in opening(settings_of(tmp_path, str(tmp_path)))
    path = tmp_path / "claude"
    assert "was not found (No such file" in opening(settings_of(tmp_path, str(path)))
    path.write_text("#!/bin/sh\n")
    message = opening(settings_of(tmp_path, str(path)))
    assert f"cannot be executed: `chmod +x {path}`" in message


def test_of_foreign_words_only_the_first_line_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\nprintf '\\nteapot\\nusage: teapot\\n'\n")
    path.chmod(0o755)
    assert "says 'teapot', which" in opening(settings_of(tmp_path, str(path)))


def test_a_cli_that_does_not_say_its_version_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert local.VERSION_TIMEOUT == 10
    monkeypatch.setattr(local, "VERSION_TIMEOUT", 0.3)
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\nsleep 60\n")
    path.chmod(0o755)
    message = opening(settings_of(tmp_path, str(path)))
    assert "`--version` did not answer within 0.3 s" in message
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_cli_that_does_not_say_its_version_ends_when_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "claude"
    path.write_text("#!/bin/sh\nsleep 60\n")
    path.chmod(0o755)

    async def cancel() -> None:
        with anyio.move_on_after(0.3):
            async with open_local(settings_of(tmp_path, str(path))):
                pass

    began = time.monotonic()
    anyio.run(cancel)
    assert time.monotonic() - began < 5
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_temporary_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    claude = fake_cli(tmp_path, RESULT)
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for place in (Path(claude), tmp_path / "absent", circle, Path("/proc")):
        message = opening(settings_of(place, claude))
        assert f"{place}: cannot make temporary files (" in message
        assert "set TMPDIR" in message


@pytest.mark.parametrize("blocked", ["01.lock", "00"])
def test_a_slot_that_cannot_be_made_is_no_engine(tmp_path: Path, blocked: str) -> None:
    root = open_root(tmp_path)
    if blocked == "00":
        (root / blocked).write_text("a file where a folder should be")
    else:
        (root / blocked).mkdir()
    settings = replace(settings_of(tmp_path, fake_cli(tmp_path, RESULT)), concurrency=2)
    message = opening(settings)
    assert "cannot make temporary files (" in message
    assert sorted(path.name for path in root.rglob("*")) == [blocked]


def test_without_a_login_nothing_starts(tmp_path: Path) -> None:
    message = opening(settings_of(tmp_path, fake_cli(tmp_path, RESULT), login=False))
    assert "claude setup-token" in message


def test_with_a_wrong_address_nothing_starts(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, fake_cli(tmp_path, RESULT))
    access = replace(settings.access, base_url="http://[")
    message = opening(replace(settings, access=access))
    assert message == (
        "engine local: ANTHROPIC_BASE_URL is no http or https address; correct or unset it"
    )


@pytest.mark.parametrize("name", [".claude", "CLAUDE.md", ".git"])
def test_a_place_below_files_that_claude_code_would_find_is_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    below = tmp_path / "below"
    below.mkdir()
    message = opening(settings_of(below, fake_cli(tmp_path, RESULT)))
    assert str(tmp_path / name) in message
    assert "TMPDIR" in message
    assert not list(below.iterdir())


def test_a_place_that_others_can_write_is_refused(tmp_path: Path) -> None:
    root = open_root(tmp_path)
    root.chmod(0o777)
    assert "open to other users" in opening(settings_of(tmp_path, fake_cli(tmp_path, RESULT)))


def test_an_answer_without_a_call_is_not_triggered(tmp_path: Path) -> None:
    transcript = run(fake_world(tmp_path, RESULT))
    reading = read_outcome(transcript, CODE_REVIEW, model_asked="sonnet", max_turns=3)
    assert reading.outcome is Outcome.NOT_TRIGGERED
    assert transcript.answer == "hello"


ENDS = {
    "bad exit": ("sys.stderr.write('boom'); sys.exit(7)", "crash", "exit code 7: boom"),
    "no result": ("sys.exit(0)", "unfinished", "without a result"),
    "killed": ("os.kill(os.getpid(), 9)", "crash", "was killed"),
}


@pytest.mark.parametrize(("code", "reason", "detail"), ENDS.values(), ids=ENDS.keys())
def test_a_cli_that_ends_badly_is_undecided(
    tmp_path: Path, code: str, reason: str, detail: str
) -> None:
    transcript = run(fake_world(tmp_path, code))
    assert transcript.failure == reason
    assert detail in (transcript.detail or "")


def test_a_cli_that_stays_after_its_result_keeps_the_verdict(tmp_path: Path) -> None:
    transcript = run(fake_world(tmp_path, RESULT + "time.sleep(60)"))
    assert (transcript.failure, transcript.timed_out) == (None, False)
    assert transcript.duration < 20


def test_the_first_call_ends_the_trial_and_its_children(tmp_path: Path) -> None:
    code = """
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "60"], start_new_session=True)
message(1, call("demo:other"))
message(2, call("demo:change-review"))
message(3, call("demo:late"))
time.sleep(60)
"""
    transcript = run(fake_world(tmp_path, code))
    assert [call.name for call in transcript.calls] == ["demo:other", "demo:change-review"]
    assert (transcript.turns, transcript.calls[-1].step) == (2, 2)
    # Neither message ended: a quarter of the characters of their tools' input is the output.
    assert transcript.usage.output_tokens == 6 + 8
    assert transcript.usage.cost_usd == pytest.approx(2 * 1000 * 3e-6 + 14 * 15e-6)
    assert transcript.usage.cost_estimated
    assert not [pid for pid in find_marked("LANG=C.UTF-8") if is_ours(pid, tmp_path)]


def is_ours(pid: int, root: Path) -> bool:
    return str(root).encode() in Path(f"/proc/{pid}/environ").read_bytes()


def test_without_a_target_the_trial_runs_to_its_end(tmp_path: Path) -> None:
    code = 'message(1, call("demo:change-review"))\nmessage(2)' + RESULT
    transcript = run(fake_world(tmp_path, code), called_as=None)
    assert transcript.answer == "hello"
    assert [call.name for call in transcript.calls] == ["demo:change-review"]


def test_the_environment_holds_what_was_asked_for_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    code = (
        'message(1, {"type": "text", "text": ""})\n'
        "names = sorted(set(os.environ) - {'LC_CTYPE'})\n"
        'say(type="result", subtype="success", is_error=False, num_turns=1, result=" ".join(names))'
    )
    seen = set(run(fake_world(tmp_path, code)).answer.split())
    assert seen == {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_ATTRIBUTION_HEADER",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_MAX_RETRIES",
        "DISABLE_AUTOUPDATER",
        "HOME",
        "LANG",
        "PATH",
        "TMPDIR",
    }


def test_no_secret_is_on_the_command_line_or_in_a_repr(tmp_path: Path) -> None:
    code = (
        'message(1, {"type": "text", "text": ""})\n'
        "words = ' '.join(sys.argv)\n"
        'say(type="result", subtype="success", is_error=False, num_turns=1, result=words)'
    )
    assert "sk-ant-dummy" not in run(fake_world(tmp_path, code)).answer
    assert "sk-ant-dummy" not in repr(settings_of(tmp_path, "claude"))


def test_a_scaffold_is_the_same_commit_in_every_trial(tmp_path: Path) -> None:
    scaffold = tmp_path / "scaffold"
    (scaffold / ".git").mkdir(parents=True)
    (scaffold / ".git" / "config").write_text("[core]\n\tfsmonitor = touch /nowhere\n")
    (scaffold / "a.py").write_text("print('a')\n")
    (scaffold / "out").symlink_to("/etc/passwd")
    (scaffold / "inner").symlink_to("a.py")
    code = """
import subprocess
git = lambda *words: subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()
words = [git("rev-parse", "HEAD"), git("status", "--short"), *sorted(os.listdir("."))]
message(1, {"type": "text", "text": ""})
say(type="result", subtype="success", is_error=False, num_turns=1, result="|".join(words))
"""
    world = fake_world(tmp_path, code)
    first = run(world, scaffold=scaffold).answer
    again = run(world, scaffold=scaffold, project_dir=world.project()).answer
    commit, status, *names = first.split("|")
    assert (len(commit), status, names) == (40, "", [".git", "a.py", "inner"])
    assert again.split("|") == [commit, status, ".claude", *names]


def test_a_scaffold_that_cannot_be_copied_fails_that_trial_only(tmp_path: Path) -> None:
    world = fake_world(tmp_path, RESULT)
    with pytest.raises((TrialError, ExceptionGroup)) as caught:
        world.run(world.invocation("hello", scaffold=tmp_path / "absent"))
    assert caught.group_contains(TrialError, match="set_up: .*absent: cannot set up")


def test_a_full_disk_ends_the_engine_and_not_the_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(work: Path, **_given: object) -> None:
        (work / "file").symlink_to("/dev/full")
        (work / "file").write_text("x")

    monkeypatch.setattr(local, "fill_workspace", fill)
    world = fake_world(tmp_path, RESULT)
    with pytest.raises(ExceptionGroup) as caught:
        world.run(world.invocation("hello"))
    assert caught.group_contains(EngineUnavailableError, match=r"No space left.*set TMPDIR")


def test_every_trial_finds_an_empty_home_at_the_same_path(tmp_path: Path) -> None:
    code = """
home = os.environ["HOME"]
seen = f"{home} {os.getcwd()} {os.listdir(home)} {os.listdir(os.getcwd())}"
open(os.path.join(home, "left"), "w").close()
os.mkdir("left"); os.chmod("left", 0o500)
message(1, {"type": "text", "text": ""})
say(type="result", subtype="success", is_error=False, num_turns=1, result=seen)
"""
    world = fake_world(tmp_path, code)
    hello = world.invocation("hello")
    first, second = world.run(hello, hello)
    (third,) = world.run(hello)
    assert first.answer == second.answer == third.answer
    assert first.answer.endswith("[] []")


def test_two_runs_at_a_time_have_slots_of_their_own(tmp_path: Path) -> None:
    root = open_root(tmp_path)
    first = claim_slots(root, 2)
    second = claim_slots(root, 1)
    assert [slot.folder.name for slot in (*first, *second)] == ["00", "01", "02"]
    first[0].free()
    (again,) = claim_slots(root, 1)
    assert again.folder.name == "00"
    for slot in (again, first[1], *second):
        slot.free()
    assert not list(root.iterdir())


RUN_AND_DIE = """
import anyio, os, sys
from pathlib import Path
from tests.engines.test_local import fake_world
from tests.engines.worlds import local_settings

world = fake_world(Path(sys.argv[1]), '''
import subprocess
subprocess.Popen(["sleep", "600"], start_new_session=True)
open(os.path.join(os.environ["HOME"], "left"), "w").close()
message(1, {"type": "text", "text": "at work"})
time.sleep(600)
''')
async def main():
    hello = world.invocation("hello", timeout=600)
    async with world.opener(world) as engine, anyio.create_task_group() as tasks:
        tasks.start_soon(engine.run, hello)
        tasks.start_soon(engine.run, hello)
world.url = "http://127.0.0.1:9"
world.concurrency = 2
anyio.run(main)
"""


def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", RUN_AND_DIE, str(tmp_path)], cwd=Path(__file__).parents[2]
    )
    root = tmp_path / "t" / f"skillwalker-{os.getuid()}"
    homes = (root / "00" / "home", root / "01" / "home")
    deadline = time.monotonic() + 20
    while not all((home / "left").exists() for home in homes) and time.monotonic() < deadline:
        killed.poll()
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    markers = [f"HOME={home}" for home in homes]
    assert all(find_marked(marker) for marker in markers), "the CLIs outlive the killed run"
    world = fake_world(tmp_path, RESULT)
    world.run(world.invocation("hello"))
    assert not any(find_marked(marker) for marker in markers)
    assert not list((tmp_path / "t").iterdir())


def test_a_trial_leaves_its_slot_empty_before_the_next(tmp_path: Path) -> None:
    world = fake_world(tmp_path, RESULT)
    left: list[str] = []

    async def run_one() -> None:
        async with world.opener(world) as engine:
            await engine.run(world.invocation("hello"))
            left.extend(path.name for path in (tmp_path / "t").rglob("*"))

    with world.serving():
        anyio.run(run_one)
    assert sorted(left) == ["00.lock", f"skillwalker-{os.getuid()}"]
