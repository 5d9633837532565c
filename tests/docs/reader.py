"""A reader who types what a page shows, in a folder of their own, on the simulated engine."""

import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.docs.pages import ROOT, Block, Shown

RUN_ID = re.compile(r"\b\d{8}T\d{6}(?:-\d+)?\b")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
PROGRAMS = {"skillwalker": [], "scil": ["scil"], "acil": ["acil"]}
REAL = re.compile(r"--(engine) (?:local|docker)\b|--(improver|judge) (?:cli|api)\b")
SHELL = set("|<>&;")
ELSEWHERE = "…"


@dataclass(slots=True)
class Reader:
    """Who runs the commands of a page, one after another.

    A run id of a page stands for the run that was made where the page first shows it, `RUN_ID` for
    the newest one. Real engines are replaced by the simulated one.
    """

    places: dict[str, Path]
    """Folders by their names in `<!-- in: NAME -->`."""
    monkeypatch: pytest.MonkeyPatch
    uses_stand_in: bool = False
    """Whether `skillwalker standin … &` is obeyed; behind it, real engines are not replaced."""
    served: "subprocess.Popen[str] | None" = None
    address: tuple[str, str] | None = None
    """Where a page says that the stand-in is, and where it is here."""
    ids: dict[str, str] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)

    def read(self, block: Block) -> None:
        """Run the commands of a block and compare what comes."""
        where = block.marks.get("in")
        if where is not None:
            self.monkeypatch.chdir(self.places[where])
        for shown in block.commands:
            code, said = self.run(shown)
            wanted = block.exit_code if shown is block.commands[-1] else 0
            at = f"{shown.page}:{shown.line}: {shown.command}"
            assert code == wanted, f"{at}\nended with {code}:\n{said}"
            missing = missing_lines(shown.output, said)
            assert not missing, f"{at}\ndid not print {missing}, but:\n{said}"

    def close(self) -> None:
        """End the stand-in."""
        if self.served is not None:
            self.served.terminate()
            self.served.communicate(timeout=10)

    def run(self, shown: Shown) -> tuple[int, str]:
        """Run one command; give its exit code and what it printed, both streams together."""
        command = self._now(shown.command)
        code, said = self._type(command)
        self._learn(shown)
        return code, said

    def _type(self, command: str) -> tuple[int, str]:
        words = shlex.split(command)
        if command.endswith("&"):
            return self._serve(words)
        if words[0] == "make":  # what it would do: doing it takes minutes
            words = [word for word in words[1:] if word not in {"-C", "skillwalker"}]
            command = shlex.join(["make", "-n", "-C", str(ROOT), *words])
        if words[0] == "cd":
            self.monkeypatch.chdir(words[1])
            return 0, ""
        if words[0] == "export":
            for word in words[1:]:
                name, _, value = word.partition("=")
                self.monkeypatch.setenv(name, os.path.expandvars(value))
            return 0, ""
        if words[0] in PROGRAMS and not SHELL & set(command):
            return self._inside([*PROGRAMS[words[0]], *words[1:]])
        ran = subprocess.run(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return ran.returncode, ran.stdout

    def _serve(self, words: list[str]) -> tuple[int, str]:
        """Start a stand-in in the background, on a port that is free."""
        assert self.uses_stand_in
        assert words[:3] == ["skillwalker", "standin", "--port"]
        self.served = subprocess.Popen(
            [sys.executable, "-m", "skillwalker", "standin"], stdout=subprocess.PIPE, text=True
        )
        assert self.served.stdout is not None
        self.address = (f"http://127.0.0.1:{words[3]}", self.served.stdout.readline().strip())
        return 0, ""

    def _inside(self, arguments: list[str]) -> tuple[int, str]:
        """Run our own program in this process: starting it anew a hundred times takes a minute."""
        raw = io.BytesIO()
        with self.monkeypatch.context() as patch:
            streams = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for _ in "oe"]
            for name, stream in zip(("stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = main(arguments)
        return code, raw.getvalue().decode()

    def _now(self, command: str) -> str:
        """Give a command as it is typed here."""
        self._learn(None)
        newest = self.runs[-1] if self.runs else "RUN_ID"
        command = RUN_ID.sub(lambda found: self.ids.get(found[0], newest), command)
        command = command.replace("RUN_ID", newest)
        if self.address is not None:
            return command.replace(*self.address)
        return REAL.sub(lambda found: f"--{found[1] or found[2]} simulated", command)

    def _learn(self, shown: Shown | None) -> None:
        """Note the runs that are new, and which ids of the page mean them."""
        cwd = Path.cwd()
        found = sorted(p.parent.name for p in cwd.glob("**/output/*/run.json"))
        new = [run for run in found if run not in self.runs]
        self.runs += new
        if shown is None:
            return
        named = dict.fromkeys(i for line in shown.output for i in RUN_ID.findall(line))
        self.ids.update(zip((i for i in named if i not in self.ids), new, strict=False))


def missing_lines(expected: tuple[str, ...], said: str) -> list[str]:
    """Give the lines that a page shows and that were not printed in this order.

    Blanks and numbers are not compared: a page may leave blanks out, and numbers change with the
    simulation. A line of `…` stands for any lines, `…` at a line's end for its rest.
    """
    printed = [_plain(line) for line in said.splitlines()]
    missing = []
    at = 0
    for line in expected:
        wanted = _plain(line)
        if wanted == ELSEWHERE:
            continue
        found = next((n for n in range(at, len(printed)) if _is(wanted, printed[n])), None)
        if found is None:
            missing.append(line)
        else:
            at = found + 1
    return missing


def _is(wanted: str, printed: str) -> bool:
    start = wanted.removesuffix(ELSEWHERE)
    return printed == wanted or (start != wanted and printed.startswith(start.rstrip()))


def _plain(line: str) -> str:
    return " ".join(NUMBER.sub("0", RUN_ID.sub("0", line)).split())
