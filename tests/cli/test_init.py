"""init from the outside: what it writes, what it leaves, and that its suite can be run."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.settings import load_settings
from tests.projects import SKILL, call_case, make_project, write, write_suite

Output = pytest.CaptureFixture[str]
BODY = "\nReads invoices and checks their totals, taxes and dates against the order.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "p").mkdir()
    monkeypatch.chdir(tmp_path / "p")
    return tmp_path / "p"


def files(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "file", ["SKILL.md", "invoices/SKILL.md", ".claude/skills/invoices/SKILL.md"]
)
def test_a_lone_skill_can_be_run_at_once(folder: Path, capsys: Output, file: str) -> None:
    write(folder / file, SKILL.format(name="invoices") + BODY)
    assert main(["init"]) == 0
    out = capsys.readouterr().out
    assert "tests.json: 8 examples" in out
    assert main(["evals", "check"]) == 0
    capsys.readouterr()
    assert main(["measure", "--engine", "simulated", "--no-html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["trials"] >= 8


def test_the_second_time_says_what_is_there_and_changes_nothing(
    folder: Path, capsys: Output
) -> None:
    make_project(folder)
    assert main(["init", "--skill", "demo:review"]) == 0
    before = files(folder)
    assert before["skillwalker.toml"].startswith(b"# Settings")
    assert before[".gitignore"] == b"output/\n"
    capsys.readouterr()
    assert main(["init", "--skill", "demo:review", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [step["done"] for step in record["files"]] == ["there"] * 3
    assert files(folder) == before


def test_examples_are_marked_and_of_both_labels(folder: Path) -> None:
    make_project(folder)
    assert main(["init", "--skill", "demo:review", "--suite", "first"]) == 0
    tests = json.loads((folder / "evals/first/tests.json").read_text())["tests"]
    assert all({"drafted", "example"} <= set(test["tags"]) for test in tests)
    assert {test["expect"][0]["skill-call"] for test in tests} == {True, False}
    assert {test["skillFile"] for test in tests} == {"demo:review"}


def test_of_several_targets_none_is_chosen(folder: Path, capsys: Output) -> None:
    make_project(folder)
    assert main(["init"]) == 0
    out = capsys.readouterr().out
    assert "--skill demo:review" in out
    assert "next: skillwalker init --skill " in out
    assert not (folder / "evals").exists()


@pytest.mark.parametrize(
    ("about", "following"),
    [
        pytest.param((), "skillwalker init --skill demo:release ", id="none"),
        pytest.param(("demo:release",), "skillwalker init --skill demo:review ", id="the first"),
        pytest.param(("demo:review",), "skillwalker init --skill demo:release ", id="another"),
        pytest.param(
            ("demo:release", "demo:review"),
            "skillwalker evals check, then scil run --eval s0 --engine simulated ",
            id="every one",
        ),
    ],
)
def test_of_several_targets_the_first_without_a_suite_comes_next(
    folder: Path, capsys: Output, about: tuple[str, ...], following: str
) -> None:
    for name in ("release", "review"):
        write(folder / f"plugins/demo/skills/{name}/SKILL.md", SKILL.format(name=name) + BODY)
    write(folder / "plugins/demo/.claude-plugin/plugin.json", '{"name": "demo"}')
    for at, target in enumerate(about):
        assert main(["init", "--skill", target, "--suite", f"s{at}"]) == 0
    capsys.readouterr()
    assert main(["init"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"next: {following}")


def test_of_a_suite_about_several_targets_the_one_to_run_is_named(
    folder: Path, capsys: Output
) -> None:
    places = make_project(folder)
    cases = [
        call_case(f"{key} {name}", **{key: name})
        for key, name in (
            ("skillFile", "demo:review"),
            ("skillFile", "demo:release"),
            ("skillFile", "project:local"),
        )
    ]
    agent = call_case("agent", type="agent-call", skillFile=..., agentFile="demo:auditor")
    agent["expect"] = [{"agent-call": True}]
    write_suite(places, "all", {"plugins": ["demo"], "tests": [*cases, agent]})
    assert main(["init"]) == 0
    command = "scil run --eval all --skill demo:release --engine simulated"
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith(f"next: skillwalker evals check, then {command} ")
    )
    assert main(["evals", "check"]) == 0
    assert main([*command.split(), "--dry-run"]) == 0


def test_nothing_to_measure_is_exit_1_and_nothing_written(folder: Path, capsys: Output) -> None:
    assert main(["init"]) == 1
    assert "there is no skill and no agent in" in capsys.readouterr().err
    assert files(folder) == {}


def test_a_folder_of_the_suites_name_is_not_touched(folder: Path, capsys: Output) -> None:
    make_project(folder)
    write(folder / "evals/review/notes.txt", "mine")
    before = files(folder)
    assert main(["init", "--skill", "demo:review"]) == 1
    assert 'there is a suite "review" already' in capsys.readouterr().err
    assert files(folder) == before


def test_a_suite_about_it_is_there_whatever_its_name(folder: Path, capsys: Output) -> None:
    places = make_project(folder)
    write_suite(places, "old", {"plugins": ["demo"], "tests": [call_case("one")]})
    write_suite(places, "torn", "{")
    assert main(["init", "--skill", "demo:review", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["suite"], record["files"][2]["done"]) == ("old", "there")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("node_modules\n", "node_modules\noutput/\n"),
        ("no end", "no end\noutput/\n"),
        ("/output\n", "/output\n"),
        ("*.lock\noutput\n", "*.lock\noutput\n!skillwalker.lock\n"),
        ("output/\n*.lock\n!skillwalker.lock\n", "output/\n*.lock\n!skillwalker.lock\n"),
    ],
)
def test_lines_for_git_are_added_once(folder: Path, before: str, after: str) -> None:
    make_project(folder)
    write(folder / ".gitignore", before)
    assert main(["init"]) == 0
    assert (folder / ".gitignore").read_text() == after


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    """Let a write fail in its middle, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_lines_for_git_that_cannot_be_added_leave_the_file(folder: Path, capsys: Output) -> None:
    make_project(folder)
    write(folder / "skillwalker.toml", "")
    write(folder / ".gitignore", "kept/\n" * 200)
    before = files(folder)
    with no_file_longer_than(700):
        assert main(["init"]) == 1
    assert ".gitignore cannot be written (File too large); it is unchanged" in (
        capsys.readouterr().err
    )
    assert files(folder) == before


def test_lines_for_git_are_written_behind_a_link_and_keep_its_mode(folder: Path) -> None:
    make_project(folder)
    own = write(folder / "dotfiles/gitignore", "kept/\n")
    own.chmod(0o600)
    (folder / ".gitignore").symlink_to("dotfiles/gitignore")
    assert main(["init"]) == 0
    assert (folder / ".gitignore").is_symlink()
    assert (own.read_text(), own.stat().st_mode & 0o777) == ("kept/\noutput/\n", 0o600)


def test_settings_that_are_there_are_kept(folder: Path, capsys: Output) -> None:
    make_project(folder)
    write(folder / "tools/more/skills/x/SKILL.md", SKILL.format(name="x"))
    write(folder / "pyproject.toml", "[tool.skillwalker]\nengine = 'local'\n")
    assert main(["init"]) == 0
    assert "pyproject.toml: has no plugin-dirs for tools/more" in capsys.readouterr().out
    assert not (folder / "skillwalker.toml").exists()


def test_what_it_writes_is_read_again(folder: Path) -> None:
    write(folder / 'quo"ted/more/skills/x/SKILL.md', SKILL.format(name="x"))
    assert main(["init"]) == 0
    assert load_settings(folder).plugin_dirs == ('quo"ted/more',)


def test_a_plugin_that_the_new_settings_name_is_called_by_its_name(folder: Path) -> None:
    write(folder / "tools/mine/skills/invoices/SKILL.md", SKILL.format(name="invoices") + BODY)
    assert main(["init"]) == 0
    tests = json.loads((folder / "evals/invoices/tests.json").read_text())["tests"]
    assert {test["skillFile"] for test in tests} == {"mine:invoices"}


def test_a_neighbour_outside_the_project_is_not_named(folder: Path) -> None:
    write(folder / "SKILL.md", SKILL.format(name="invoices") + BODY)
    write(folder.parent / "skills/other/SKILL.md", SKILL.format(name="other"))
    assert main(["init"]) == 0
    (suite,) = (folder / "evals").iterdir()
    assert "preferred" not in (suite / "tests.json").read_text()


def test_what_can_never_trigger_is_told_and_not_offered(folder: Path, capsys: Output) -> None:
    make_project(folder)
    write(folder / "plugins/demo/skills/empty/SKILL.md", "---\nname: empty\n---\n")
    assert main(["init", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert "demo:empty" not in record["targets"]
    assert record["notes"] == ["can never trigger: demo:empty; 'skillwalker show' says why"]


def test_of_one_skill_that_can_trigger_and_others_the_one_is_chosen(folder: Path) -> None:
    write(folder / ".claude/skills/invoices/SKILL.md", SKILL.format(name="invoices") + BODY)
    write(folder / ".claude/skills/empty/SKILL.md", "---\nname: empty\n---\n")
    assert main(["init"]) == 0
    assert (folder / "evals/invoices/tests.json").is_file()
