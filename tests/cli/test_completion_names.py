"""Completion of what a project holds, as bash, zsh and fish ask for it."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.models import ParameterInfo

from skillwalker.cli.app import acil_app, app, evals_app, metric_app, run, scil_app
from skillwalker.cli.completion import SUITE, TARGET, mended, parameters_of
from skillwalker.cli.environment import CUT
from tests.projects import call_case, make_project, write, write_suite

RUNS = ["20261130T162146", "20261130T162146-2"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with targets, two suites, one of them broken, and two runs; and a user's own."""
    root = tmp_path_factory.mktemp("completed")
    places = make_project(root / "here")
    write_suite(places, "calls", {"tests": [call_case("a")]})
    write_suite(places, "cracked", {"tests": 3})
    for run_id in RUNS:
        write(root / "here/output" / run_id / "run.json", "{}")
    write(root / "home/.claude/skills/mine/SKILL.md", "---\ndescription: does it\n---\n")
    return root


@dataclass(frozen=True, slots=True)
class Shell:
    """Asks as a shell does that completes; nothing may be said on stderr."""

    patch: pytest.MonkeyPatch
    output: pytest.CaptureFixture[str]

    def bash(self, root: Path, *words: str) -> list[str]:
        """Ask with the cursor behind the last word; bash cuts words at `:` and `=`."""
        variables = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
        return self.ask(root, words[0], "bash", variables)

    def ask(self, root: Path, name: str, shell: str, variables: dict[str, str]) -> list[str]:
        """Ask a console script by the variables of a shell."""
        asked = {f"_{name.upper()}_COMPLETE": f"complete_{shell}", "HOME": str(root / "home")}
        with self.patch.context() as patch:
            patch.chdir(root)
            for key, value in {CUT: "", **asked, **variables}.items():
                patch.setenv(key, value)
            run([], name)
        out, err = self.output.readouterr()
        assert err == ""
        return out.split()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        pytest.param("skillwalker -C here show demo : re", ["release", "review"], id="name"),
        pytest.param(
            "skillwalker -C here show demo :", ["auditor", "release", "review"], id="colon"
        ),
        pytest.param("skillwalker show user : ", ["user:mine"], id="no project"),
        pytest.param("skillwalker show -C here us", ["user:mine"], id="user"),
        pytest.param("skillwalker -C here show pro", ["project:local"], id="project"),
        pytest.param("scil -C here run --skill demo :", ["release", "review"], id="skills"),
        pytest.param("acil run -C here --agent = demo :", ["auditor"], id="agents"),
        pytest.param(
            "scil run -C here --skill demo : review --eval c", ["calls", "cracked"], id="suites"
        ),
        pytest.param("skillwalker -C here evals run --eval ca", ["calls"], id="eval run"),
        pytest.param(
            "skillwalker -C here measure demo : review --against l", ["last"], id="a word"
        ),
        pytest.param("skillwalker -C here measure --against 2", RUNS, id="against"),
        pytest.param("skillwalker -C here diff 20261130T162146 2026", RUNS, id="diff"),
        pytest.param("skillwalker -C here undo 2", RUNS, id="undo"),
        pytest.param("skillwalker -C here report 2", RUNS, id="report"),
        pytest.param("scil -C here run --resume 2", RUNS, id="resume"),
        pytest.param("skillwalker -C here evals score --rescore 2", RUNS, id="rescore"),
        pytest.param("scil -C here run --trial-model --dry-run --eval ca", ["calls"], id="lacking"),
        pytest.param("skillwalker -C gone show d", [], id="nowhere"),
        pytest.param("skillwalker -C here evals import --suite ", [], id="a new name"),
    ],
)
def test_bash_is_offered_what_the_project_holds(
    shell: Shell, project: Path, line: str, offered: list[str]
) -> None:
    assert sorted(shell.bash(project, *line.split(" "))) == offered


@pytest.mark.parametrize("kind", ["zsh", "fish"])
def test_other_shells_get_whole_names(shell: Shell, project: Path, kind: str) -> None:
    variables = {
        "_TYPER_COMPLETE_ARGS": "skillwalker -C here show demo:re",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    said = " ".join(shell.ask(project, "skillwalker", kind, variables)).replace("\\", "")
    assert "demo:release" in said
    assert "demo:review" in said


def test_the_home_of_a_path_is_found(shell: Shell, project: Path) -> None:
    line = ("skillwalker", "-C", "~/../here", "evals", "run", "--eval", "ca")
    assert shell.bash(project, *line) == ["calls"]


def test_a_project_that_cannot_be_read_offers_nothing(shell: Shell, tmp_path: Path) -> None:
    make_project(tmp_path / "here")
    write(tmp_path / "here/skillwalker.toml", "no = [toml")
    write(tmp_path / "here/evals/a/tests.json", "{}")
    assert shell.bash(tmp_path, "skillwalker", "-C", "here", "show", "d") == []
    assert shell.bash(tmp_path, "scil", "run", "-C", "here", "--eval", "") == []
    against = ("skillwalker", "measure", "-C", "here", "--against", "l")
    assert shell.bash(tmp_path, *against) == ["last"]


def test_completing_writes_nothing(shell: Shell, project: Path) -> None:
    before = snapshot(project)
    shell.bash(project, "skillwalker", "-C", "here", "show", "")
    shell.bash(project, "scil", "-C", "here", "run", "--apply", "--eval", "c")
    assert snapshot(project) == before


def test_every_parameter_that_takes_a_name_offers_some() -> None:
    infos = [
        info
        for each in (app, scil_app, acil_app, evals_app, metric_app)
        for command in each.registered_commands
        for info in parameters_of(command.callback)
    ]
    named = [info for info in infos if info.metavar and takes_a_name(info)]
    assert len(named) > 20
    assert all(info.autocompletion is not None for info in named)


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def takes_a_name(info: ParameterInfo) -> bool:
    return any(word in str(info.metavar) for word in (TARGET, SUITE, "RUN_ID"))


@pytest.mark.parametrize(
    ("words", "at", "expected"),
    [
        (["x", "show", "demo", ":", "re"], 4, (["x", "show", "re"], "demo:")),
        (["x", "show", "demo", ":"], 3, (["x", "show", ""], "demo:")),
        (["x", "show", "demo", ":", ""], 4, (["x", "show", "demo:", ""], "")),
        (["x", "show", "a", ":", "b", ":", "c"], 6, (["x", "show", "c"], "a:b:")),
        (["x", "-s", "a", ":", "b", "show", "c"], 6, (["x", "-s", "a:b", "show", "c"], "")),
        (["x", "--skill", "=", "demo", ":", "re"], 5, (["x", "--skill", "re"], "demo:")),
        (["x", "--skill", "="], 2, (["x", "--skill", ""], "")),
        (["x", "show", '"demo:re'], 2, (["x", "show", '"demo:re'], "")),
        (["x", "show", "re", "behind"], 2, (["x", "show", "re"], "")),
        (["x", "show"], 2, (["x", "show", ""], "")),
        (["x", "show"], 9, (["x", "show", ""], "")),
    ],
)
def test_words_that_bash_cut_are_put_together(
    words: list[str], at: int, expected: tuple[list[str], str]
) -> None:
    text, place, before = mended("\n".join(words), at)
    assert (text.split("\n"), before) == expected
    assert place == len(expected[0]) - 1


@given(st.lists(st.text('ab-:=" ', max_size=5), min_size=2, max_size=8), st.integers(0, 9))
def test_any_line_can_be_put_together(words: list[str], at: int) -> None:
    text, place, before = mended("\n".join(words), at)
    assert 0 <= place < len(text.split("\n"))
    assert before == "" or before.endswith(":")
