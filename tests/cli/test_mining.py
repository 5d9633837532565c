"""evals mine from the outside: a history on disk, what is listed, what is written."""

import json
import os
import pty
import sys
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.cli.test_question import read as read_terminal
from tests.mining.test_sessions import called, user
from tests.projects import make_project, write

Output = pytest.CaptureFixture[str]
SECRET = "hunter2-hunter2"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("EDITOR", raising=False)
    make_project(tmp_path / "p")
    events = [
        user(f"may this go into main? password={SECRET}", timestamp="2026-11-30T08:00:00Z"),
        called("Skill", skill="demo:review"),
        user("put version two out today", timestamp="2026-11-20T08:00:00Z"),
        called("Skill", skill="demo:release"),
    ]
    lines = "\n".join(map(json.dumps, events))
    write(tmp_path / "home/.claude/projects/-p/one.jsonl", f"{lines}\n{{torn")
    return tmp_path / "p"


def run(project: Path, *words: str) -> int:
    return main(["evals", "mine", *words, "-C", str(project)])


def written(project: Path, suite: str) -> list[dict[str, object]]:
    read = json.loads((project / "evals" / suite / "tests.json").read_text("utf-8"))["tests"]
    assert isinstance(read, list)
    return read


def test_a_list_is_shown_and_nothing_is_written(project: Path, capsys: Output) -> None:
    before = sorted(project.rglob("*"))
    assert run(project, "--target", "demo:review") == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "called   2026-11-30 [called: demo:review] may this go into main? password=[secret]",
        "not      2026-11-20 [called: demo:release] put version two out today",
    ]
    assert "read 1 file with 2 distinct prompts on this machine; nothing was sent" in err
    assert "not read: 1 line, torn or too long, and 0 files" in err
    assert "secrets were taken out of 1 prompt;" in err
    assert sorted(project.rglob("*")) == before


def test_json_has_the_whole_prompts(project: Path, capsys: Output) -> None:
    assert run(project, "--target", "demo:review", "--since", "2026-11-25", "--json") == 0
    out, err = capsys.readouterr()
    (candidate,) = json.loads(out)["candidates"]
    assert (candidate["triggered"], candidate["redacted"]) == (True, ["password"])
    assert SECRET not in out + err


def test_without_a_terminal_a_suite_needs_a_word(project: Path, capsys: Output) -> None:
    assert run(project, "--target", "demo:review", "--suite", "mine") == 2
    assert "add --review, which opens $EDITOR, or --yes" in capsys.readouterr().err
    assert not (project / "evals").exists()


def test_yes_writes_labelled_cases(project: Path) -> None:
    assert run(project, "--target", "demo:review", "--suite", "mine", "--yes") == 0
    first, second = written(project, "mine")
    assert first["expect"] == [{"skill-call": True}]
    assert first["tags"] == ["mined"]
    assert (second["expect"], second["preferred"]) == ([{"skill-call": False}], "demo:release")
    assert SECRET not in (project / "evals/mine/tests.json").read_text()


def test_the_editor_decides_what_is_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import json, sys, pathlib; path = pathlib.Path(sys.argv[1]);"
        " v = json.loads(path.read_text()); v['tests'] = v['tests'][:1];"
        " path.write_text(json.dumps(v))"
    )
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" -c "{code}"')
    assert run(project, "--target", "demo:review", "--suite", "mine", "--review") == 0
    assert len(written(project, "mine")) == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--suite", "mine", "--yes"), 1, "--target TARGET"),
        (("--target", "gone/SKILL.md"), 1, "gone"),
        (("--target", "demo:review", "--since", "yesterday"), 2, "is no date"),
        (("--target", "demo:review", "--yes"), 2, "go with --suite"),
        (("--target", "demo:review", "--suite", "a/b", "--yes"), 1, "cannot name a suite"),
        (("--target", "demo:review", "--suite", "x", "--review"), 1, "EDITOR"),
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


def test_no_history_is_nothing_found(
    project: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", os.devnull)
    assert run(project, "--target", "demo:review", "--suite", "mine", "--yes") == 0
    assert "nothing was found; nothing was written" in capsys.readouterr().err


def answer(project: Path, keys: bytes) -> tuple[int, str]:
    """Run on a terminal of its own, answer the question; give exit code and screen."""
    pid, terminal = pty.fork()
    if pid == 0:
        words = ("evals", "mine", "--target", "demo:review", "--suite", "mine", "-C", str(project))
        environment = {"PATH": os.defpath, "HOME": os.environ["HOME"], "TERM": "dumb"}
        argv = [sys.executable, "-m", "skillwalker", *words]
        os.execve(sys.executable, argv, environment)  # noqa: S606 (a child on a terminal)
    screen = b""
    while chunk := read_terminal(terminal):
        screen += chunk
        if keys and screen.rstrip().endswith(b"(n):"):
            os.write(terminal, keys)
            keys = b""
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), screen.decode()


@pytest.mark.parametrize(
    ("keys", "code", "is_written"),
    [
        pytest.param(b"y\r", 0, True, id="yes"),
        pytest.param(b"n\r", 0, False, id="no"),
        pytest.param(b"\x04", 0, False, id="end of input"),
        pytest.param(b"\x03", 130, False, id="ctrl-c"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_terminal_is_shown_everything_and_asked(
    project: Path, keys: bytes, code: int, is_written: bool
) -> None:
    ended, screen = answer(project, keys)
    assert ended == code, screen
    assert "put version two out today" in screen
    assert SECRET not in screen
    assert "Traceback" not in screen
    assert (project / "evals").exists() is is_written
