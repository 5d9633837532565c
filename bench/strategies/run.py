"""Lets entrants improve the same simulated skills and sums up what became of them."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from math import sqrt
from statistics import fmean, stdev

from bench.strategies.entrants import ENTRANTS
from bench.strategies.scenarios import SCENARIOS
from bench.strategies.world import Skill
from skillwalker.intervals import wilson

CHUNK = 25
"""Skills of one job."""
SERIOUS = 0.1
"""A true loss of a class over this is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One entrant on some skills."""

    scenario: str
    entrant: str
    budget: int
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an entrant made of one skill."""

    gain: float
    """In true balanced accuracy; 0 when the original was kept."""
    loss: float
    """Of recall or specificity, whichever truly lost more; below 0 when both gained."""
    applied: bool
    calls: int
    scored: int
    """Texts that were measured, the original included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What an entrant made of all skills of a scenario under one budget."""

    scenario: str
    entrant: str
    budget: int
    skills: int
    gain: float
    gain_error: float
    """Standard error over skills."""
    worse: float
    """Share of skills that were left truly worse than they were."""
    worse_interval: tuple[float, float]
    """90 %."""
    class_loss: float
    """Share of skills that truly lost over ten points of recall or of specificity."""
    applied: float
    calls: float
    scored: float

    @property
    def worse_error(self) -> float:
        """Standard error of the share, not nought where nothing went wrong."""
        share = (self.worse * self.skills + 1) / (self.skills + 2)
        return sqrt(share * (1 - share) / self.skills)


def improve_all(job: Job) -> tuple[Result, ...]:
    """Run an entrant on each skill of a job.

    Raises:
        AssertionError: it spent more than its budget.
    """
    results = []
    for seed in job.seeds:
        skill = Skill(seed, SCENARIOS[job.scenario])
        outcome = ENTRANTS[job.entrant](skill, job.budget)
        assert skill.calls <= job.budget, f"{job.entrant} spent {skill.calls} of {job.budget}"
        text, original = outcome.applied, skill.original
        losses = [
            skill.class_truth(original, positive) - skill.class_truth(text, positive)
            for positive in (True, False)
        ]
        results.append(
            Result(
                gain=-fmean(losses),
                loss=max(losses),
                applied=text is not original,
                calls=skill.calls,
                scored=outcome.scored,
            )
        )
    return tuple(results)


def compete(
    *,
    scenarios: Sequence[str],
    entrants: Sequence[str],
    budgets: Sequence[int],
    seeds: Sequence[int],
    jobs: int = 1,
) -> Iterator[Figures]:
    """Let every entrant improve every skill under every budget.

    Args:
        scenarios: names of `SCENARIOS`.
        entrants: names of `ENTRANTS`.
        budgets: calls a skill.
        seeds: of the skills, at least two.
        jobs: processes.
    """
    todo = [
        Job(scenario=scenario, entrant=entrant, budget=budget, seeds=tuple(seeds[at : at + CHUNK]))
        for scenario in scenarios
        for entrant in entrants
        for budget in budgets
        for at in range(0, len(seeds), CHUNK)
    ]
    done = zip(todo, _run(todo, jobs), strict=True)
    for job, group in groupby(done, key=lambda pair: _row_of(pair[0])):
        yield _sum_up(job, [result for _, results in group for result in results])


def _row_of(job: Job) -> tuple[str, str, int]:
    """Name what the chunks of one row of figures have in common."""
    return job.scenario, job.entrant, job.budget


def _run(todo: Sequence[Job], jobs: int) -> Iterable[tuple[Result, ...]]:
    """Run jobs in order, in this process or in several."""
    if jobs == 1:
        yield from map(improve_all, todo)
        return
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        yield from pool.map(improve_all, todo)


def _sum_up(key: tuple[str, str, int], results: Sequence[Result]) -> Figures:
    """Make figures of the results of all skills."""
    scenario, entrant, budget = key
    gains = [result.gain for result in results]
    worse = sum(gain < 0 for gain in gains)
    count = len(results)
    return Figures(
        scenario=scenario,
        entrant=entrant,
        budget=budget,
        skills=count,
        gain=fmean(gains),
        gain_error=stdev(gains) / sqrt(count),
        worse=worse / count,
        worse_interval=wilson(worse, count),
        class_loss=fmean(result.loss > SERIOUS for result in results),
        applied=fmean(result.applied for result in results),
        calls=fmean(result.calls for result in results),
        scored=fmean(result.scored for result in results),
    )
