"""A project that is itself one skill, or a plugin: every command knows it by its printed name."""

import json
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.project_files import skill_file, write_files

Output = pytest.CaptureFixture[str]
TEXT = "Reads error logs and finds the cause. Use when someone asks which error in a log matters."
NEW = "Reads logs and says which of the errors is the cause. Use it to triage any log or trace."
QUERIES = [
    {"query": "which of these errors in the log is the cause?", "should_trigger": True},
    {"query": "find the cause in this error log", "should_trigger": True},
    {"query": "write a log rotation config", "should_trigger": False},
]
SIMULATED = ("--engine", "simulated", "--no-html", "--quiet", "--json")


@pytest.fixture(params=["skill", "named", "plugin"])
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A project that the current folder is, with a suite; gives the name of its one skill."""
    project = tmp_path / "nu/triage"
    file = "skills/triage/SKILL.md" if request.param == "plugin" else "SKILL.md"
    write_files(
        project,
        {file: skill_file(TEXT, name="triage"), "queries.json": json.dumps(QUERIES)},
    )
    if request.param == "named":
        write_files(project, {"skillwalker.toml": 'plugin-dirs = ["."]\n'})
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    name = "triage:triage" if request.param == "plugin" else "nu:triage"
    assert main(["evals", "import", "queries.json", "--suite", "one", "--skill", name]) == 0
    return name


def test_what_is_printed_is_the_name(name: str, capsys: Output) -> None:
    assert main(["show"]) == 0
    assert capsys.readouterr().out.startswith(f"{name} (skill, read as in a plugin)\n  ")
    assert main(["evals", "list"]) == 0
    assert f"skill {name}: 2 positive, 1 negative" in capsys.readouterr().out
    main(["doctor"])
    assert "skills and agents: 1\n" in capsys.readouterr().out
    Path("evals/one/tests.json").unlink()
    assert main(["evals", "check", "--json"]) == 0
    assert [each["name"] for each in json.loads(capsys.readouterr().out)["targets"]] == [name]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "TARGET", "--json"),
        ("measure", "TARGET", *SIMULATED),
        ("scil", "run", "--skill", "TARGET", "--dry-run", *SIMULATED),
        ("overnight", "--dry-run", "--engine", "simulated", "--json"),
        ("evals", "mine", "--target", "TARGET", "--json"),
        ("evals", "draft", "--skill", "TARGET", "--suite", "two", "--improver", "simulated"),
        ("init", "--skill", "TARGET", "--suite", "two", "--json"),
        ("stats", "--target", "TARGET", "--json"),
        ("evals", "import", "queries.json", "--suite", "two", "--skill", "TARGET"),
        ("measure", "--neighbours", "none", "TARGET", *SIMULATED),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_command_takes_the_name(name: str, capsys: Output, words: tuple[str, ...]) -> None:
    capsys.readouterr()
    assert main([name if word == "TARGET" else word for word in words]) == 0
    assert "there is no" not in capsys.readouterr().err


def test_it_is_written_and_taken_back_by_the_name(name: str, capsys: Output) -> None:
    Path("text.txt").write_text(NEW)
    assert main(["describe", name, "--text-file", "text.txt"]) == 0
    assert main(["undo", name]) == 0
    capsys.readouterr()
    assert main(["show", name, "--json"]) == 0
    (element,) = json.loads(capsys.readouterr().out)["targets"]
    assert element["text"] == TEXT


@pytest.mark.usefixtures("name")
def test_its_suite_is_right_in_a_clone_of_another_name(tmp_path: Path) -> None:
    moved = Path.cwd().rename(tmp_path / "clone")
    assert main(["-C", str(moved), "evals", "check"]) == 0
