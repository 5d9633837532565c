"""The loops that Skillwalker comes from, as their published code runs, flaws included.

Each takes a skill and a budget of calls (trials and improver), never spends more, and gives the
text that it would apply. Their control flow is that of the sources; their prompts are not modelled.

Sources: testdouble/skills-test-harness (its improvement loop and its split, phase and score
modules); anthropics/skills, skill-creator, `scripts/run_loop.py`. Both read in 2026.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.strategies.improver import Way, improve
from bench.strategies.world import Skill, Text

TWO_PHASES_UP_TO = 5
CREATOR_HOLDOUT = 0.4
CREATOR_ITERATIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended."""

    applied: Text
    scored: int
    """Texts that were measured on every case, the original included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """A text with its accuracies by majority."""

    text: Text
    train: float
    holdout: float


def seed_loop(skill: Skill, budget: int, *, runs: int, holdout: float, most: int | None) -> Ending:
    """Run the seed's loop: always on from the last text, the best vote is applied.

    Kept of its flaws: nothing is measured again; from the converge phase on, once a text was
    perfect on train, the failing holdout queries are shown to the improver too.

    Args:
        skill: to be improved.
        budget: most calls.
        runs: of every case, all of them run.
        holdout: share of the cases that is chosen by.
        most: iterations; None takes as many as the budget allows.
    """
    train, held = _split(skill, holdout, least=1)
    price = len(skill.queries) * runs
    iterations = max(1, budget // (price + 1))
    if most is not None:
        iterations = min(most, iterations)
    text, scored = skill.original, list[_Scored]()
    for number in range(1, iterations + 1):
        if skill.calls + price > budget:
            break
        phase = _phase(number, iterations)
        passed = {at: _vote(skill, text, at, runs) for at in (*train, *held)}
        scored.append(_score(text, passed, train, held))
        if phase == "converge" and all(passed.values()):
            break
        shown = [at for at in train if not passed[at]]
        if phase == "converge" and max(one.train for one in scored) >= 1.0:
            shown += [at for at in held if not passed[at]]
        if number < iterations and skill.calls + 1 + price <= budget:
            text = improve(skill, text, shown, Way.REWRITE if phase == "explore" else Way.EDIT)
    best = max(scored, key=lambda one: (one.holdout, one.train), default=None)
    return Ending(applied=best.text if best else skill.original, scored=len(scored))


def creator_loop(
    skill: Skill, budget: int, *, runs: int = 3, most: int | None = CREATOR_ITERATIONS
) -> Ending:
    """Run skill-creator's loop: on from the last text, the first best holdout count is applied.

    Kept of its flaws: it stops when train is perfect, whatever the holdout says, and nothing is
    measured again. (That a timeout counts as "did not trigger" does not show here: no trial of
    this world fails.)

    Args:
        skill: to be improved.
        budget: most calls.
        runs: of every case.
        most: iterations; None takes as many as the budget allows.
    """
    train, held = _split(skill, CREATOR_HOLDOUT, least=1, rounded=False)
    iterations = budget // (len(skill.queries) * runs + 1)
    if most is not None:
        iterations = min(most, iterations)
    text, scored = skill.original, list[_Scored]()
    for number in range(1, iterations + 1):
        passed = {at: _vote(skill, text, at, runs) for at in (*train, *held)}
        scored.append(_score(text, passed, train, held))
        shown = [at for at in train if not passed[at]]
        if not shown or number == iterations:
            break
        text = improve(skill, text, shown, Way.RESTRUCTURE)
    best = max(scored, key=lambda one: one.holdout, default=None)
    return Ending(applied=best.text if best else skill.original, scored=len(scored))


def _vote(skill: Skill, text: Text, query: int, runs: int) -> bool:
    """Run a case so many times; passed by more than half."""
    return sum(skill.trial(text, query) for _ in range(runs)) > runs / 2


def _score(
    text: Text, passed: dict[int, bool], train: Sequence[int], held: Sequence[int]
) -> _Scored:
    """Count the votes; without a holdout the train accuracy stands for it."""
    accuracy = sum(passed[at] for at in train) / len(train)
    chosen_by = sum(passed[at] for at in held) / len(held) if held else accuracy
    return _Scored(text=text, train=accuracy, holdout=chosen_by)


def _phase(number: int, iterations: int) -> str:
    """Name the phase of an iteration, counted from 1."""
    if iterations <= TWO_PHASES_UP_TO:
        return "explore" if number <= (iterations + 1) // 2 else "converge"
    third, rest = divmod(iterations, 3)
    explore = third + (rest >= 1)
    transition = third + (rest >= 2)
    if number <= explore:
        return "explore"
    return "transition" if number <= explore + transition else "converge"


def _split(
    skill: Skill, share: float, *, least: int, rounded: bool = True
) -> tuple[list[int], list[int]]:
    """Split the cases at random within each class."""
    train: list[int] = []
    held: list[int] = []
    if share == 0:
        return list(range(len(skill.queries))), held
    for positive in (True, False):
        of_class = [at for at, query in enumerate(skill.queries) if query.positive is positive]
        skill.draw.shuffle(of_class)
        wanted = len(of_class) * share
        count = max(least, round(wanted) if rounded else int(wanted))
        held += of_class[:count]
        train += of_class[count:]
    return train, held
