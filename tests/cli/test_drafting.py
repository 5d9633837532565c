"""evals draft from the outside: through the real SDK, the editor, files and exit codes."""

import json
import sys
from pathlib import Path

import pytest

from skillwalker.cli import main
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.clis import VERSIONS, need_cli
from tests.messages_server import says, serve_messages
from tests.projects import make_project, write

Output = pytest.CaptureFixture[str]
REPLY = json.dumps(
    {
        "cases": [
            {"kind": "positive", "prompt": "May this patch go into main?", "sibling": ""},
            {"kind": "positive", "prompt": "anything that breaks at night?", "sibling": ""},
            {"kind": "near-miss", "prompt": "Write my performance appraisal.", "sibling": ""},
            {"kind": "near-miss", "prompt": "What is a diff?", "sibling": ""},
        ]
    }
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    make_project(tmp_path / "p")
    return tmp_path / "p"


def run(project: Path, *words: str) -> int:
    return main(["evals", "draft", *words, "-C", str(project)])


def simulated(project: Path, *words: str) -> int:
    return run(project, "--skill", "demo:review", "--improver", "simulated", *words)


def cases_in(project: Path, suite: str) -> list[dict[str, object]]:
    read = json.loads((project / "evals" / suite / "tests.json").read_text("utf-8"))["tests"]
    assert isinstance(read, list)
    return read


def test_claude_drafts_a_suite_and_the_cost_is_told(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_messages(says(REPLY)) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        words = ("--skill", "demo:review", "--count", "4", "--suite", "new")
        assert run(project, *words, "--max-cost-usd", "1") == 0
        assert "skill" in server.requests[0].prompt
    out, err = capsys.readouterr()
    assert out == (
        "evals/new/tests.json: 2 should trigger, 2 near misses, each tagged drafted: "
        "read them before you run them\n"
    )
    assert "spent $0.0" in err
    assert "spent $0.0000" not in err
    first = cases_in(project, "new")[0]
    assert first == {
        "name": "May this patch go into main?",
        "type": "skill-call",
        "skillFile": "demo:review",
        "prompt": "May this patch go into main?",
        "tags": ["drafted"],
        "expect": [{"skill-call": True}],
    }


def test_a_budget_that_is_too_small_asks_nobody(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_messages() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert run(project, "--skill", "demo:review", "--max-cost-usd", "0.001") == 1
        assert not server.requests
    assert "--max-cost-usd" in capsys.readouterr().err
    assert not (project / "evals").exists()


def test_the_simulated_draft_says_so(project: Path, capsys: Output) -> None:
    assert simulated(project, "--json") == 0
    out, err = capsys.readouterr()
    record = json.loads(out)
    assert (record["simulated"], record["path"]) == (True, "evals/review/tests.json")
    assert "SIMULATED" in err
    assert all("simulated" in str(test["tags"]) for test in cases_in(project, "review"))


def test_a_suite_that_exists_is_refused_before_anything_is_asked(
    project: Path, capsys: Output
) -> None:
    write(project / "evals/review/notes.txt", "mine")
    assert simulated(project) == 1
    assert 'there is a suite "review" already' in capsys.readouterr().err
    assert [path.name for path in (project / "evals/review").iterdir()] == ["notes.txt"]


def test_a_dry_run_asks_nobody_and_writes_nothing(project: Path, capsys: Output) -> None:
    assert run(project, "--skill", "demo:review", "--dry-run", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["cost_usd"] > 0
    assert record["model"] == "claude-opus-5-5"
    assert record["payer"].startswith("nobody")
    assert not (project / "evals").exists()


def test_a_plan_at_a_stand_in_says_that_nobody_is_billed(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    with serve(RoutedBehaviour()) as standin:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", standin.url)
        assert run(project, "--skill", "demo:review", "--dry-run", "--json") == 0
        assert json.loads(capsys.readouterr().out)["payer"] == "nobody: a stand-in answers"
        assert run(project, "--skill", "demo:review", "--improver", "api") in {0, 1}
    said = capsys.readouterr().err
    assert "nobody is billed" in said
    assert "spent $" not in said


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 1, "say which skill or agent is meant: --skill demo:release, --skill demo:review"),
        (("--skill", "demo:gone"), 1, "demo:gone"),
        (("--skill", "demo:review", "--agent", "demo:auditor"), 2, "give one of them"),
        (("--skill", "demo:review", "--count", "3"), 2, "at least 4"),
        (("--skill", "demo:review", "--suite", "../x"), 1, "cannot name a suite"),
        (("--skill", "demo:review", "--improver", "api"), 1, "ANTHROPIC_API_KEY"),
        (("--skill", "demo:review"), 1, "add --improver simulated"),
        (("--skill", "demo:review", "--review"), 1, "EDITOR"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    project: Path, capsys: Output, words: tuple[str, ...], code: int, said: str
) -> None:
    assert run(project, *words) == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert not (project / "evals").exists()


# --- the editor --------------------------------------------------------------------------------


def editor(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let EDITOR be a program that does something to the text of the file `path`."""
    code = f"import sys, pathlib; path = pathlib.Path(sys.argv[1]); {script}"
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" -c "{code}"')


def test_what_the_editor_leaves_is_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(
        monkeypatch,
        "import json; v = json.loads(path.read_text()); assert '_review' in v;"
        " v['tests'] = v['tests'][::12]; path.write_text(json.dumps(v))",
    )
    assert simulated(project, "--review") == 0
    assert len(cases_in(project, "review")) == 2
    assert "_review" not in (project / "evals/review/tests.json").read_text()


def test_an_empty_list_writes_nothing(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, "path.write_text('')")
    assert simulated(project, "--review") == 0
    assert "nothing was written" in capsys.readouterr().out
    assert not (project / "evals").exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("path.write_text('my work')", "is no JSON"),
        ("path.write_text('[1]')", "no object"),
        ("path.write_text('my work'); sys.exit(3)", "exit code 3"),
        ("path.write_text(path.read_text().replace('expect', 'exspect'))", "exspect"),
    ],
)
def test_an_edit_that_cannot_be_used_is_kept(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    editor(monkeypatch, script)
    assert simulated(project, "--review") == 1
    assert said in capsys.readouterr().err
    (kept,) = project.parent.glob("skillwalker-draft-*.json")
    assert kept.read_text()
    assert not (project / "evals").exists()


def test_an_editor_that_is_none_is_named(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "/no/such/editor")
    assert simulated(project, "--review") == 1
    assert "EDITOR: /no/such/editor cannot be started" in capsys.readouterr().err


@pytest.mark.cli
@pytest.mark.parametrize("version", VERSIONS)
def test_the_real_cli_drafts_against_the_stand_in(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    binary = need_cli(version)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-dummy")
    with serve(RoutedBehaviour()) as standin:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", standin.url)
        words = ("--skill", "demo:review", "--improver", "cli", "--claude", str(binary))
        assert run(project, *words, "--count", "6", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["simulated"], record["improver"]) == (True, "cli")
    cases = cases_in(project, "review")
    assert len(cases) == 6
    assert all("simulated" in str(case["tags"]) for case in cases)
