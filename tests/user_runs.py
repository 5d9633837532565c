"""Runs the command line as a user does: a process of its own, in an environment of its own."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from skillwalker.standin.replies import Reply, Say, Use
from skillwalker.standin.request import read_prompt, turn_number
from skillwalker.standin.server import MessageRequest
from tests.bench import DESCRIPTION, skill_text
from tests.clis import ROOT

PATH = "/usr/local/bin:/usr/bin:/bin"
TARGET = "demo:code-review"
DONE = Reply(blocks=(Say("Done."),))
ASKED_BY_NAME = "Use the "
"""How the control begins that asks for the target outright."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    said: str

    @property
    def summary(self) -> dict[str, Any]:
        """What `--json` printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found


@dataclass(frozen=True, slots=True)
class User:
    """A user with a project, a home, a place for temporary files, and an API."""

    project: Path
    url: str
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        """The user's own home, of which nothing may reach a trial."""
        return self.project.parent / "home"

    @property
    def temporary(self) -> Path:
        """TMPDIR."""
        return self.project.parent / "t"

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        for folder in (self.home, self.temporary):
            folder.mkdir(exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", "skillwalker", "-C", str(self.project), *words],
            cwd=ROOT,
            env={
                "PATH": PATH,
                "HOME": str(self.home),
                "TMPDIR": str(self.temporary),
                "ANTHROPIC_API_KEY": "sk-ant-dummy",
                "ANTHROPIC_BASE_URL": self.url,
                **self.environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> Ran:
        """Run a command to its end."""
        process = self.start(*words)
        out, said = process.communicate(timeout=120)
        return Ran(process.returncode, out, said)

    def measure(self, claude: Path | str, *words: str) -> Ran:
        """Measure with a CLI on this machine."""
        own = ("--engine", "local", "--claude", str(claude), "--concurrency", "4", "--json")
        return self.run("measure", *own, *words)

    def rows(self, summary: dict[str, Any], name: str) -> list[dict[str, Any]]:
        """Read a file of a run, line by line; a file that is not there has none."""
        path = self.project / "output" / str(summary["run_id"]) / name
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_target(project: Path, *, description: str = DESCRIPTION, more: str = "") -> Path:
    """Write the target anew.

    Args:
        project: made by `make_bench_project`.
        description: its text.
        more: further lines of its frontmatter.
    """
    path = project / "plugins/demo/skills/code-review/SKILL.md"
    text = skill_text("code-review", description)
    path.write_text(text.replace("\n---\n", f"\n{more}---\n", 1))
    return path


def calls(name: str) -> Reply:
    """Call a skill."""
    return Reply(blocks=(Use("Skill", {"skill": name}),))


def is_first(asked: MessageRequest) -> bool:
    """Whether nothing was answered yet."""
    return turn_number(asked.body) == 1


def by_name(asked: MessageRequest) -> Reply | None:
    """Answer the controls rightly; None when it is a case."""
    prompt = read_prompt(asked.body)
    if prompt.startswith(ASKED_BY_NAME):
        return calls(TARGET) if is_first(asked) else DONE
    return None


def processes_with(words: str) -> list[str]:
    """Find the processes in whose environment or command line some words stand."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            said = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            if words.encode() in said and int(process.name) != os.getpid():
                found.append(said.decode(errors="replace"))
    return found
