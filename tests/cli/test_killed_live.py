"""kill -9 at random moments of runs with the real Claude CLI: no finished trial is asked again."""

from pathlib import Path

import pytest

from tests.clis import VERSIONS, need_cli
from tests.kills import (
    assert_nothing_twice,
    begin_anew,
    differences,
    moments_until,
    what_is_left,
)
from tests.standin_log import trials_recorded
from tests.watched import STRATEGIES, Watched, live_through, make_small_project, watched, words_of

pytestmark = pytest.mark.cli

KILLS = 3
"""Of each strategy; `bench/kills.py` does as many as one likes."""


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_killed_at_random_moments_nothing_finished_is_asked_again(
    tmp_path: Path, strategy: str
) -> None:
    binary = need_cli(VERSIONS[0])
    start = words_of(strategy, binary)
    with watched(tmp_path) as whole_life:
        unkilled = live_through(whole_life, start, 0, moments_until(0.0, 0))
        whole = what_is_left(whole_life.user.project, unkilled.folder)
        assert whole_life.asked[0] == trials_recorded(unkilled.folder)
        begin_anew(whole_life.user.project, lambda: make_small_project(tmp_path))
        killed = Watched(whole_life.user, whole_life.standin)
        moments = moments_until(unkilled.lives[0].seconds * 0.7, 20261130)
        ended = live_through(killed, start, KILLS, moments)
        killed.assert_nothing_asked_twice(ended)
    assert_nothing_twice(ended.folder)
    left = what_is_left(killed.user.project, ended.folder)
    assert differences(left, whole) == []
    assert ended.kills >= 1
    assert ended.summary["applied"]
