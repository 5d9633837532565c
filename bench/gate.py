"""How often the gate lets a text pass that is no better, and one that is: a simulated world.

    .venv/bin/python bench/gate.py

Each case has a chance of going right drawn from Beta(2.2, 0.9). The second text has the same
chances, or 0.1 more on every case. Early stop and loss rule are the gate's own. A race of ten
trials a case has one round, phases up to three.
"""

import itertools
import random

from skillwalker.config import LoopConfig
from skillwalker.intervals import Change, PairedCase, compare
from skillwalker.search.gate import HARDLY, SURELY, posterior_median

RUNS = 500
DEFAULTS = LoopConfig()


def judged(cases: int, gain: float, draw: random.Random, most: int) -> Change:
    """Compare two texts on as many cases of each class, in so many rounds at the most."""
    chances = [min(0.98, max(0.02, draw.betavariate(2.2, 0.9))) for _ in range(2 * cases)]
    right = [[0, 0] for _ in chances]
    change = compare([])
    for rounds in range(1, most + 1):
        for hits, chance in zip(right, chances, strict=True):
            hits[0] += draw.random() < chance
            hits[1] += draw.random() < min(1.0, chance + gain)
        change = compare(
            [
                PairedCase(positive=n < cases, k0=before, n0=rounds, k1=after, n1=rounds)
                for n, (before, after) in enumerate(right)
            ]
        )
        decided = change.p_better is not None and not HARDLY <= change.p_better <= SURELY
        if rounds > 1 and decided:
            break
    return change


def passes(change: Change, threshold: float) -> bool:
    """Apply the threshold and the loss rule."""
    losses = (
        posterior_median(change.recall_change, change.recall_error),
        posterior_median(change.specificity_change, change.specificity_error),
    )
    spared = all(loss >= -DEFAULTS.max_loss for loss in losses)
    return change.p_better is not None and change.p_better >= threshold and spared


def main() -> None:
    """Print the share of passes for each number of rounds and cases, and each threshold."""
    for most, cases in itertools.product((1, DEFAULTS.confirm_runs), (12, 20)):
        for gain in (0.0, 0.1):
            draw = random.Random(f"{cases} {gain}")  # noqa: S311 (a simulation, no secret)
            changes = [judged(cases, gain, draw, most) for _ in range(RUNS)]
            shares = ", ".join(
                f"{gate}: {sum(passes(change, gate) for change in changes) / RUNS:.0%}"
                for gate in (0.9, 0.95, 0.97, 0.99)
            )
            print(f"rounds {most}, cases {2 * cases}, gain {gain}: passes at gate {shares}")


if __name__ == "__main__":
    main()
