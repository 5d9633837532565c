"""Kills runs with -9 at random moments and resumes them: is the end that of an unkilled run?

    python bench/kills.py                      50 kills of simulated runs, of each strategy
    python bench/kills.py --claude PATH        50 of runs with the real Claude CLI, against a
                                               stand-in: no finished trial is asked for again

Prints the moment of each kill, and stops at the first difference.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.bench import make_bench_project
from tests.kills import (
    SIMULATED_STRATEGIES,
    Ended,
    assert_nothing_twice,
    begin_anew,
    differences,
    live_simulated,
    live_warm,
    moments_until,
    what_is_left,
)
from tests.watched import STRATEGIES, Watched, live_through, make_small_project, watched, words_of

SEED = 20261130
Carry = Callable[[int, Iterator[float]], Ended]


def kill(project: Path, make: Callable[[], Path], carry_out: Carry, kills: int) -> None:
    """Kill runs of a project until they were killed so often."""
    unkilled = carry_out(0, moments_until(0.0, SEED))
    whole = what_is_left(project, unkilled.folder)
    seconds = unkilled.lives[0].seconds
    print(f"  unkilled: {len(whole['trials'])} trials in {seconds:.1f} s")  # type: ignore[arg-type]  # a list
    moments, done, runs = moments_until(seconds, SEED), 0, 0
    while done < kills:
        begin_anew(project, make)
        ended = carry_out(kills - done, moments)
        done, runs = done + ended.kills, runs + 1
        assert_nothing_twice(ended.folder)
        assert not differences(what_is_left(project, ended.folder), whole)
        at = ", ".join(f"{life.seconds:.2f}" for life in ended.lives if life.code is None)
        print(f"  run {runs}: killed after {at or 'never'} s; the same end")
    print(f"  {done} kills of {runs} runs: every end is that of the unkilled run")


def simulated(root: Path, strategy: str, kills: int) -> None:
    """Kill simulated runs."""
    project = make_bench_project(root)
    live_warm(root)
    kill(
        project,
        partial(make_bench_project, root),
        partial(live_simulated, project, strategy),
        kills,
    )


def real(root: Path, strategy: str, kills: int, claude: Path) -> None:
    """Kill runs with the real CLI."""
    start = words_of(strategy, claude)
    with watched(root) as user:

        def carry_out(most: int, moments: Iterator[float]) -> Ended:
            life = Watched(user.user, user.standin)
            ended = live_through(life, start, most, moments)
            life.assert_nothing_asked_twice(ended)
            return ended

        kill(user.user.project, partial(make_small_project, root), carry_out, kills)


def main() -> None:
    """Kill runs of each strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--claude", type=Path, help="a Claude CLI; default: the simulated engine")
    parser.add_argument("--strategy", choices=STRATEGIES, action="append")
    asked = parser.parse_args()
    for strategy in asked.strategy or (STRATEGIES if asked.claude else SIMULATED_STRATEGIES):
        print(f"{strategy}, {'real CLI against the stand-in' if asked.claude else 'simulated'}")
        with tempfile.TemporaryDirectory() as folder:
            if asked.claude:
                real(Path(folder), strategy, asked.kills, asked.claude.absolute())
            else:
                simulated(Path(folder), strategy, asked.kills)


if __name__ == "__main__":
    main()
