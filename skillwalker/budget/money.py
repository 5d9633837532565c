"""What calls have cost, and what the next of its kind is thought to cost.

Costs vary, and a call in flight has not said yet what it costs. So a call is reckoned with the
dearest of its kind so far, and no less than what was assumed: then a budget is passed only by
calls that are dearer than all before, and never by more than what those in flight cost above that.
A call that is refused for this is asked for again when another has said what it cost, so caution
leaves less of a budget unspent than one dear call.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose

Prior = Callable[[Purpose, str], float | None]
"""What a call for a purpose to a model may cost before one was seen; None when no price is known.

A model that is not named is an empty text.
"""
ROUNDING = 1e-9
"""Room for a sum that meets its limit exactly."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Calls that cost alike."""

    purpose: Purpose
    model: str | None
    """None where it is not settled whom to ask; no call is begun so."""


def up_to_cents(dollars: float) -> float:
    """Round up to whole cents, so that a limit of so much is enough."""
    return ceil(dollars * 100 - ROUNDING) / 100


def is_free(_purpose: Purpose, _model: str) -> float | None:
    """Reckon with nothing: for what asks no model."""
    return 0.0


class Costs:
    """Known costs by kind of call, and what is reckoned with.

    Args:
        prior: what a call may cost before one of its kind was seen; of the mean it is one call,
            so that a single cheap one is not believed at once.
    """

    def __init__(self, prior: Prior) -> None:
        self._prior = prior
        self._seen: Counter[Kind] = Counter()
        self._sums: defaultdict[Kind, float] = defaultdict(float)
        self._dearest: dict[Kind, float] = {}
        self._expected: dict[Kind, float] = {}
        self._wanted: set[Kind] = set()

    def expect(self, kind: Kind, cost: float) -> None:
        """Take what a call of a kind may cost by its own request, in place of the prior."""
        self._expected[kind] = max(cost, self._expected.get(kind, 0.0))

    def observe(self, kind: Kind, cost: float) -> None:
        """Take what a call of a kind has cost."""
        self._sums[kind] += cost
        self._seen[kind] += 1
        self._dearest[kind] = max(cost, self._dearest.get(kind, 0.0))

    def mean(self, kind: Kind) -> float | None:
        """Give the mean cost of a kind's calls; None when nothing is known of it."""
        total, calls, assumed = self._sums[kind], self._seen[kind], self._assumed(kind)
        if assumed is not None:
            total, calls = total + assumed, calls + 1
        return total / calls if calls else None

    def cautious(self, kind: Kind) -> float | None:
        """Give the dearest call of a kind so far; None when nothing is known of it.

        It is no less than what was assumed before any was seen. A call to whatever model is
        reckoned with the cheapest one that was to be asked before: nobody has a price for it until
        then, and it costs nothing to find out.
        """
        if kind.model is None:
            return self._least(kind.purpose)
        self._wanted.add(kind)
        dearest, assumed = self._dearest.get(kind), self._assumed(kind)
        if dearest is None or assumed is None:
            return assumed if dearest is None else dearest
        return max(dearest, assumed)

    def _least(self, purpose: Purpose) -> float:
        """Give what the cheapest kind of a purpose is reckoned with, of those that are known."""
        wanted = [k for k in {*self._seen, *self._wanted} if k.purpose is purpose]
        known = (self.cautious(kind) for kind in wanted)
        return min((cost for cost in known if cost is not None), default=0.0)

    def _assumed(self, kind: Kind) -> float | None:
        """Give what a call was thought to cost before one was seen."""
        expected = self._expected.get(kind)
        return self._prior(kind.purpose, kind.model or "") if expected is None else expected


class Account:
    """What was spent under one limit: known, reckoned and in flight.

    Args:
        costs: of all calls that share it.
    """

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._in_flight: Counter[Kind] = Counter()
        self.spent = 0.0
        """US dollars, those of calls whose cost is not known at the mean of their kind."""
        self.reckoned_calls = 0
        """Calls whose cost is not known."""

    def begin(self, kind: Kind) -> None:
        """Take a call that starts."""
        self._in_flight[kind] += 1

    def end(self, kind: Kind, usage: Usage) -> None:
        """Take what a call that was begun has used."""
        self._in_flight[kind] -= 1
        self.pay(kind, usage)

    def pay(self, kind: Kind, usage: Usage) -> None:
        """Take what a call has used."""
        if usage.cost_usd is None:
            self.reckoned_calls += 1
            self.spent += self._costs.mean(kind) or 0.0
        else:
            self.spent += usage.cost_usd

    def next_usd(self, kind: Kind) -> float | None:
        """Say what one more call is reckoned at, in US dollars; None when it is unknown."""
        return self._costs.cautious(kind)

    @property
    def flying_usd(self) -> float:
        """US dollars that the calls in flight are reckoned at."""
        return sum((self._costs.cautious(k) or 0.0) * n for k, n in self._in_flight.items())

    def with_another(self, kind: Kind) -> float | None:
        """Say what will be spent with what is in flight and one more; None when it is unknown."""
        more = self.next_usd(kind)
        return None if more is None else self.spent + self.flying_usd + more

    def allows(self, kind: Kind, most: float) -> bool:
        """Say whether one more call of a kind stays within so many dollars."""
        total = self.with_another(kind)
        return total is not None and total <= most + ROUNDING
