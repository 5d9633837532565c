"""The shell steps of the workflows in docs/examples, each run in a repository made for it."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_examples import EXAMPLES, workflow

GATE, NIGHT = ("pull-request-gate.yml", "overnight.yml")
SKILL = "plugins/{}/SKILL.md"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
INSTALLED = "#!/bin/bash\nexit 0\n"
PROGRAM = """\
#!/bin/bash
echo "$*" >> "$LOG"
number=$(wc -l < "$LOG")
case "$1 $2" in
  measure*) cp -r plugins "$SEEN/$number"; [ "$number" != 2 ] || exit "${BASE_ENDS:-0}" ;;
  "overnight --merge")
    [ -e "$3" ] || exit 1
    for name in a c; do echo better > plugins/$name/SKILL.md; done
    echo '{}' > skillwalker.lock
    mkdir -p output/20260102T000000 && echo report > output/20260102T000000/overnight-report.md ;;
  "overnight --shard")
    [ -z "$NO_NIGHT" ] || exit 1
    mkdir -p output/20260102T000000 && touch -d tomorrow output/20260102T000000/night.jsonl ;;
esac
"""
GH = """\
#!/bin/bash
echo "$*" >> "$LOG"
[ "$2" != view ] || [ "$3" != skillwalker/c ] || echo OPEN
"""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the steps of a job as GitHub does, with programs that only note how they were called."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> Path:
        """The checkout."""
        return self.root / "checkout"

    def step(self, step: Mapping[str, Any], **values: str) -> int:
        """Run a step's script with the expressions replaced; give its exit code."""
        script = self.root / "step.sh"
        script.write_text(EXPRESSION.sub(lambda found: values.get(found[1], "1"), step["run"]))
        ran = subprocess.run(
            ["bash", "-e", str(script)], cwd=self.repository, env=self._environment(), check=False
        )
        return ran.returncode

    def git(self, *words: str) -> str:
        """Run git in the checkout; give what it printed."""
        ran = subprocess.run(
            ["git", *words],
            cwd=self.repository,
            env=self._environment(),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return ran.stdout.strip()

    def commit(self, skills: Mapping[str, str]) -> str:
        """Commit plugins, a name and a text each, in place of those that were there."""
        for path in self.repository.glob(SKILL.format("*")):
            path.unlink()
        for name, text in skills.items():
            path = self.repository / SKILL.format(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", "plugins")
        return self.git("rev-parse", "HEAD")

    def called(self) -> list[str]:
        """How programs were called, a line a call."""
        log = self.root / "log"
        return log.read_text().splitlines() if log.exists() else []

    def _environment(self) -> dict[str, str]:
        """What a step sees."""
        by = {
            f"GIT_{who}_{part}": text
            for who in ("AUTHOR", "COMMITTER")
            for part, text in (("NAME", "someone"), ("EMAIL", "someone@example.org"))
        }
        return {
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.root),
            "RUNNER_TEMP": str(self.root / "runner"),
            "LOG": str(self.root / "log"),
            "SEEN": str(self.root / "seen"),
            "GIT_CONFIG_NOSYSTEM": "1",
            **by,
            **self.env,
        }


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    for name in ("bin", "runner", "seen", "checkout"):
        (tmp_path / name).mkdir()
    programs = {"skillwalker": PROGRAM, "gh": GH, "pipx": INSTALLED, "npm": INSTALLED}
    for name, text in programs.items():
        path = tmp_path / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
    made = Runner(tmp_path)
    made.git("init", "-q", "-b", "main")
    (made.repository / ".gitignore").write_text("output/\nnight/\nnights/\nstarted\n")
    return made


def shell_steps(name: str, job: str) -> dict[str, dict[str, Any]]:
    """The steps of a job that are scripts, by their names."""
    (path,) = (path for path in EXAMPLES if path.name == name)
    steps = workflow(path)["jobs"][job]["steps"]
    return {step["name"]: step for step in steps if "run" in step}


def plugins_of(folder: Path) -> dict[str, str]:
    """Texts of the skills below a folder, by plugin."""
    return {path.parent.name: path.read_text() for path in folder.glob("*/SKILL.md")}


# --- the gate ----------------------------------------------------------------------------------

BASE = {"same": "1", "changed": "1", "deleted": "1"}
HEAD = {"same": "1", "changed": "2", "added": "1"}


@pytest.mark.parametrize("base_ends", ["0", "1"], ids=["measured", "a target has no base"])
def test_the_gate_measures_the_base_and_then_the_pull_request_and_nothing_of_both(
    runner: Runner, base_ends: str
) -> None:
    base, head = runner.commit(BASE), runner.commit(HEAD)
    runner.env["BASE_ENDS"] = base_ends
    for step in shell_steps(GATE, "gate").values():
        code = runner.step(step, **{"github.event.pull_request.base.sha": base})
        assert code == 0 or step.get("continue-on-error"), step["name"]
    seen = [plugins_of(folder) for folder in sorted((runner.root / "seen").iterdir())]
    assert seen == [BASE, HEAD]
    assert runner.git("status", "--porcelain") == ""
    assert runner.git("rev-parse", "HEAD") == head


# --- the night ---------------------------------------------------------------------------------


def night(runner: Runner) -> Path:
    """Run a shard of a night; give the folder that is kept."""
    runner.commit({"a": "poor"})
    old = runner.repository / "output/20260101T000000/night.jsonl"
    old.parent.mkdir(parents=True)
    old.touch()
    os.utime(old, (0, 0))
    steps = shell_steps(NIGHT, "night")
    runner.step(steps["Measure and search"])
    assert runner.step(steps["Keep the night"]) == 0
    return runner.repository / "night"


def test_a_shard_keeps_its_own_night_alone(runner: Runner) -> None:
    kept = night(runner)
    assert [path.name for path in kept.iterdir()] == ["20260102T000000"]
    assert "overnight --shard 1/3 --engine local --max-cost-usd 10 --deadline 5h" in runner.called()


def test_a_shard_whose_night_never_began_keeps_nothing(runner: Runner) -> None:
    runner.env["NO_NIGHT"] = "1"
    assert not night(runner).exists()


def collect(runner: Runner, *, nights: bool) -> dict[str, int]:
    """Put nights together, as the last job does; give how each step ended."""
    runner.commit({"a": "poor", "b": "good", "c": "poor"})
    origin = runner.root / "origin.git"
    runner.git("init", "-q", "--bare", str(origin))
    runner.git("remote", "add", "origin", str(origin))
    if nights:
        (runner.repository / "nights/night-1").mkdir(parents=True)
    steps = shell_steps(NIGHT, "collect")
    return {name: runner.step(step) for name, step in steps.items() if "if" not in step}


def test_each_plugin_that_became_better_gets_a_branch_and_a_request(runner: Runner) -> None:
    assert set(collect(runner, nights=True).values()) == {0}
    for name in ("a", "c"):
        changed = runner.git("diff", "--name-only", "main", f"origin/skillwalker/{name}")
        assert changed.splitlines() == [SKILL.format(name), "skillwalker.lock"]
    branches = runner.git("ls-remote", "--heads", "origin").splitlines()
    assert [line.rpartition("/")[2] for line in branches] == ["a", "c"]
    requests = [line.split()[:4] for line in runner.called() if line.startswith("pr ")]
    assert [words for words in requests if words[1] != "view"] == [
        ["pr", "create", "--head", "skillwalker/a"],
        ["pr", "edit", "skillwalker/c", "--body-file"],
    ]


def test_where_no_night_was_merged_nothing_is_asked_for(runner: Runner) -> None:
    ended = collect(runner, nights=False)
    assert ended["One pull request a plugin"] == 0
    assert ended["Put the three nights together and write what became better"] == 1
    assert runner.git("ls-remote", "--heads", "origin") == ""
