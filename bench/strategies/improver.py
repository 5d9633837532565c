"""What an improver makes of a text that it is shown failures of.

Assumptions, as made up as those of `world`:

- **An edit** looks at up to `attention` of the shown failures. A cluster wins by them in
  proportion to how real they are (one minus the true chance), with less for each further failure
  of it, less the better it is covered already, and with luck. A failure that was mere bad luck
  dilutes the text. With the chance `copying` a failure is mended by copying its query, which
  helps that query alone and its cluster half as much.
- Eagerness follows the balance of misses and false alarms that were shown, all of them.
- Every change moves every cluster a little at random and costs a trifle.
- **A rewrite** first goes half-way to a text written afresh, of its own cover and eagerness, and
  loses most of what copying won. **A restructuring** goes 15 % of the way. A combination is taken
  as an edit: that this world knows no better way to combine is a simplification.
- Asking costs one call. What an improver is told of earlier attempts and rates changes nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from bench.strategies.world import Skill, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How far a way of changing a text leaves it."""

    kept: float
    """Of cover and eagerness, the rest is afresh."""
    copies_kept: float
    quirks_kept: float
    """Correlation of the child's quirks with its parent's."""


class Way(Enum):
    """The ways in which a text is changed."""

    REWRITE = Manner(kept=0.5, copies_kept=0.27, quirks_kept=0.3)
    RESTRUCTURE = Manner(kept=0.85, copies_kept=0.9, quirks_kept=0.6)
    EDIT = Manner(kept=1.0, copies_kept=0.9, quirks_kept=0.8)


FRESH_SD = 0.8
"""Spread of a fresh text's cover, of that of the first texts."""
FRESH_EAGERNESS_SD = 0.5
COPY_WORTH = 0.5
"""Of what a failure wins for its cluster, when its query was copied."""
COPY_GAIN = (0.5, 2.0)
"""What a copied query wins, from and to."""


def improve(skill: Skill, parent: Text, failures: Sequence[int], way: Way) -> Text:
    """Make a child of a text, for one call.

    Args:
        skill: whose text it is.
        parent: the text.
        failures: the queries that are shown as failed.
        way: how it is to be changed.
    """
    skill.calls += 1
    manner, setting, draw = way.value, skill.setting, skill.draw
    cover, eagerness = list(parent.cover), parent.eagerness
    copied = [won * manner.copies_kept for won in parent.copied]
    if manner.kept < 1.0:
        cover = [
            manner.kept * old
            + (1 - manner.kept) * draw.gauss(setting.rewrite_cover, setting.cover_sd * FRESH_SD)
            for old in cover
        ]
    if way is Way.REWRITE:
        fresh = draw.gauss(0.0, FRESH_EAGERNESS_SD)
        eagerness = manner.kept * eagerness + (1 - manner.kept) * fresh
    if failures:
        _mend(skill, parent, failures, cover, copied)
        missed = sum(skill.queries[at].positive for at in failures)
        balance = missed - (len(failures) - missed)
        eagerness += setting.swing * balance / (len(skill.queries) / 2)
    cover = [value + draw.gauss(setting.drift, setting.jitter) for value in cover]
    eagerness += draw.gauss(0.0, setting.eagerness_jitter)
    rest = math.sqrt(1 - manner.quirks_kept**2)
    quirks = [
        manner.quirks_kept * old + rest * new
        for old, new in zip(parent.quirks, skill.fresh_quirks(), strict=True)
    ]
    return skill.text(cover=cover, eagerness=eagerness, quirks=quirks, copied=copied)


def _mend(
    skill: Skill,
    parent: Text,
    failures: Sequence[int],
    cover: list[float],
    copied: list[float],
) -> None:
    """Raise the cover of the clusters that failed, and what copying wins."""
    setting, draw = skill.setting, skill.draw
    seen = failures
    if len(failures) > setting.attention:
        seen = draw.sample(failures, setting.attention)
    worth: dict[int, list[float]] = {}
    for at in seen:
        copy = draw.random() < setting.copying
        if copy:
            copied[skill.queries[at].group] += draw.uniform(*COPY_GAIN)
        real = 1.0 - parent.chances[at]
        worth.setdefault(skill.queries[at].cluster, []).append(real * (COPY_WORTH if copy else 1.0))
    for cluster, parts in sorted(worth.items()):
        head = min(1.0, max(0.0, (setting.ceiling - cover[cluster]) / setting.ceiling))
        luck = draw.gauss(1.0, setting.strength_sd)
        more = 1.0 - math.exp(-len(parts))
        cover[cluster] += setting.strength * luck * fmean(parts) * more * head
    bad_luck = sum(parent.chances[at] for at in seen)
    lost = setting.dilution * bad_luck / 2
    cover[:] = [value - lost for value in cover]
