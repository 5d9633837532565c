"""All four types of case and every expectation, with the real Claude CLI against the stand-in."""

import json
import subprocess
import sys
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import anyio
import pytest

from skillwalker import run_evals
from skillwalker.claude_code.command import Access
from skillwalker.config import Login
from skillwalker.engines.local import LocalSettings, open_local
from skillwalker.engines.protocol import Engine
from skillwalker.engines.registry import EngineSettings
from skillwalker.evaluation.recorded import score_runs
from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.request import read_prompt, turn_number
from skillwalker.standin.server import Asked, serve
from tests.clis import VERSIONS, need_cli
from tests.eval_world import (
    DELEGATED,
    FOUR_TYPES,
    TableEngine,
    case,
    make_eval_project,
    order_of,
    run_order,
)
from tests.projects import SKILL, call_case, write

pytestmark = pytest.mark.cli

BODY = "The real body of the review skill."
TASK = {"subagent_type": "demo:auditor", "description": "audit", "prompt": "find the gap"}
CALLS: dict[str, Use] = {
    "prompt of skill": Use("Skill", {"skill": "demo:review"}),
    "prompt of agent": Use("Agent", {**TASK}),
    DELEGATED: Use("Agent", {**TASK}),
    "prompt of real": Use("Skill", {"skill": "demo:review"}),
}
ANSWERS = {
    "prompt of work": "an injection in line 3, LGTM",
    "find the gap": "one gap",
    DELEGATED: "the auditor found one gap",
    "prompt of real": "I have reviewed it",
}
CASES = (
    *FOUR_TYPES,
    call_case("quiet", False),
    case("real", {"skill-call": {"skill": "demo:review", "expected": True}}),
    case("graded", {"llm-judge": {"rubricFile": "review.md"}}),
)


def answer(asked: Asked) -> Reply:
    """Call what the prompt's line in the table says, then give its answer."""
    prompt = read_prompt(asked.body)
    call = CALLS.get(prompt)
    if call is not None and turn_number(asked.body) == 1:
        return Reply(blocks=(call,))
    return Reply(blocks=(Say(ANSWERS.get(prompt, "done")),))


def local(url: str, claude: Path, root: Path) -> AbstractAsyncContextManager[Engine]:
    (root / "t").mkdir()
    return open_local(
        LocalSettings(
            access=Access(api_key="sk-ant-dummy", base_url=url),
            temp_root=root / "t",
            path="/usr/local/bin:/usr/bin:/bin",
            concurrency=2,
            claude=str(claude),
        )
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_a_suite_of_all_types_gives_the_right_rows(tmp_path: Path, version: str) -> None:
    claude = need_cli(version)
    places = make_eval_project(tmp_path / "project", *CASES)
    skill = SKILL.format(name="review").replace("Do it.", BODY)
    write(tmp_path / "project/plugins/demo/skills/review/SKILL.md", skill)
    order = order_of(engine="local", concurrency=2, unsafe_local=True)
    with serve(answer) as standin:
        opening = partial(local, standin.url, claude, tmp_path)
        outcome = run_order(places, TableEngine(), order, open_engine=opening)
        asked = [request.raw.decode() for request in standin.requests]
    found = [(row.test_name, row.expect_type, str(row.status)) for row in outcome.rows]
    assert found == [
        ("skill", "skill-call", "passed"),
        ("agent", "agent-call", "passed"),
        ("work", "result-contains", "passed"),
        ("work", "result-does-not-contain", "failed"),
        ("delegated", "result-contains", "passed"),
        ("delegated", "agent-call", "passed"),
        ("quiet", "skill-call", "passed"),
        ("real", "skill-call", "passed"),
        ("graded", "llm-judge", "unknown"),
    ]
    assert any("prompt of real" in request and BODY in request for request in asked)
    assert not any("prompt of skill" in request and BODY in request for request in asked)
    assert outcome.summary.cli_version == version
    assert outcome.summary.total_input_tokens > 0
    assert (outcome.summary.trials, outcome.summary.simulated) == (7, True)
    (again,) = score_runs(outcome.folder.parent, outcome.folder.name)
    assert again == outcome


def test_the_command_runs_the_named_cli_with_the_users_login(tmp_path: Path) -> None:
    claude = need_cli(VERSIONS[0])
    project = make_eval_project(tmp_path / "project", call_case("skill")).project
    (tmp_path / "t").mkdir()
    with serve(answer) as standin:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path / "t"),
            "ANTHROPIC_API_KEY": "sk-ant-planted",
            "ANTHROPIC_BASE_URL": standin.url,
        }
        words = ["evals", "run", "--engine", "local", "--claude", str(claude), "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "skillwalker", *words, "-C", str(project)],
            env=environment,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["passed"], found["cli_version"]) == (1, VERSIONS[0])
    assert "engine local: Claude Code" in done.stderr.splitlines()[0]
    written = b"".join(path.read_bytes() for path in (project / "output").rglob("*.json*"))
    assert b"sk-ant-planted" not in written


def test_a_program_hands_its_engine_settings_over(tmp_path: Path) -> None:
    claude = need_cli(VERSIONS[0])
    project = make_eval_project(tmp_path / "project", call_case("skill")).project
    (tmp_path / "t").mkdir()
    with serve(answer) as standin:
        told = EngineSettings(
            login=Login(api_key="sk-ant-planted", base_url=standin.url),
            temporary=tmp_path / "t",
            path="/usr/local/bin:/usr/bin:/bin",
            claude=str(claude),
        )
        run = partial(
            run_evals,
            engine="local",
            tests_dir=project,
            output_dir=tmp_path / "output",
            engine_settings=told,
        )
        summary = anyio.run(run)
    assert (summary.passed, summary.cli_version) == (1, VERSIONS[0])
    written = b"".join(path.read_bytes() for path in (tmp_path / "output").rglob("*.json*"))
    assert b"sk-ant-planted" not in written
