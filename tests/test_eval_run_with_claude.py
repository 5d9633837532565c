"""All four types of case and every expectation, with the real Claude CLI against the stand-in."""

import gzip
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from skillwalker import run_evals
from skillwalker.config import Login
from skillwalker.engines.registry import EngineSettings
from skillwalker.simulation.grading import scripted_grades
from skillwalker.standin.behaviour import RoutedBehaviour, completion_prompt, structured
from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.request import read_prompt, turn_number
from skillwalker.standin.server import MessageRequest, serve
from tests.bench import make_bench_project
from tests.clis import VERSIONS, need_cli
from tests.docker_daemon import docker_host, need_docker, our_containers
from tests.eval_world import DELEGATED, FOUR_TYPES, case, make_eval_project
from tests.projects import SKILL, call_case, write

BODY = "The real body of the review skill."
KEY = "sk-ant-planted"
TASK = {"subagent_type": "demo:auditor", "description": "audit", "prompt": "find the gap"}
SCRIPT = """
mkdir -p deep/er && echo nested > deep/er/file.md && printf 'né' > 'тест 🙂.md'
head -c 6291456 /dev/zero | tr '\\0' x > large.txt && head -c 64 /dev/urandom > binary.dat
ln -s /etc/passwd out && ln -s ../secret up && ln -s deep/er/file.md inside
echo changed > main.py && rm old.py && mkfifo pipe
"""
CALLS: dict[str, Use] = {
    "prompt of skill": Use("Skill", {"skill": "demo:review"}),
    "prompt of agent": Use("Agent", {**TASK}),
    DELEGATED: Use("Agent", {**TASK}),
    "prompt of real": Use("Skill", {"skill": "demo:review"}),
    "prompt of graded": Use("Bash", {"command": SCRIPT, "description": "write files"}),
    "prompt of denied": Use("Bash", {"command": "touch denied", "description": "try"}),
}
ANSWERS = {
    "prompt of work": "an injection in line 3, LGTM",
    "find the gap": "one gap",
    DELEGATED: "the auditor found one gap",
    "prompt of real": "I have reviewed it",
    "prompt of graded": "I wrote the files",
}
VERDICTS = {"writes files": "passed", "is nested": "passed", "is polite": "unknown"}
RUBRIC = """# Files
- writes files
- is polite
## File: deep/er/file.md
- is nested
## File: nowhere.md
- is there
"""
JUDGED = {"llm-judge": {"rubricFile": "files.md", "threshold": 0.5}}
CASES = (
    *FOUR_TYPES,
    call_case("quiet", False),
    call_case("denied", False),
    case("real", {"skill-call": {"skill": "demo:review", "expected": True}}),
    case("graded", {"result-contains": "files"}, JUDGED, scaffold="api"),
)
ROWS = [
    ("skill", "skill-call", "passed"),
    ("agent", "agent-call", "passed"),
    ("work", "result-contains", "passed"),
    ("work", "result-does-not-contain", "failed"),
    ("delegated", "result-contains", "passed"),
    ("delegated", "agent-call", "passed"),
    ("quiet", "skill-call", "passed"),
    ("denied", "skill-call", "passed"),
    ("real", "skill-call", "passed"),
    ("graded", "result-contains", "passed"),
    ("graded", "llm-judge", "passed"),
    ("graded", "llm-judge", "unknown"),
    ("graded", "llm-judge", "passed"),
    ("graded", "llm-judge", "failed"),
    ("graded", "llm-judge-aggregate", "passed"),
]
LEFT = [
    ("binary.dat", 64, None, "binary"),
    ("deep/er/file.md", 7, "nested\n", None),
    ("inside", 15, None, "link"),
    ("large.txt", 6291456, None, "too_large"),
    ("main.py", 8, "changed\n", None),
    ("old.py", 0, None, "deleted"),
    ("out", 11, None, "link_out"),
    ("pipe", 0, None, "special"),
    ("up", 9, None, "link_out"),
    ("тест 🙂.md", 3, "né", None),
]


def answer(asked: MessageRequest) -> Reply:
    """Call what the prompt's line in the table says, then give its answer; grade by a table."""
    judging = completion_prompt(asked)
    if judging is not None:
        return structured(scripted_grades(judging, VERDICTS), asked)
    prompt = read_prompt(asked.body)
    call = CALLS.get(prompt)
    if call is not None and turn_number(asked.body) == 1:
        return Reply(blocks=(call,))
    return Reply(blocks=(Say(ANSWERS.get(prompt, "done")),))


def make_project(root: Path) -> Path:
    places = make_eval_project(root, *CASES)
    write(root / "secret", OUTSIDE)
    write(places.evals_dir / "mixed/rubrics/files.md", RUBRIC)
    write(places.evals_dir / "mixed/scaffolds/api/old.py", "old")
    write(places.evals_dir / "mixed/scaffolds/api/same.py", "same")
    skill = SKILL.format(name="review").replace("Do it.", BODY)
    write(root / "plugins/demo/skills/review/SKILL.md", skill)
    return root


def command(project: Path, url: str, *words: str) -> tuple[int, dict[str, Any], str]:
    """Run a command as a user would."""
    temporary = project.parent / "t"
    temporary.mkdir(exist_ok=True)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(project.parent),
        "TMPDIR": str(temporary),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "DOCKER_HOST": docker_host() or "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "skillwalker", *words, "-C", str(project), "--json"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def evals(project: Path, url: str, *words: str) -> tuple[int, dict[str, Any], str]:
    """Run a command of the group `evals`."""
    return command(project, url, "evals", *words)


def rows_of(found: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(row["test_name"], row["expect_type"], row["status"]) for row in found["results"]]


def lines_in(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


OUTSIDE = "what lies outside of the folder of a trial"
LOCAL = [
    pytest.param("local", version, judge, marks=pytest.mark.cli, id=f"local-{version}-{judge}")
    for version, judge in zip(VERSIONS, ("api", "cli"), strict=True)
]
DOCKER = pytest.param("docker", VERSIONS[0], "api", marks=pytest.mark.docker, id="docker")


@pytest.mark.parametrize(("engine", "version", "judge"), [*LOCAL, DOCKER])
def test_a_suite_of_all_types_gives_the_right_rows(
    tmp_path: Path, engine: str, version: str, judge: str
) -> None:
    if engine == "docker":
        need_docker(version)
    claude, project = need_cli(version), make_project(tmp_path / "project")
    words = ("--engine", engine, "--claude", str(claude), "--judge", judge, "--unsafe-local")
    with serve(answer) as standin:
        code, found, said = evals(project, standin.url, "run", *words)
        asked = [request.raw.decode() for request in standin.requests]
    assert rows_of(found) == ROWS, said
    assert code == 1
    assert any("prompt of real" in request and BODY in request for request in asked)
    assert not any("prompt of skill" in request and BODY in request for request in asked)
    assert (found["trials"], found["simulated"], found["judge"]) == (8, True, judge)
    assert found["usage"]["judge"]["calls"] == 1
    assert found["total_input_tokens"] > 0
    folder = project / "output" / found["test_run_id"]
    left = [
        (row["path"], row["size"], row["text"], row["reason"])
        for row in lines_in(folder, "output-files.jsonl")
        if row["test_name"] == "graded"
    ]
    assert left == LEFT
    trials = {row["case"]: row for row in lines_in(folder, "trials.jsonl")}
    assert (trials["skill"]["outcome"], trials["denied"]["outcome"]) == (
        "triggered",
        "not_triggered",
    )
    assert trials["denied"]["permission_mode"] == "dontAsk" != trials["graded"]["permission_mode"]
    files = [path for path in folder.rglob("*") if path.is_file()]
    unzipped = [gzip.decompress(path.read_bytes()) for path in files if path.suffix == ".gz"]
    written = b"".join([*unzipped, *(path.read_bytes() for path in files)])
    assert KEY.encode() not in written
    assert b"root:x:" not in written
    assert OUTSIDE.encode() not in written
    if engine == "docker":
        assert our_containers() == []


@pytest.mark.cli
def test_scoring_again_asks_the_judge_nothing_and_a_new_rubric_only_that(tmp_path: Path) -> None:
    claude, project = need_cli(VERSIONS[0]), make_project(tmp_path / "project")
    words = ("--engine", "local", "--claude", str(claude), "--unsafe-local", "--test", "graded")
    with serve(answer) as standin:
        code, first, _ = evals(project, standin.url, "run", *words)
        run_id = first["test_run_id"]
        asked = len(standin.requests)
        same = evals(project, standin.url, "score", run_id)
        assert (code, same[1], len(standin.requests)) == (0, first, asked)
        write(project / "evals/mixed/rubrics/files.md", "- writes files\n- sings\n")
        code, changed, _ = evals(project, standin.url, "score", run_id, "--judge-runs", "3")
        assert len(standin.requests) == asked + 3
    assert rows_of(changed) == [
        ("graded", "result-contains", "passed"),
        ("graded", "llm-judge", "passed"),
        ("graded", "llm-judge", "failed"),
        ("graded", "llm-judge-aggregate", "passed"),
    ]
    assert changed["results"][0] == first["results"][0]
    assert {row["agreement"] for row in changed["results"][1:3]} == {1.0}
    code, _, said = evals(project, standin.url, "score", "--rescore", run_id)
    assert (code, "0 of 0 trials read otherwise today, 1 without a target" in said) == (0, True)
    assert (project / "output" / run_id / "test-results.2.jsonl").is_file()
    write(project / "evals/mixed/rubrics/files.md", "- writes files\n- dances\n")
    code, dead, _ = evals(
        project, "http://127.0.0.1:9", "score", run_id, "--judge", "cli", "--claude", "/nonexistent"
    )
    assert code == 3
    assert rows_of(dead)[0] == ("graded", "result-contains", "passed")
    assert [status for _, _, status in rows_of(dead)[1:]] == ["unknown"] * 2 + ["infrastructure"]


@pytest.mark.cli
def test_a_run_of_the_loop_is_read_again_from_its_streams(tmp_path: Path) -> None:
    claude = need_cli(VERSIONS[0])
    project = make_bench_project(tmp_path)
    with serve(RoutedBehaviour()) as standin:
        words = ("measure", "--engine", "local", "--claude", str(claude))
        code, measured, said = command(project, standin.url, *words)
    assert code == 0, said
    run_id = measured["run_id"]
    code, found, _ = evals(project, "", "score", "--rescore", run_id)
    assert (code, found["changed"]) == (0, [])
    assert found["read_again"] == found["trials"] == measured["trials"]
    (folder,) = (project / "output").iterdir()
    lines = (folder / "trials.jsonl").read_text("utf-8").splitlines()
    other = {"triggered": "not_triggered", "not_triggered": "triggered"}
    first = json.loads(lines[0])
    lines[0] = json.dumps({**first, "outcome": other[first["outcome"]]})
    (folder / "trials.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    _, found, said = evals(project, "", "score", "--rescore", run_id)
    (changed,) = found["changed"]
    assert changed["after"]["outcome"] == first["outcome"]
    assert "1 of " in said


@pytest.mark.cli
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


@pytest.mark.cli
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
