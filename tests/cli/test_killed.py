"""kill -9 at random moments of whole runs, then --resume: the end is that of an unkilled run."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from skillwalker.cli import main
from tests.bench import make_bench_project
from tests.kills import (
    Ended,
    Life,
    assert_nothing_twice,
    begin_anew,
    live,
    moments_until,
    run_to_its_end,
    what_is_left,
)

KILLS = 8
"""Of each strategy; `bench/kills.py` does as many as one likes."""
STRATEGIES = {
    "phases": ("--runs-per-query", "5", "--holdout", "0.5"),
    "race": ("--search", "race", "--max-trials", "150"),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_killed_at_random_moments_a_run_ends_as_if_it_had_lived(
    tmp_path: Path, strategy: str
) -> None:
    project = make_bench_project(tmp_path)
    common = ("--apply", "--allow-simulated", "--no-html", "--json", "-C", str(project))
    start = ("scil", "run", "--engine", "simulated", *STRATEGIES[strategy], *common)

    def begin(words: Sequence[str], seconds: float) -> Life:
        return live(words, tmp_path, seconds=seconds)

    def carry_out(most_kills: int) -> Ended:
        return run_to_its_end(
            start,
            lambda run_id: ("scil", "run", "--resume", run_id, *common),
            project,
            moments,
            most_kills=most_kills,
            begin=begin,
        )

    skill = project / "plugins/demo/skills/code-review/SKILL.md"
    before = skill.read_bytes()
    moments = moments_until(0.0, 0)
    live(("scil", "run", "--help"), tmp_path)  # the first process waits for imports
    unkilled = carry_out(0)
    whole = what_is_left(project, unkilled.folder)
    moments = moments_until(unkilled.lives[0].seconds, 20261130)
    kills = 0
    while kills < KILLS:
        begin_anew(project, partial(make_bench_project, tmp_path))
        ended = carry_out(KILLS - kills)
        kills += ended.kills
        assert_nothing_twice(ended.folder)
        assert what_is_left(project, ended.folder) == whole
        assert main(["undo", ended.folder.name, "-C", str(project)]) == 0
        assert skill.read_bytes() == before
    assert unkilled.summary["applied"]
