"""Whole runs in Docker, with the real Claude CLI inside and the real SDK as improver."""

from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.frontmatter.text import read_frontmatter
from tests.bench import DESCRIPTION
from tests.clis import VERSIONS, need_cli
from tests.docker_daemon import docker_host, need_docker, our_containers
from tests.test_recorded_run_live import KEY, UNGATED, Run, carry_out, content_of

pytestmark = pytest.mark.docker

WRITTEN = ("--apply", "--allow-simulated", "--improver", "api", "--concurrency", "4")
RUNS = [
    Run("skill of a plugin", VERSIONS[0], ("scil", "run", *UNGATED, *WRITTEN), engine="docker"),
    Run(
        "agent of a project",
        VERSIONS[0],
        ("acil", "run", *UNGATED, *WRITTEN),
        file=".claude/agents/gap-analyzer.md",
        kind=TargetKind.AGENT,
        engine="docker",
    ),
]


@pytest.mark.parametrize("run", RUNS, ids=[run.name for run in RUNS])
def test_a_run_in_docker_ends_with_the_better_description_in_the_file(
    tmp_path: Path, run: Run
) -> None:
    need_docker(run.version)
    here = replace(run, docker_host=docker_host() or "")
    done = carry_out(here, tmp_path / "run", need_cli(run.version))
    assert done.code == 0, done.said
    assert (done.summary["verdict"], done.summary["applied"]) == ("improved", True), done.said
    content = (done.project / run.file).read_bytes()
    written = read_frontmatter(content, run.kind, run.position).description
    assert written == done.summary["best_description"] != DESCRIPTION
    assert done.summary["engine"] == "docker"
    assert done.summary["simulated"], "a stand-in is no model"
    assert done.left == []
    assert our_containers() == []
    files = [path for path in done.project.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in content_of(path)] == []
