"""Whole runs as a user starts them, with the real Claude CLI against the stand-in."""

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.frontmatter.text import read_frontmatter
from skillwalker.report.wording import ROOMY
from skillwalker.standin.behaviour import RoutedBehaviour, with_faults
from skillwalker.standin.fault_words import parse_faults
from skillwalker.standin.server import serve
from tests.bench import (
    DESCRIPTION,
    NEGATIVES,
    POSITIVES,
    agent_text,
    call_cases,
    make_bench_project,
    skill_text,
    write_cases,
)
from tests.clis import VERSIONS, need_cli

pytestmark = pytest.mark.cli

NEWER, OLDER = VERSIONS
KEY = "sk-ant-planted-key"
PLANS = ("compare the plan with the code", "which parts of the plan are missing in the code")
LONG = f"{DESCRIPTION}. " + "Checks diffs and patches for bugs before a merge. " * 20
GATED = ("--max-iterations", "2", "--confirm-runs", "2")
UNGATED = ("--max-iterations", "2", "--no-gate")
WRITTEN = ("--apply", "--allow-simulated", "--improver", "cli")


@dataclass(frozen=True, slots=True)
class Run:
    """One command, in a project of its own, against a stand-in of its own."""

    name: str
    version: str
    arguments: tuple[str, ...]
    file: str = "plugins/demo/skills/code-review/SKILL.md"
    kind: TargetKind = TargetKind.SKILL
    fault: str | None = ""
    """Of the stand-in; None is a server that is not there."""
    crowd: int = 0
    """Siblings of 1,000 characters that are listed before the target."""

    text: str = DESCRIPTION
    engine: str = "local"
    docker_host: str = ""

    @property
    def position(self) -> Position:
        """Where the target's file lies."""
        return Position.PROJECT if self.file.startswith(".claude") else Position.PLUGIN


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left."""

    code: int
    summary: dict[str, Any]
    said: str
    project: Path
    left: list[Path] = field(default_factory=list)


IMPROVED = [
    Run("skill of a plugin", NEWER, ("scil", "run", *GATED, *WRITTEN)),
    Run(
        "skill of a project",
        OLDER,
        ("scil", "run", *UNGATED, *WRITTEN),
        file=".claude/skills/code-review/SKILL.md",
    ),
    Run(
        "agent of a plugin",
        OLDER,
        ("acil", "run", *UNGATED, *WRITTEN),
        file="plugins/demo/agents/gap-analyzer.md",
        kind=TargetKind.AGENT,
    ),
    Run(
        "agent of a project",
        NEWER,
        ("acil", "run", *UNGATED, *WRITTEN),
        file=".claude/agents/gap-analyzer.md",
        kind=TargetKind.AGENT,
    ),
]
FAILED = [
    Run("401", NEWER, ("scil", "run", "--improver", "cli"), fault="401"),
    Run("529", OLDER, ("scil", "run", "--improver", "cli"), fault="529"),
    Run("hang", NEWER, ("scil", "run", "--improver", "cli", "--timeout", "5"), fault="silent:600"),
    Run("no server", NEWER, ("scil", "run", "--improver", "cli"), fault=None),
]
CROWDED = [
    Run("real listing", NEWER, ("measure", "demo:code-review"), text=LONG, crowd=40),
    Run("roomy", NEWER, ("measure", "demo:code-review", "--listing", "roomy"), text=LONG, crowd=40),
]


def write_project(run: Run, root: Path) -> Path:
    """Write a project in which the run's target is the only one with cases."""
    project = make_bench_project(root)
    name = Path(run.file).stem if run.kind is TargetKind.AGENT else "code-review"
    owner = "project" if run.position is Position.PROJECT else "demo"
    positives, describe = (
        (PLANS, agent_text) if run.kind is TargetKind.AGENT else (POSITIVES[:3], skill_text)
    )
    path = project / run.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(describe(name, run.text))
    for number in range(run.crowd):
        path = project / f"plugins/demo/skills/a{number:02}/SKILL.md"
        path.parent.mkdir()
        path.write_text(skill_text(f"a{number:02}", "x" * 1_000))
    cases = call_cases(
        f"{owner}:{name}", kind=run.kind, positives=positives, negatives=NEGATIVES[:3]
    )
    write_cases(project, "review", cases)
    return project


def carry_out(run: Run, root: Path, binary: Path) -> Done:
    """Give the command; its JSON is the summary."""
    root.mkdir()
    project = write_project(run, root)
    (root / "t").mkdir()
    behaviour = with_faults(RoutedBehaviour(), parse_faults(run.fault or ""))
    with serve(behaviour) as standin:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(root),
            "TMPDIR": str(root / "t"),
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9" if run.fault is None else standin.url,
        }
        if run.docker_host:
            environment["DOCKER_HOST"] = run.docker_host
        words = ("--engine", run.engine, "--claude", str(binary), "--json", "-C", str(project))
        done = subprocess.run(
            [sys.executable, "-m", "skillwalker", *run.arguments, *words],
            env=environment,
            capture_output=True,
            text=True,
            timeout=150,
        )
    summary = json.loads(done.stdout) if done.stdout else {}
    return Done(done.returncode, summary, done.stderr, project, list((root / "t").iterdir()))


Runs = dict[str, Future[Done]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Start every run, a few at a time; each test waits for its own."""
    binaries = {version: need_cli(version) for version in VERSIONS}
    root = tmp_path_factory.mktemp("runs")
    pool = ThreadPoolExecutor(3)
    yield {
        run.name: pool.submit(carry_out, run, root / run.name, binaries[run.version])
        for run in (*FAILED, *CROWDED, *IMPROVED)
    }
    pool.shutdown(cancel_futures=True)


def named(cases: Sequence[Run]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrize a test by runs."""
    return pytest.mark.parametrize("run", cases, ids=[case.name for case in cases])


@named(IMPROVED)
def test_a_run_ends_with_the_better_description_in_the_file(runs: Runs, run: Run) -> None:
    done = runs[run.name].result()
    summary = done.summary
    assert done.code == 0, done.said
    assert (summary["verdict"], summary["applied"]) == ("improved", True), done.said
    content = (done.project / run.file).read_bytes()
    written = read_frontmatter(content, run.kind, run.position).description
    assert written == summary["best_description"] != DESCRIPTION
    assert (summary["engine"], summary["cli_version"]) == ("local", run.version)
    assert summary["usage"]["improver"]["calls"] >= 1
    assert summary["usage"]["improver"]["cost_unknown_calls"] == 0
    assert summary["simulated"], "a stand-in is no model"
    assert done.said.startswith("SIMULATED")
    assert done.left == []


@named(FAILED)
def test_a_run_without_answers_is_inconclusive_and_says_why(runs: Runs, run: Run) -> None:
    causes = {"401": "401", "529": "529", "hang": "timeout", "no server": "connection"}
    done = runs[run.name].result()
    summary = done.summary
    assert (done.code, summary["verdict"]) == (3, "inconclusive"), done.said
    assert (summary["original"], summary["best"], summary["rate_in_file"]) == (None, None, None)
    assert causes[run.name] in summary["cause"]
    assert "\n" not in summary["cause"]
    (line,) = [line for line in done.said.splitlines() if "inconclusive" in line]
    assert summary["cause"] in line
    assert "%" not in done.said.partition("inconclusive")[0]
    assert done.left == []


def test_a_crowded_target_is_refused_before_any_trial(runs: Runs) -> None:
    done = runs["real listing"].result()
    assert (done.code, done.summary["trials"]) == (3, 0), done.said
    for words in ("listed by name only", "--listing roomy", "larger listing budget"):
        assert words in done.summary["cause"]
    assert done.summary["listing_mode"] == "real"


def test_a_roomy_listing_is_measured_and_labelled(runs: Runs) -> None:
    done = runs["roomy"].result()
    assert done.code == 0, done.said
    assert done.summary["listing_mode"] == "roomy"
    assert done.summary["listing"]["budget_chars"] == 1_000_000
    assert done.summary["permission_mode"] == "dontAsk"
    assert done.said.count(ROOMY) == 2
    assert ROOMY in "\n".join(done.said.splitlines()[:3])


def content_of(path: Path) -> bytes:
    """A file's bytes, those of a transcript unpacked."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


@named((*IMPROVED, *FAILED, *CROWDED))
def test_the_key_is_in_no_file(runs: Runs, run: Run) -> None:
    files = [path for path in runs[run.name].result().project.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert [path for path in files if KEY.encode() in content_of(path)] == []
