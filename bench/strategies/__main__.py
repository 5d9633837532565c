"""Prints what each strategy gains, how often it does harm, and what it spends, in a made-up world.

.venv/bin/python -m bench.strategies [--skills N] [--budgets B …] [--scenario NAME …]
    [--entrant NAME …] [--first-seed N] [--jobs N] [--matrix]

Every figure is simulated: see `world` and `improver` for what is assumed.
"""

import argparse
import time
from collections.abc import Sequence

from bench.strategies.entrants import ENTRANTS
from bench.strategies.run import compete
from bench.strategies.scenarios import BASE, SCENARIOS
from bench.strategies.table import HEAD, matrix, row

BUDGETS = (60, 150, 300, 600, 1200)
FIRST_SEED = 5000
"""Skills below were used to choose defaults; the table is of others."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run what is asked for and print it as Markdown."""
    asked = _parse(argv)
    began = time.perf_counter()
    scenarios = list(SCENARIOS) if "all" in asked.scenario else asked.scenario
    print(f"Simulated; {asked.skills} skills from seed {asked.first_seed}.\n")
    found = compete(
        scenarios=scenarios,
        entrants=asked.entrant,
        budgets=asked.budgets,
        seeds=range(asked.first_seed, asked.first_seed + asked.skills),
        jobs=asked.jobs,
    )
    if asked.matrix:
        print("Gain in points / truly worse in % / calls.\n")
        print("\n".join(matrix(found)))
    else:
        print(HEAD)
        for figures in found:
            print(row(figures), flush=True)
    print(f"\n{time.perf_counter() - began:.0f} s")


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.strategies", description=__doc__.split("\n")[0])
    parser.add_argument("--skills", type=int, default=300)
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS)
    parser.add_argument("--scenario", nargs="+", default=[BASE], choices=[*SCENARIOS, "all"])
    parser.add_argument("--entrant", nargs="+", default=list(ENTRANTS), choices=list(ENTRANTS))
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
