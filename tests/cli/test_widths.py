"""What people read on a terminal of 80 columns, and in a log."""

import fcntl
import os
import pty
import shlex
import struct
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len

from skillwalker.cli import main
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.report.fitting import REPORT_WIDTH
from tests.bench import call_cases, make_bench_project, skill_text, write_cases

COLUMNS = 80
SIM = "--engine simulated --no-html --max-trials 999"
LONG = "a-skill-with-a-rather-long-name"

LINES = (
    "init",
    "doctor",
    "show",
    "evals list",
    "evals check",
    "evals score",
    "overnight --dry-run --engine simulated",
    f"measure --all --dry-run {SIM}",
    f"measure --all {SIM}",
    f"scil run --skill demo:{LONG} --max-iterations 2 --confirm-runs 1 {SIM}",
    "overnight --engine simulated --no-html --max-trials 60",
    "stats --simulated",
    "measure demo:nothing",
    "metric list",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    made = make_bench_project(tmp_path)
    long = made / f"plugins/demo/skills/{LONG}/SKILL.md"
    long.parent.mkdir()
    long.write_text(skill_text(LONG, "Helps with code review"), encoding="utf-8")
    write_cases(made, f"{LONG}-suite", call_cases(f"demo:{LONG}")[2:10])
    gaps = call_cases("demo:gap-analyzer", kind=TargetKind.AGENT)
    write_cases(made, "gaps", gaps[2:10])
    monkeypatch.chdir(made)
    return made


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Put a terminal of 80 columns in place of stdout and stderr; give what it was sent."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(outer, 65536)
            except OSError:
                return
            if not piece:
                return
            pieces.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    said: list[str] = []
    with monkeypatch.context() as patch:
        stream = os.fdopen(inner, "w", encoding="utf-8", buffering=1)
        patch.setattr(sys, "stdout", stream)
        patch.setattr(sys, "stderr", stream)
        yield said
        stream.close()
    reader.join()
    os.close(outer)
    said += b"".join(pieces).decode().replace("\r\n", "\n").split("\n")


def is_whole(line: str) -> bool:
    """Whether a line is what no break may go into: a command, or one word, as a path."""
    text = line.strip()
    return text.startswith(("scil ", "acil ", "skillwalker ")) or " " not in text


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("line", LINES)
def test_lines_end_where_the_terminal_does(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    if line.startswith("stats"):
        main(["measure", *SIM.split(), f"demo:{LONG}"])
    with terminal(monkeypatch) as said:
        main(shlex.split(line))
    assert any(said)
    long = [row for row in said if cell_len(row.rstrip()) > COLUMNS and not is_whole(row)]
    assert not long, long


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "line", ["init", "doctor", "evals list", "overnight --dry-run --engine simulated"]
)
def test_a_report_in_a_log_is_as_wide_as_a_page(
    capsys: pytest.CaptureFixture[str], line: str
) -> None:
    main(shlex.split(line))
    rows = capsys.readouterr().out.splitlines()
    assert rows
    assert not [row for row in rows if cell_len(row) > REPORT_WIDTH and not is_whole(row)]
    if line == "init":
        assert f"  --skill demo:{LONG}" in rows


@pytest.mark.usefixtures("project")
def test_an_error_in_a_log_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "demo:nothing"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.usefixtures("project")
def test_what_holds_for_all_targets_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "--all", *SIM.split()]) == 0
    rows = capsys.readouterr().err.splitlines()
    assert sum(row.startswith("engine simulated") for row in rows) == 1
    assert sum(row.startswith("next:") for row in rows) == 1
    assert sum(row.startswith("SIMULATED") for row in rows) == 2  # before the first, after the last
    assert main(["measure", "--all", "--dry-run", "--engine", "local"]) == 0
    plans = capsys.readouterr().out
    assert plans.count("no login is set, so a run would end") == 1
    assert plans.count("trials at most: ") == 3
