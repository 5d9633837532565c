"""What changes between two nights: nothing, the suites, the model, or Claude Code itself.

Assumptions, as made up as those of the world:

- A new case is drawn as the others were, its kind in turn.
- Another model reads every text otherwise: each cluster's cover and the eagerness shift, for all
  texts of a target alike, for each text a little on its own; half of its quirks are new.
- A new Claude Code changes nothing but its version, so everything is measured again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from bench.nights.target import Surroundings, WorldTarget
from bench.strategies.world import Skill, Text

COMMON_SD = 0.5
"""Spread of a shift that all texts of a target share."""
OWN_SD = 0.2
"""Spread of a text's own shift."""
QUIRKS_KEPT = 0.5
"""Correlation of a text's quirks under two models."""
EVERY = 3
NEW_MODEL_IN = 10

Change = Callable[[int, Surroundings, Sequence[WorldTarget]], Surroundings]
"""Is given the night that comes, from 1; gives what it is lived in."""


def nothing(night: int, around: Surroundings, targets: Sequence[WorldTarget]) -> Surroundings:
    """Leave all as it is."""
    del night, targets
    return around


def new_cases(night: int, around: Surroundings, targets: Sequence[WorldTarget]) -> Surroundings:
    """Add a case to every suite before each third night."""
    if night % EVERY == 0:
        for target in targets:
            target.skill.add_query(positive=night % (2 * EVERY) == 0)
            target.texts = {name: target.skill.fitted(t) for name, t in target.texts.items()}
    return around


def new_model(night: int, around: Surroundings, targets: Sequence[WorldTarget]) -> Surroundings:
    """Measure with another model from one night on."""
    if night != NEW_MODEL_IN:
        return around
    for target in targets:
        draw = Random(f"model {target.seed}")  # noqa: S311 (a simulation, no secret)
        common = [draw.gauss(0.0, COMMON_SD) for _ in range(len(target.skill.original.cover) + 1)]
        target.texts = {
            name: _read_by_another(target.skill, text, common, draw)
            for name, text in target.texts.items()
        }
    return replace(around, model="model 2")


def new_claude(night: int, around: Surroundings, targets: Sequence[WorldTarget]) -> Surroundings:
    """Meet another Claude Code in each third night."""
    del targets
    return replace(around, cli_version=f"1.0.{night // EVERY}")


CHANGES: dict[str, Change] = {
    "nothing changes": nothing,
    "a new case in every third night": new_cases,
    "a new model in night 10": new_model,
    "a new Claude Code in every third night": new_claude,
}


def _read_by_another(skill: Skill, text: Text, common: Sequence[float], draw: Random) -> Text:
    """Give what a text is to another model."""
    shift, *shifts = (value + draw.gauss(0.0, OWN_SD) for value in common)
    rest = math.sqrt(1 - QUIRKS_KEPT**2) * skill.setting.quirk_sd
    return skill.text(
        cover=[value + more for value, more in zip(text.cover, shifts, strict=True)],
        eagerness=text.eagerness + shift,
        quirks=[QUIRKS_KEPT * quirk + draw.gauss(0.0, rest) for quirk in text.quirks],
        copied=text.copied,
    )
