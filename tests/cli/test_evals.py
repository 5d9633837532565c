import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.projects import call_case, make_project, write_suite

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has nothing of their own yet."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    return folder


def run(*words: str) -> int:
    return main([*words])


def make_suites(root: Path) -> None:
    places = make_project(root)
    agent = call_case(
        "g", type="agent-call", agentFile="demo:auditor", expect=[{"agent-call": False}]
    )
    cases = [
        call_case("a"),
        call_case("b", skillFile="plugins/demo/skills/review"),
        call_case("c", False),
        call_case("d", type="prompt"),
        agent,
    ]
    write_suite(places, "good", {"plugins": ["demo"], "tests": cases})


GOOD = {
    "name": "good",
    "cases": {"skill-call": 3, "agent-call": 1, "prompt": 1},
    "targets": [
        {"kind": "agent", "target": "demo:auditor", "positive": 0, "negative": 1},
        {"kind": "skill", "target": "demo:review", "positive": 2, "negative": 1},
    ],
    "plugins": ["demo"],
    "faults": [],
}


def test_list_shows_cases_by_type_and_targets(tmp_path: Path, capsys: Output) -> None:
    make_suites(tmp_path)
    assert run("evals", "list", "-C", str(tmp_path)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "good: 3 skill-call, 1 agent-call, 1 prompt",
        "  agent demo:auditor: 0 positive, 1 negative",
        "  skill demo:review: 2 positive, 1 negative",
        "without a suite:",
        "  skill demo:release",
        "  skill project:local",
        f"next: skillwalker -C {tmp_path} init --skill demo:release   (writes examples, free)",
        f"  or: skillwalker -C {tmp_path} evals draft --skill demo:release"
        "   (lets Claude propose cases)",
    ]


def test_list_as_json(tmp_path: Path, capsys: Output) -> None:
    make_suites(tmp_path)
    assert run("evals", "list", "-C", str(tmp_path), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "suites": [GOOD],
        "targets_without_suite": [
            {"kind": "skill", "target": name, "can_trigger": True}
            for name in ("demo:release", "project:local")
        ],
    }


def test_what_has_no_suite_is_listed_with_the_way_to_one(
    tmp_path: Path, home: Path, capsys: Output
) -> None:
    make_project(tmp_path)
    mine = home / ".claude/skills/mine/SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("---\nname: mine\ndescription: Count sheep.\n---\n", "utf-8")
    assert run("evals", "list", "-C", str(tmp_path), "--json") == 0
    bare = json.loads(capsys.readouterr().out)["targets_without_suite"]
    assert {"kind": "skill", "target": "demo:review", "can_trigger": True} in bare
    assert bare[-1] == {"kind": "skill", "target": "user:mine", "can_trigger": True}
    assert run("evals", "list", "-C", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "  skill user:mine" in out
    assert f"next: skillwalker -C {tmp_path} init --" in out


def test_what_can_never_trigger_has_no_suite_either_and_is_not_proposed(
    tmp_path: Path, capsys: Output
) -> None:
    off = tmp_path / "plugins/a/skills/off/SKILL.md"
    off.parent.mkdir(parents=True)
    off.write_text("---\ndescription: Count.\ndisable-model-invocation: true\n---\n", "utf-8")
    (off.parent.parent / "gone").mkdir()
    (off.parent.parent / "gone/SKILL.md").symlink_to("nothing")
    reason = "(can never trigger: 'skillwalker show' says why)"
    bare = ["without a suite:", f"  skill a:gone {reason}", f"  skill a:off {reason}"]
    assert run("evals", "list", "-C", str(tmp_path)) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == [" ".join(line.split()) for line in bare]
    assert " ".join(lines[3:]) == f"next: skillwalker -C {tmp_path} show"
    make_project(tmp_path)
    assert run("evals", "list", "-C", str(tmp_path)) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"next: skillwalker -C {tmp_path} init --skill demo:release " in out
    assert run("evals", "list", "-C", str(tmp_path), "--json") == 0
    found = json.loads(capsys.readouterr().out)["targets_without_suite"]
    assert {each["target"] for each in found if not each["can_trigger"]} == {"a:gone", "a:off"}


def test_a_broken_suite_is_shown_with_its_faults_beside_the_others(
    tmp_path: Path, capsys: Output
) -> None:
    make_suites(tmp_path)
    fault = 'evals/broken/tests.json: must be an object with "tests", not a list; '
    (tmp_path / "evals/broken").mkdir()
    (tmp_path / "evals/broken/tests.json").write_text("[]")
    assert run("-C", str(tmp_path), "evals", "list") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "broken: broken"
    assert lines[1].startswith(f"  {fault}")
    assert lines[2] == "good: 3 skill-call, 1 agent-call, 1 prompt"
    assert run("-C", str(tmp_path), "evals", "list", "--json") == 1
    broken, good = json.loads(capsys.readouterr().out)["suites"]
    assert broken["faults"][0].startswith(fault)
    assert good == GOOD


def test_a_project_without_suites_is_no_error(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("evals", "list", "-C", str(tmp_path)) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "No suites in evals; a suite" in captured.err
    assert run("evals", "list", "-C", str(tmp_path), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"suites": [], "targets_without_suite": []}


def test_schema_names_every_key_of_a_case(capsys: Output) -> None:
    assert run("evals", "schema") == 0
    schema = json.loads(capsys.readouterr().out)
    for words in (("evals", "schema", "--json"), ("--json", "evals", "schema")):
        assert run(*words) == 0
        assert json.loads(capsys.readouterr().out) == schema
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["tests"]
    assert set(schema["properties"]) == {"$schema", "plugins", "metrics", "tests"}
    case = schema["$defs"]["CaseForm"]
    assert set(case["properties"]) == {
        "name", "type", "skillFile", "agentFile", "prompt", "promptFile", "model", "scaffold",
        "tags", "runs", "maxTurns", "timeout", "preferred", "expect",
    }  # fmt: skip
    assert case["required"] == ["name", "expect"]
    assert case["additionalProperties"] is False
