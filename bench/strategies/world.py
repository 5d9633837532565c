"""A simulated world of skills, texts and queries, in which a text's true worth is known.

Assumptions. All are made up, none was fitted to Claude, and every strategy meets the same ones:

- **A draw.** One trial of a query goes right with a chance of its own; trials are independent.
  The logit of the chance is `sharpness` times the sum of: `level`, the text's eagerness (for a
  query that should trigger; against one that should not), how well the text covers the query's
  cluster, minus the query's difficulty, a quirk of this text with this query, and what a text won
  by copying this query. Sharpness over 1 is nearly settled triggering, under 1 is flaky.
- **Queries.** Six clusters of intent a class, of unequal weight. A suite is a sample of queries
  from them, so it does not show every cluster, and is balanced between the classes. Near-duplicates
  share all that is latent.
- **The truth** of a text is the mean chance over all queries that users could ever type, each
  class weighing half: balanced accuracy of one use. It is summed exactly, not sampled.
- **A skill's first text** is drawn: most under-trigger.

What an improver makes of a text is in `improver`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import NormalDist, fmean

CLUSTERS = 6
"""Of each class."""
SPREAD = 2.0
"""Of the clusters' weights: the parameter of their Dirichlet distribution."""
QUANTILES = tuple(NormalDist().inv_cdf((step + 0.5) / 40) for step in range(40))
"""Where a normal distribution is summed; with 40 points a truth is off by under 0.0005."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a world is like. The values are those of the base world."""

    sharpness: float = 1.3
    level: float = 1.6
    difficulty_sd: float = 1.0
    cover_sd: float = 1.1
    eagerness: float = -0.5
    """Mean of the first texts; below 0 they trigger too seldom."""
    eagerness_sd: float = 0.7
    quirk_sd: float = 0.5
    fewest_cases: int = 20
    most_cases: int = 40
    duplicates: float = 0.0
    """Share of a suite's queries that are near-duplicates of another."""
    strength: float = 1.5
    """What an edit wins for a cluster whose failures are real."""
    strength_sd: float = 0.6
    ceiling: float = 2.5
    """Cover beyond which an edit wins nothing more."""
    jitter: float = 0.35
    """What every change moves every cluster, up or down."""
    drift: float = -0.03
    """What every change costs every cluster."""
    dilution: float = 0.05
    """What a shown failure that was only bad luck costs every cluster."""
    swing: float = 2.0
    """How much eagerness follows the balance of misses and false alarms that were shown."""
    eagerness_jitter: float = 0.25
    rewrite_cover: float = 0.0
    """Mean cover of a text that is written afresh."""
    copying: float = 0.35
    """Chance that a failure is mended by copying its query, which helps no other."""
    attention: int = 6
    """Most failures that one change can deal with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A description, as far as this world knows it."""

    cover: tuple[float, ...]
    """By cluster, the positive class's first."""
    eagerness: float
    quirks: tuple[float, ...]
    """By query of the suite."""
    copied: tuple[float, ...]
    """By query of the suite."""
    chances: tuple[float, ...]
    """That a trial of a query of the suite goes right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One query of a suite."""

    positive: bool
    cluster: int
    difficulty: float
    group: int
    """Index of the query of which this is a near-duplicate, or its own."""


class Skill:
    """One skill with its suite, and a count of the calls that were spent on it.

    Args:
        seed: decides everything that is drawn, in order; the skill itself comes first, so every
            strategy meets the same one.
        setting: the world it lives in.
    """

    def __init__(self, seed: int, setting: Setting) -> None:
        self.setting = setting
        self.draw = Random(f"skill {seed}")  # noqa: S311 (a simulation, no secret)
        self.calls = 0
        half = self.draw.randint(setting.fewest_cases // 2, setting.most_cases // 2)
        self.weights = {positive: self._cluster_weights() for positive in (True, False)}
        self.queries = (*self._queries(True, half, 0), *self._queries(False, half, half))
        self.original = self.text(
            cover=[self.draw.gauss(0.0, setting.cover_sd) for _ in range(2 * CLUSTERS)],
            eagerness=self.draw.gauss(setting.eagerness, setting.eagerness_sd),
            quirks=self.fresh_quirks(),
            copied=[0.0] * (2 * half),
        )

    # --- what costs a call ---------------------------------------------------------------------

    def trial(self, text: Text, query: int) -> bool:
        """Run one trial; says whether it went right."""
        self.calls += 1
        return self.draw.random() < text.chances[query]

    # --- what nobody can see -------------------------------------------------------------------

    def truth(self, text: Text) -> float:
        """Give a text's true balanced accuracy over all queries of the world."""
        return fmean(self.class_truth(text, positive) for positive in (True, False))

    def class_truth(self, text: Text, positive: bool) -> float:
        """Give a text's true recall or specificity over all queries of the world."""
        setting = self.setting
        first = 0 if positive else CLUSTERS
        base = setting.level + (text.eagerness if positive else -text.eagerness)
        sd = math.hypot(setting.difficulty_sd, setting.quirk_sd)
        worth = 0.0
        for at, weight in enumerate(self.weights[positive]):
            middle = base + text.cover[first + at]
            worth += weight * fmean(
                _logistic(setting.sharpness * (middle + sd * z)) for z in QUANTILES
            )
        return worth

    # --- how a suite grows ---------------------------------------------------------------------

    def add_query(self, positive: bool) -> None:
        """Add a query to the suite; texts that were made before need to be `fitted`."""
        self.queries = (*self.queries, *self._queries(positive, 1, len(self.queries)))

    def fitted(self, text: Text) -> Text:
        """Work out an earlier text's chances on a suite that has grown since."""
        new = self.queries[len(text.quirks) :]
        quirks = [self.draw.gauss(0.0, self.setting.quirk_sd) for _ in new]
        return self.text(
            cover=text.cover,
            eagerness=text.eagerness,
            quirks=(*text.quirks, *quirks),
            copied=(*text.copied, *(0.0 for _ in new)),
        )

    # --- how texts and suites are made ---------------------------------------------------------

    def text(
        self,
        *,
        cover: Sequence[float],
        eagerness: float,
        quirks: Sequence[float],
        copied: Sequence[float],
    ) -> Text:
        """Make a text and work out its chances on the suite."""
        setting = self.setting
        chances = tuple(
            _logistic(
                setting.sharpness
                * (
                    setting.level
                    + (eagerness if query.positive else -eagerness)
                    + cover[query.cluster]
                    - query.difficulty
                    + quirks[query.group]
                    + copied[query.group]
                )
            )
            for query in self.queries
        )
        return Text(
            cover=tuple(cover),
            eagerness=eagerness,
            quirks=tuple(quirks),
            copied=tuple(copied),
            chances=chances,
        )

    def fresh_quirks(self) -> list[float]:
        """Draw what a new text happens to do to each query."""
        return [self.draw.gauss(0.0, self.setting.quirk_sd) for _ in self.queries]

    def _cluster_weights(self) -> tuple[float, ...]:
        """Draw how often users have each intent of a class."""
        parts = [self.draw.gammavariate(SPREAD, 1.0) for _ in range(CLUSTERS)]
        return tuple(part / sum(parts) for part in parts)

    def _queries(self, positive: bool, count: int, first: int) -> list[Query]:
        """Draw the queries of one class."""
        made: list[Query] = []
        base = 0 if positive else CLUSTERS
        weights = self.weights[positive]
        for at in range(count):
            if made and self.draw.random() < self.setting.duplicates:
                made.append(self.draw.choice(made))
                continue
            cluster = base + self.draw.choices(range(CLUSTERS), weights)[0]
            difficulty = self.draw.gauss(0.0, self.setting.difficulty_sd)
            made.append(
                Query(positive=positive, cluster=cluster, difficulty=difficulty, group=first + at)
            )
        return made


def _logistic(x: float) -> float:
    """Turn a logit into a chance."""
    return 1.0 / (1.0 + math.exp(-x))
