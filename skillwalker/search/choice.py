"""Which strategy a run follows, from its settings alone."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil

from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import SplitCase
from skillwalker.faults import quoted
from skillwalker.search.phases import Phases
from skillwalker.search.protocol import Strategy
from skillwalker.search.race import LEAST_FACTOR, Race, default_budget

AUTO, PHASES, RACE = "auto", "phases", "race"
OF_PHASES = frozenset({"max_iterations", "holdout", "runs_per_query", "confirm_runs"})
"""Settings that ask for the phases where they are given and the search is not."""
RETRY_SHARE = 0.02
"""Of a capped budget, what a race leaves to retries, and to cases that are asked by name."""


def search_meant(given: Collection[str]) -> str:
    """Say which search is meant where none was named, by the names of the settings given."""
    return AUTO if OF_PHASES.isdisjoint(given) else PHASES


def settle_search(config: LoopConfig, cases: int) -> LoopConfig:
    """Choose between phases and race where nobody said which.

    Under four trials for each case a race can only measure, so the phases are taken, which a limit
    only interrupts: a later life of the run may go on.

    Args:
        config: what was asked.
        cases: how many there are, models told apart.

    Source: docs/strategies.md; at ten trials a case a race gains as much and does less harm, it
        goes on gaining with more, and with fewer the phases seldom get as far as a confirm round.
    """
    if config.search != AUTO:
        return config
    is_roomy = config.race_trials is None or config.race_trials >= LEAST_FACTOR * cases
    return replace(config, search=RACE if is_roomy else PHASES)


def choose_strategy(
    config: LoopConfig,
    cases: Sequence[SplitCase],
    *,
    controls: int,
    measure_only: bool = False,
    neighbours: int = 0,
) -> Strategy:
    """Choose the strategy of a run.

    Args:
        config: what was asked.
        cases: what is measured.
        controls: control trials of a whole run; a race within a capped budget leaves room for
            them, so that the cap does not cut the last round.
        measure_only: whether nothing but the original is measured.
        neighbours: requests of the rivals that each confirm round measures too.
    """
    config = settle_search(config, len(cases))
    if measure_only or config.search != RACE:
        return Phases(
            max_iterations=1 if measure_only else config.max_iterations,
            runs=config.runs_per_query,
            confirm_rounds=config.confirm_runs,
        )
    budget = config.race_trials
    return Race(
        cases=len(cases),
        budget=default_budget(len(cases)) if budget is None else budget,
        neighbours=neighbours,
        kept_back=0 if budget is None else controls + ceil(RETRY_SHARE * budget),
        seed=config.seed,
        max_loss=config.max_loss,
    )


def warn_of_choice(config: LoopConfig, cases: int) -> tuple[str, ...]:
    """Say what of a search's settings goes for nothing, and when its trials do not suffice."""
    config = settle_search(config, cases)
    if config.search == RACE:
        return _warn_of_race(config, cases)
    most = config.race_trials
    needed = cases * (config.max_iterations * config.runs_per_query + 2)
    if most is None or most >= needed:
        return ()
    return (
        f"--max-trials {most} may end the search before a better text is confirmed: {needed} and"
        f" the controls do for {config.max_iterations} iterations, {LEAST_FACTOR * cases} for"
        " --search race",
    )


def warn_of_own_runs(config: LoopConfig, cases: Sequence[SplitCase]) -> tuple[str, ...]:
    """Say that a race heeds no `runs` of a case, which stand in the place of --runs-per-query.

    Args:
        config: what was asked.
        cases: what is measured, models told apart.
    """
    own = tuple(dict.fromkeys(one.case.name for one in cases if one.case.runs is not None))
    if not own or settle_search(config, len(cases)).search != RACE:
        return ()
    named = f"`runs` of case {quoted(own[0])}"
    more = f" and of {len(own) - 1} more" if len(own) > 1 else ""
    verb = "are" if more else "is"
    return (
        f"{named}{more} {verb} ignored: --search race shares out its trials itself, most of them"
        " where a case is least certain; --search phases runs each case as often as it says",
    )


def _warn_of_race(config: LoopConfig, cases: int) -> tuple[str, ...]:
    """Say what a race ignores, and when it can only measure."""
    ordinary = LoopConfig()
    settings = (
        ("--runs-per-query", config.runs_per_query, ordinary.runs_per_query),
        ("--max-iterations", config.max_iterations, ordinary.max_iterations),
        ("--confirm-runs", config.confirm_runs, ordinary.confirm_runs),
    )
    warnings = [
        f"{flag} is ignored: --search race shares out its trials itself"
        for flag, given, usual in settings
        if given != usual
    ]
    least = LEAST_FACTOR * cases
    if config.race_trials is not None and config.race_trials < least:
        warnings.append(
            f"--max-trials {config.race_trials} is too few for --search race: {cases} cases need"
            f" {least}, so the original is measured only"
        )
    return tuple(warnings)
