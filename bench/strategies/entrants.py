"""Who takes part: each a function of a skill and a budget, under the name that the table prints."""

from collections.abc import Callable

from bench.strategies.peers import Ending, creator_loop, seed_loop
from bench.strategies.shipped import CONTROLS, run_shipped, split_of
from bench.strategies.world import Skill
from skillwalker.config import LoopConfig
from skillwalker.search.choice import RETRY_SHARE, choose_strategy

Entrant = Callable[[Skill, int], Ending]
LEAST_ITERATIONS = 2
"""The original and one child."""


def phases(skill: Skill, budget: int, *, gated: bool = True) -> Ending:
    """Run the shipped phases, set up as a user with that budget would.

    Five iterations of one run and three confirm rounds are the defaults; where the budget is too
    small, first confirm rounds and then iterations are given up. As much is left over as a race
    leaves to trials that nobody plans.
    """
    defaults = LoopConfig(gate=LoopConfig().gate if gated else None)
    cases = len(skill.queries)
    rounds = range(defaults.confirm_runs, 0, -1) if gated else (0,)
    setups = [(defaults.max_iterations, n) for n in rounds]
    setups += [
        (n, setups[-1][1]) for n in range(defaults.max_iterations - 1, LEAST_ITERATIONS - 1, -1)
    ]
    controls = 2 * CONTROLS if gated else CONTROLS
    for iterations, confirm in setups:
        price = iterations * (cases + 1) - 1 + 2 * cases * confirm + controls
        if price <= (1 - RETRY_SHARE) * budget:
            config = LoopConfig(
                search="phases",
                max_iterations=iterations,
                confirm_runs=max(1, confirm),
                gate=defaults.gate,
            )
            strategy = choose_strategy(config, split_of(skill), controls=controls)
            return run_shipped(skill, strategy, config, budget)
    return Ending(applied=skill.original, scored=0)


def race(skill: Skill, budget: int, *, gated: bool = True) -> Ending:
    """Run the shipped race with as many trials as leave room for the improver's calls.

    It asks about once in two times as many trials as there are cases.
    """
    config = LoopConfig(
        search="race",
        race_trials=budget - budget // (2 * len(skill.queries)),
        gate=LoopConfig().gate if gated else None,
    )
    strategy = choose_strategy(config, split_of(skill), controls=2 * CONTROLS)
    return run_shipped(skill, strategy, config, budget)


ENTRANTS: dict[str, Entrant] = {
    "seed, 1 run, 5 iterations": lambda skill, budget: seed_loop(
        skill, budget, runs=1, holdout=0.0, most=5
    ),
    "seed, 1 run": lambda skill, budget: seed_loop(skill, budget, runs=1, holdout=0.0, most=None),
    "seed, 1 run, holdout 0.4": lambda skill, budget: seed_loop(
        skill, budget, runs=1, holdout=0.4, most=None
    ),
    "seed, 3 runs": lambda skill, budget: seed_loop(skill, budget, runs=3, holdout=0.0, most=None),
    "seed, 3 runs, holdout 0.4": lambda skill, budget: seed_loop(
        skill, budget, runs=3, holdout=0.4, most=None
    ),
    "skill-creator, 5 iterations": creator_loop,
    "skill-creator": lambda skill, budget: creator_loop(skill, budget, most=None),
    "phases": phases,
    "phases, no gate": lambda skill, budget: phases(skill, budget, gated=False),
    "race": race,
    "race, no gate": lambda skill, budget: race(skill, budget, gated=False),
}
"""Without "5 iterations", the rivals take as many as the budget allows."""
