import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.projects import make_project, write

Output = pytest.CaptureFixture[str]
HEAD = "---\ndescription: {}\n---\nDo it.\n"


def run(root: Path, *words: str) -> int:
    return main(["evals", "check", *words, "-C", str(root)])


def sound(root: Path) -> None:
    write(root / ".claude/skills/maps/SKILL.md", HEAD.format("Draws maps of towns on request."))


def doubtful(root: Path) -> None:
    write(root / ".claude/skills/tiny/SKILL.md", HEAD.format("Tiny."))


def broken(root: Path) -> None:
    write(root / ".claude/skills/none/SKILL.md", "# nothing\n")


def test_a_clean_project_says_nothing_on_stdout(tmp_path: Path, capsys: Output) -> None:
    sound(tmp_path)
    assert run(tmp_path, "--strict") == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "skills and agents: 1, suites with call cases: 0, errors: 0, warnings: 0\n"


def test_warnings_are_exit_0_and_with_strict_1(tmp_path: Path, capsys: Output) -> None:
    doubtful(tmp_path)
    assert run(tmp_path) == 0
    assert capsys.readouterr().out == (
        ".claude/skills/tiny/SKILL.md:2: warning: the description is doubtful: it has 5 "
        "characters, at least 20 are needed; say what it is for [description]\n"
    )
    assert run(tmp_path, "--strict") == 1


def test_errors_are_exit_1(tmp_path: Path) -> None:
    broken(tmp_path)
    assert run(tmp_path) == 1


def test_json_has_place_and_remedy_and_what_claude_gets(tmp_path: Path, capsys: Output) -> None:
    sound(tmp_path)
    doubtful(tmp_path)
    assert run(tmp_path, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["findings"] == [
        {
            "rule": "description",
            "severity": "warning",
            "path": ".claude/skills/tiny/SKILL.md",
            "line": 2,
            "message": ("the description is doubtful: it has 5 characters, at least 20 are needed"),
            "remedy": "say what it is for",
        }
    ]
    assert (record["errors"], record["warnings"]) == (0, 1)
    assert [target["text"] for target in record["targets"]] == [
        "Draws maps of towns on request.",
        "Tiny.",
    ]


def test_power_is_told_for_every_suite(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    cases = [
        {
            "name": f"{at}",
            "type": "skill-call",
            "skillFile": "demo:review",
            "prompt": prompt,
            "expect": [{"skill-call": at < 6}],
        }
        for at, prompt in enumerate(["abc", "def", "ghi", "jkl", "mno", "pqr"] * 2)
    ]
    for at, case in enumerate(cases):
        case["prompt"] = f"{case['prompt']} number {at * 7919} review {at * 104729}"
    write(tmp_path / "evals/one/tests.json", json.dumps({"tests": cases}))
    run(tmp_path)
    said = "with 12 cases x 3 runs you can see a change of about 27 points; for 10 points"
    assert said in " ".join(capsys.readouterr().err.split())
    run(tmp_path, "--json")
    (suite,) = json.loads(capsys.readouterr().out)["suites"]
    assert (suite["target"], suite["positive"], suite["negative"]) == ("demo:review", 6, 6)
    assert suite["power"]["cases_for_10_points"] == 89
    run(tmp_path, "--change", "20")
    assert "[too-small]" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["bag", "bag/tiny", "bag/tiny/SKILL.md"])
def test_a_path_is_checked_instead_of_the_project(
    tmp_path: Path, capsys: Output, path: str
) -> None:
    broken(tmp_path)
    write(tmp_path / "bag/tiny/SKILL.md", HEAD.format("Tiny."))
    assert run(tmp_path, str(tmp_path / path)) == 0
    assert "bag/tiny/SKILL.md:2: warning" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["evals/one", "evals/one/tests.json", "evals"])
def test_a_suite_is_a_path_as_well(tmp_path: Path, capsys: Output, path: str) -> None:
    make_project(tmp_path)
    write(tmp_path / "evals/one/tests.json", '{"tests": []}')
    assert run(tmp_path, str(tmp_path / path)) == 1
    assert "evals/one/tests.json: error:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone", "there is nothing at"),
        ("x" * 300, "there is nothing at"),
        ("empty", "holds no skill, no agent"),
    ],
)
def test_a_path_without_anything_is_refused(
    tmp_path: Path, capsys: Output, path: str, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert run(tmp_path, str(tmp_path / path)) == 1
    assert said in capsys.readouterr().err


def test_a_suite_of_another_project_has_its_own_targets(tmp_path: Path, capsys: Output) -> None:
    other = tmp_path / "other"
    make_project(other)
    case = {"name": "a", "type": "skill-call", "skillFile": "demo:review", "prompt": "look"}
    suite = {"tests": [{**case, "expect": [{"skill-call": True}]}]}
    write(other / "evals/one/tests.json", json.dumps(suite))
    run(tmp_path, str(other / "evals"))
    out = capsys.readouterr().out
    assert "[one-sided]" in out
    assert "there is no skill" not in out
