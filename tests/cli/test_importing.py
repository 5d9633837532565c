import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.projects import make_project, write

Output = pytest.CaptureFixture[str]
QUERIES = (
    '[{"query": "look at my diff", "should_trigger": true},'
    ' {"query": "cut a release", "should_trigger": false, "preferred_skill": "nobody"}]'
)


def run(root: Path, *words: str) -> int:
    return main(["evals", "import", *words, "-C", str(root)])


def test_a_file_becomes_a_suite(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    file = str(write(tmp_path / "q.json", QUERIES))
    assert run(tmp_path, file, "--suite", "new", "--skill", "demo:review") == 0
    out, err = capsys.readouterr()
    assert out == (
        "evals/new/tests.json: 2 cases for demo:review, 1 should trigger, 1 should not\n"
    )
    assert err == (
        "evals/new/tests.json: what should fire instead is not in this project and was left out: "
        '"nobody"\n'
    )


def test_paths_are_written_as_seen_from_here(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path / "there")
    write(tmp_path / "q.json", QUERIES)
    monkeypatch.chdir(tmp_path)
    words = ["-C", "there", "evals", "import", "q.json", "--suite", "new", "--skill", "demo:review"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.startswith("there/evals/new/tests.json: 2 cases")
    assert err.startswith("there/evals/new/tests.json: what should fire")
    assert json.loads((tmp_path / out.partition(":")[0]).read_text())


def test_every_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    one, two = (str(write(tmp_path / name, "x")) for name in ("one.json", "two.xlsx"))
    assert run(tmp_path, one, "-", two, "--suite", "new", "--skill", "demo:review") == 1
    err = capsys.readouterr().err
    assert f"{one}: line 1, column 1: invalid JSON" in err
    assert "-: is no file of .json, " in err
    assert f"{two}: is no file of .json, " in err
    assert err.count('{"query": "fix my tests", "should_trigger": true}') == 2


def test_a_table_becomes_a_suite(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    file = str(write(tmp_path / "q.csv", "query,should_trigger\nfix it,TRUE\nno,false\n"))
    assert run(tmp_path, file, "--suite", "new", "--skill", "demo:review") == 0
    assert "2 cases for demo:review, 1 should trigger, 1 should not" in capsys.readouterr().out


def test_one_case_is_one_case(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    file = str(write(tmp_path / "q.json", '[{"query": "fix it", "should_trigger": true}]'))
    assert run(tmp_path, file, "--suite", "new", "--skill", "demo:review") == 0
    assert capsys.readouterr().out.startswith("evals/new/tests.json: 1 case for demo:review, 1 ")


def test_json_says_what_was_written(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    file = str(write(tmp_path / "q.json", QUERIES))
    assert run(tmp_path, file, "--suite", "new", "--agent", "demo:auditor", "--json") == 0
    (suite,) = json.loads(capsys.readouterr().out)["suites"]
    assert (suite["suite"], suite["target"]) == ("new", "demo:auditor")
    assert (suite["positive"], suite["negative"], suite["other"]) == (1, 1, 0)
    (case, _) = json.loads((tmp_path / "evals/new/tests.json").read_text())["tests"]
    assert (case["type"], case["agentFile"]) == ("agent-call", "demo:auditor")


def test_a_path_is_written_so_that_the_suite_finds_it(tmp_path: Path) -> None:
    make_project(tmp_path)
    write(tmp_path / "elsewhere/lone/SKILL.md", "---\ndescription: does it\n---\n")
    file = str(write(tmp_path / "q.json", QUERIES))
    assert run(tmp_path, file, "--suite", "new", "--skill", "elsewhere/lone") == 0
    case = json.loads((tmp_path / "evals/new/tests.json").read_text())["tests"][0]
    assert case["skillFile"] == "elsewhere/lone/SKILL.md"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--skill", "demo:review"], "name the new suite"),
        (["--suite", "new"], "say which skill or agent"),
        (["--suite", "new", "--skill", "demo:review", "--agent", "demo:auditor"], "give one"),
    ],
)
def test_wrong_usage(tmp_path: Path, capsys: Output, words: list[str], said: str) -> None:
    make_project(tmp_path)
    assert run(tmp_path, str(write(tmp_path / "q.json", QUERIES)), *words) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "evals").exists()


def test_a_faulty_entry_is_exit_1_and_nothing_written(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    file = str(write(tmp_path / "q.json", '[{"query": "a", "should_trigger": "true"}]'))
    assert run(tmp_path, file, "--suite", "new", "--skill", "demo:review") == 1
    assert f"{file}: [0]: " in capsys.readouterr().err
    assert not (tmp_path / "evals").exists()


def test_a_tree_and_a_file_are_not_mixed(tmp_path: Path, capsys: Output) -> None:
    make_project(tmp_path)
    tree = write(tmp_path / "tree/one/tests.json", '{"tests": [{"expect": []}]}').parents[1]
    file = str(write(tmp_path / "q.json", QUERIES))
    assert run(tmp_path, str(tree), file, "--suite", "new", "--skill", "demo:review") == 1
    assert "import one at a time" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gone.json", "x" * 300, "empty"])
def test_a_path_that_holds_nothing_is_named(tmp_path: Path, capsys: Output, name: str) -> None:
    make_project(tmp_path)
    (tmp_path / "empty").mkdir()
    path = str(tmp_path / name)
    assert run(tmp_path, path, "--suite", "new", "--skill", "demo:review") == 1
    err = capsys.readouterr().err
    assert err.startswith(f"skillwalker: {path}: ")
    assert err.count("\n") == 1
