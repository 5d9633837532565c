"""Lives many nights over one catalogue, and tells what became of its targets."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.nights.changes import CHANGES
from bench.nights.night import Night, Rules
from bench.nights.target import USERS, Surroundings, WorldTarget
from bench.strategies.world import Setting
from skillwalker.datatypes.nights import Stage

TARGETS = 60
PLUGIN = 6
"""Targets of one plugin: each is the others' sibling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightFigures:
    """What a night did."""

    measured: int
    rechecked: int
    searched: int
    trials: int
    """And the improver's calls."""
    applied: int
    harms: int
    """Changes that are truly worse than what they replaced."""
    proposals: int
    """Reverts that were proposed."""
    right: int
    """Of these, how many would truly help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """What became of a target in all nights, by its true worth."""

    changes: int
    harmed: bool
    """Whether a change was ever written that is truly worse than what it replaced."""
    below: bool
    """Whether its file was ever truly worse than the user's own text."""
    gain: float
    """At the end, against the user's own text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The nights of one catalogue, and what became of its targets."""

    nights: tuple[NightFigures, ...]
    targets: tuple[Became, ...]


def make_targets(seed: int, count: int, setting: Setting) -> tuple[WorldTarget, ...]:
    """Make the targets of a catalogue; two catalogues share none."""
    first = seed * count
    return tuple(WorldTarget(first + at, f"plugin-{at // PLUGIN}", setting) for at in range(count))


def live_through(
    seed: int,
    *,
    nights: int,
    change: str,
    rules: Rules,
    count: int = TARGETS,
    setting: Setting | None = None,
) -> Catalogue:
    """Live some nights over a catalogue.

    Args:
        seed: of the catalogue.
        nights: how many.
        change: name of `changes.CHANGES`.
        rules: how they are lived.
        count: targets.
        setting: the world; None takes the base world.
    """
    targets = make_targets(seed, count, setting or Setting())
    around = Surroundings()
    figures: list[NightFigures] = []
    changes: dict[WorldTarget, list[float]] = {target: [] for target in targets}
    below: set[WorldTarget] = set()
    for number in range(1, nights + 1):
        around = CHANGES[change](number, around, targets)
        night = Night(number=number, rules=rules, around=around)
        night.live(targets)
        figures.append(_figures(night))
        for written in night.applied:
            changes[written.target].append(written.gain)
        if rules.reverts:
            for proposal in night.proposals:
                night.take_back(proposal, targets)
        below |= {target for target in targets if _gain(target) < 0}
    became = (_became(target, changes[target], below=target in below) for target in targets)
    return Catalogue(nights=tuple(figures), targets=tuple(became))


def _became(target: WorldTarget, gains: Sequence[float], *, below: bool) -> Became:
    """Tell what became of a target."""
    return Became(
        changes=len(gains),
        harmed=any(gain < 0 for gain in gains),
        below=below,
        gain=_gain(target),
    )


def _gain(target: WorldTarget) -> float:
    """Give what a file's text is truly better by than the user's own."""
    if target.file == USERS:
        return 0.0
    return target.truth(target.file) - target.truth(USERS)


def _figures(night: Night) -> NightFigures:
    """Count what a night did."""
    return NightFigures(
        measured=night.count(Stage.MEASURE),
        rechecked=night.count(Stage.RECHECK),
        searched=night.count(Stage.TUNE),
        trials=night.trials,
        applied=len(night.applied),
        harms=sum(written.gain < 0 for written in night.applied),
        proposals=len(night.proposals),
        right=sum(proposal.is_right for proposal in night.proposals),
    )
