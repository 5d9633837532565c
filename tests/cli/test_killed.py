"""kill -9 at random moments of whole runs, then --resume: the end is that of an unkilled run."""

from functools import partial
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import make_bench_project
from tests.kills import (
    SIMULATED_STRATEGIES,
    assert_nothing_twice,
    begin_anew,
    differences,
    live_simulated,
    live_warm,
    moments_until,
    what_is_left,
)

KILLS = 8
"""Of each strategy; `bench/kills.py` does as many as one likes."""


@pytest.mark.parametrize("strategy", SIMULATED_STRATEGIES)
def test_killed_at_random_moments_a_run_ends_as_if_it_had_lived(
    tmp_path: Path, strategy: str
) -> None:
    project = make_bench_project(tmp_path)
    skill = project / "plugins/demo/skills/code-review/SKILL.md"
    before = skill.read_bytes()
    live_warm(tmp_path)
    unkilled = live_simulated(project, strategy, 0, moments_until(0.0, 0))
    whole = what_is_left(project, unkilled.folder)
    moments = moments_until(unkilled.lives[0].seconds, 20261130)
    kills = 0
    while kills < KILLS:
        begin_anew(project, partial(make_bench_project, tmp_path))
        ended = live_simulated(project, strategy, KILLS - kills, moments)
        kills += ended.kills
        assert_nothing_twice(ended.folder)
        assert differences(what_is_left(project, ended.folder), whole) == []
        assert main(["undo", ended.folder.name, "-C", str(project)]) == 0
        assert skill.read_bytes() == before
    assert unkilled.summary["applied"]
