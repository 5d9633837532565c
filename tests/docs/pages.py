"""Reads pages of the docs: the commands that they show, and what should come of them.

A block is fenced with ```console. In it, a line that starts with `$ ` is a command, further lines
are what it prints. HTML comments just above a block say how it is to be read:

    <!-- not run: package -->   needs something that a test does not have; listed in the test
    <!-- with: cli -->          runs the real Claude CLI against a stand-in
    <!-- exit: 4 -->            the last command of the block ends with this code
    <!-- in: start -->          from here on the reader is in this folder of tests/docs/places.py

Above a block of any other kind, `<!-- file: PATH -->` says that the reader has such a file.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^ *```(.*)$")
MARK = re.compile(r"^<!-- ([a-z ]+): ([\w./-]+) -->$")
MARKS = frozenset({"not run", "with", "exit", "in"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A command that a page shows, and what it shows of its output."""

    page: str
    line: int
    command: str
    """Without its remark, continued lines joined."""
    output: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of commands."""

    commands: tuple[Shown, ...]
    marks: dict[str, str]

    @property
    def exit_code(self) -> int:
        """What the last command ends with."""
        return int(self.marks.get("exit", "0"))


def documents() -> list[Path]:
    """Give every page for users, written or generated."""
    found = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
    return sorted([*found, *ROOT.glob("evals/*.md"), *ROOT.glob("plugins/*/*.md")])


def name_of(path: Path) -> str:
    """Give a page's name as tests and messages write it."""
    return path.relative_to(ROOT).as_posix()


def blocks_of(text: str, page: str) -> list[Block]:
    """Read the blocks of commands of a page."""
    lines = text.splitlines()
    found = []
    start = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if fence is None:
            continue
        if start is not None:
            found.append(_block(lines, start, number, page))
            start = None
        elif fence[1] == "console":
            start = number
        else:
            start = -1
    return [block for block in found if block is not None]


def files_of(text: str) -> dict[str, str]:
    """Read the files that a page has its reader write, by their path."""
    lines = text.splitlines()
    found = {}
    for number, line in enumerate(lines):
        mark = MARK.match(line)
        if mark is None or mark[1] != "file":
            continue
        end = next(n for n in range(number + 2, len(lines)) if FENCE.match(lines[n]))
        found[mark[2]] = "\n".join(lines[number + 2 : end]) + "\n"
    return found


def stray_commands(text: str) -> list[str]:
    """Give the lines that look like commands outside blocks of commands."""
    inside: str | None = None
    found = []
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence is not None:
            inside = fence[1] if inside is None else None
        elif inside != "console" and line.startswith("$ "):
            found.append(line)
        if fence is not None and inside in {"sh", "bash", "shell", "zsh"}:
            found.append(line)
    return found


def _block(lines: list[str], start: int, end: int, page: str) -> Block | None:
    """Read one block; None when it holds no commands."""
    if start < 0:
        return None
    commands: list[Shown] = []
    at = start + 1
    while at < end:
        line, first = lines[at], at
        if not line.startswith("$ "):
            raise ValueError(f"{page}:{at + 1}: output before any command")
        while line.endswith("\\"):
            at += 1
            line = line[:-1].rstrip() + " " + lines[at].strip()
        until = next((n for n in range(at + 1, end) if lines[n].startswith("$ ")), end)
        output = tuple(each for each in lines[at + 1 : until] if each.strip())
        command = without_remark(line.removeprefix("$ "))
        commands.append(Shown(page=page, line=first + 1, command=command, output=output))
        at = until
    return Block(commands=tuple(commands), marks=_marks(lines, start, page))


def without_remark(line: str) -> str:
    """Drop a remark behind a command: two blanks and a number sign."""
    return re.split(r"\s+# ", line, maxsplit=1)[0].rstrip()


def _marks(lines: list[str], fence: int, page: str) -> dict[str, str]:
    marks = {}
    at = fence - 1
    while at >= 0 and lines[at].startswith("<!-- "):
        found = MARK.match(lines[at])
        if found is None or found[1] not in MARKS:
            raise ValueError(f"{page}:{at + 1}: no mark that is known: {lines[at]}")
        marks[found[1]] = found[2]
        at -= 1
    return marks
