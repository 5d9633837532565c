"""Prints what many nights do to a catalogue in a made-up world, and how often they do harm.

.venv/bin/python -m bench.nights [--catalogues N] [--targets N] [--nights N] [--first-seed N]
    [--change NAME …] [--variant NAME …] [--search race] [--by-night] [--jobs N]

Every figure is simulated: see `bench.strategies.world` and `changes` for what is assumed.
"""

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from bench.nights.catalogue import TARGETS, Catalogue, live_through
from bench.nights.changes import CHANGES
from bench.nights.night import Rules
from bench.nights.table import HEAD, NIGHT_HEAD, night_rows, row
from skillwalker.config import LoopConfig

NIGHTS = 30
SEARCHES = ("phases", "race")
FIRST_SEED = 200
"""With 60 targets a catalogue, its skills are none of those by which defaults were chosen."""
VARIANTS = {
    "as shipped": {},
    "threshold not raised": {"raises": False},
    "proposed reverts taken": {"reverts": True},
}


def main(argv: Sequence[str] | None = None) -> None:
    """Live what is asked for and print it as Markdown."""
    asked = _parse(argv)
    began = time.perf_counter()
    print(f"Simulated; {asked.catalogues} catalogues, {asked.nights} nights, {asked.search}.\n")
    if not asked.by_night:
        print(HEAD)
    for change in asked.change:
        for variant in asked.variant:
            found = _live(asked, change, variant)
            if asked.by_night:
                print(f"{change}, {variant}:\n\n{NIGHT_HEAD}")
                print("\n".join(night_rows(found)), end="\n\n")
            else:
                print(row(change, variant, found), flush=True)
    print(f"\n{time.perf_counter() - began:.0f} s")


def _live(asked: argparse.Namespace, change: str, variant: str) -> list[Catalogue]:
    """Live the nights of all catalogues, in this process or in several."""
    rules = Rules(config=LoopConfig(search=asked.search), **VARIANTS[variant])
    one = partial(
        live_through, nights=asked.nights, change=change, rules=rules, count=asked.targets
    )
    seeds = range(asked.first_seed, asked.first_seed + asked.catalogues)
    if asked.jobs == 1:
        return [one(seed) for seed in seeds]
    with ProcessPoolExecutor(max_workers=asked.jobs) as pool:
        return list(pool.map(one, seeds))


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.nights", description=__doc__.split("\n")[0])
    parser.add_argument("--catalogues", type=int, default=10)
    parser.add_argument("--targets", type=int, default=TARGETS)
    parser.add_argument("--nights", type=int, default=NIGHTS)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--change", nargs="+", default=list(CHANGES), choices=list(CHANGES))
    parser.add_argument("--variant", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--search", default=SEARCHES[0], choices=SEARCHES)
    parser.add_argument("--by-night", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args(argv)


if __name__ == "__main__":
    main()
