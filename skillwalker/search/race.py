"""The adaptive search: a growing pool of texts, and each trial where it says the most.

The original is measured once on every case. From then on the leader (highest posterior mean) is
improved: first by rewrites, then by edits. Between two proposals leader and challenger, drawn
from the posterior, get batches of runs on their least certain cases. What failed once is run
again before the improver is told of it.

Source: top-two Thompson sampling (Russo, "Simple Bayesian algorithms for best-arm
identification", Operations Research 68, 2020); the sizes were chosen in Skillwalker's simulation
(docs/strategies.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from random import Random

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Phase, StopReason
from skillwalker.intervals import PairedCase, compare
from skillwalker.search.belief import Belief, Column, believe, most_telling
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Part,
    Propose,
    Refusal,
    Sample,
    Sampled,
    Stop,
    Work,
)

LEAST_FACTOR = 4
"""Trials for each case under which a search says nothing: then the original is measured only."""
DEFAULT_FACTOR = 10
CONFIRM_SHARE = 0.2
BATCH = 6
FIRST_LOOK = 3
"""A new candidate is run on the n / 3 least certain of n cases."""
REWRITES = 3
DRAWS = 20
"""Draws from the posterior in which a challenger may show itself."""
SURELY = 0.995
HARDLY = 0.1
LIKELY = 0.9


def default_budget(cases: int) -> int:
    """Say how many trials a search of so many cases may have in all."""
    return DEFAULT_FACTOR * cases


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """The strategy `race`; see `search.protocol.Strategy`."""

    cases: int
    """How many there are, models told apart."""
    budget: int
    """B: trials of search and confirm rounds; the run's own number, whatever may be spent."""
    neighbours: int = 0
    """Requests of the rivals that each confirm round measures too."""
    kept_back: int = 0
    """Trials of the budget that others need: controls, retries."""
    seed: int = 0
    rewrites: int = REWRITES
    """Proposals that rewrite, before the others edit."""
    max_loss: float = 0.05
    """What a class may lose to the original before a candidate is worth less."""

    @property
    def confirm_rounds(self) -> int:
        """At most a fifth of the budget, and one round in any case."""
        return max(1, int(CONFIRM_SHARE * self.budget / self._round + 1e-9))

    @property
    def _round(self) -> int:
        """Trials of one confirm round."""
        return 2 * (self.cases + self.neighbours)

    @property
    def search_budget(self) -> int:
        """Trials that the search may name."""
        return self.budget - self.kept_back - self._round * self.confirm_rounds

    def next_work(self, history: History) -> Work:
        """Measure the original; then propose when it is time, else race leader and challenger."""
        if not history.iterations:
            return Measure(
                description=history.original,
                phase=Phase.EXPLORE,
                runs=1,
                # By name, or a case that asks for more runs in its suite would take them.
                cells=tuple(CellRuns(at=at, runs=1) for at in range(len(history.cases))),
            )
        if self.budget < LEAST_FACTOR * self.cases:
            return Stop(reason=StopReason.UNRESOLVED)
        if _ends_in_two_refusals(history):
            return Stop(reason=StopReason.IMPROVER)
        belief = _belief(history)
        room = self.search_budget - _used(history)
        fits, spent = room >= max(BATCH, self.cases // 2), room < 2 * BATCH
        if fits and self._is_due(history):
            return self._improve(history, belief, room)
        over = spent or not fits
        reason = self._reason_to_stop(history, belief, spent=spent) if over else None
        return self._race(history, belief) if reason is None else Stop(reason=reason)

    def best(self, history: History) -> Iteration:
        """Choose the text of the highest worth; see `belief.Belief.leader`."""
        return history.iterations[_belief(history).leader(self.max_loss)]

    def _is_due(self, history: History) -> bool:
        """Whether as many runs as there are cases followed the last proposal."""
        return len(history.iterations) == 1 or _runs_since_proposal(history) >= self.cases

    def _improve(self, history: History, belief: Belief, room: int) -> Work:
        """Run again what failed once, then ask for a child of the leader."""
        leader = belief.leader(self.max_loss)
        row = belief.tallies[leader]
        if all(0 < tally.decided == tally.correct for tally in row):
            return Stop(reason=StopReason.PERFECT)
        once_failed = tuple(
            CellRuns(at=at, runs=1)
            for at, (split, tally) in enumerate(zip(history.cases, row, strict=True))
            if split.set is CaseSet.TRAIN and tally.correct < tally.decided and tally.runs < 2
        )
        if once_failed:
            return Sample(parts=(Part(number=leader + 1, cells=once_failed[:room]),))
        is_rewrite = _proposals(history) < self.rewrites
        first_look = min(room, max(BATCH, self.cases // FIRST_LOOK))
        return Propose(
            parent=leader + 1,
            operator=Operator.REWRITE if is_rewrite else Operator.EDIT,
            phase=Phase.EXPLORE if is_rewrite else Phase.CONVERGE,
            runs=1,
            cells=most_telling(belief, None, first_look, self._ranks(history)),
        )

    def _race(self, history: History, belief: Belief) -> Sample:
        """Give a batch to the leader and the challenger of this step's draws."""
        ranks = self._ranks(history)
        return Sample(
            parts=tuple(
                Part(number=at + 1, cells=most_telling(belief, at, BATCH, ranks))
                for at in self._top_two(belief, self._random(history))
            )
        )

    def _reason_to_stop(
        self, history: History, belief: Belief, *, spent: bool
    ) -> StopReason | None:
        """Give a reason when no child fits in any more, and the pool has an answer or no run.

        The best child is laid beside the original, whichever of them leads.
        """
        values = belief.values(self.max_loss)
        if len(values) == 1:
            return StopReason.UNRESOLVED
        child = belief.leader(self.max_loss, first=1)
        p_better = _p_better(history, child)
        if p_better is None:
            return StopReason.UNRESOLVED if spent else None
        if p_better < HARDLY:
            return StopReason.UNRESOLVED
        if p_better > (LIKELY if spent else SURELY) and values[child] > values[0]:
            return StopReason.CONVERGED
        return StopReason.UNRESOLVED if spent else None

    def _top_two(self, belief: Belief, random: Random) -> tuple[int, ...]:
        """Draw a leader, and a challenger if another candidate leads in a later draw."""
        deviations = [sqrt(score.variance) for score in belief.scores]
        posterior = tuple(zip(belief.values(self.max_loss), deviations, strict=True))
        drawn: list[int] = []
        for _ in range(DRAWS):
            values = [random.gauss(worth, deviation) for worth, deviation in posterior]
            first = max(range(len(values)), key=values.__getitem__)
            if first not in drawn:
                drawn.append(first)
            if len(drawn) == 2:
                break
        return tuple(drawn)

    def _random(self, history: History) -> Random:
        """Give the randomness of a step: the same in every life of a run."""
        return Random(f"{self.seed}:{len(history.events)}")  # noqa: S311 (a search, no secret)

    def _ranks(self, history: History) -> Callable[[int], int]:
        """Rank the cases by chance, whatever their order in the suite."""
        ranks = list(_by_name(history.cases))
        self._random(history).shuffle(ranks)
        places = {at: rank for rank, at in enumerate(ranks)}
        return places.__getitem__


def _used(history: History) -> int:
    """Count the runs of the search."""
    return sum(tally.runs for row in history.tallies for tally in row)


def _belief(history: History) -> Belief:
    """Make the posterior of all candidates on all cases."""
    columns = [
        Column(split.case.should_trigger, split.group, split.case.model) for split in history.cases
    ]
    return believe(columns, history.tallies)


def _by_name(cases: tuple[SplitCase, ...]) -> tuple[int, ...]:
    """Give the places of the cases in an order that follows from their names."""
    return tuple(
        sorted(range(len(cases)), key=lambda at: (cases[at].case.name, cases[at].case.model))
    )


def _proposals(history: History) -> int:
    """Count the proposals, refused ones included."""
    return sum(not isinstance(event, Sampled) for event in history.events) - 1


def _runs_since_proposal(history: History) -> int:
    """Count the runs after the first look at the last proposal's child."""
    runs = 0
    for event in reversed(history.events):
        if not isinstance(event, Sampled):
            break
        runs += sum(len(result.trials) for _, results in event.parts for result in results)
    return runs


def _ends_in_two_refusals(history: History) -> bool:
    """Whether the improver gave nothing usable twice in a row."""
    last = [event for event in history.events if not isinstance(event, Sampled)][-2:]
    return len(last) == 2 and all(isinstance(event, Refusal) for event in last)


def _p_better(history: History, candidate: int) -> float | None:
    """Give the chance that a candidate is better than the original, on the cases of both."""
    rows = zip(history.cases, history.tallies[0], history.tallies[candidate], strict=True)
    return compare(
        [
            PairedCase(
                positive=split.case.should_trigger,
                k0=before.correct,
                n0=before.decided,
                k1=after.correct,
                n1=after.decided,
                group=split.group,
            )
            for split, before, after in rows
        ]
    ).p_better
