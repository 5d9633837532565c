"""What a run may take at the most, told before anything is spent (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skillwalker.completers.protocol import resolve_model
from skillwalker.datatypes.vocabulary import CaseSet, Purpose
from skillwalker.estimate.guess import (
    SECONDS_OF_A_TRIAL,
    Prices,
    cold_cost,
    warm_cost,
)
from skillwalker.plan import Order, Plan
from skillwalker.preflight import control_trials
from skillwalker.prices import PRICES_OF, prices_by_model
from skillwalker.search.choice import choose_strategy
from skillwalker.search.race import Race
from skillwalker.search.recheck import EXTRA_RUNS
from skillwalker.settings import PriceSettings
from skillwalker.steps.step_6_improve import MAX_CALLS

ASKED_BY_NAME = 2
"""Runs of a case that no text moves, asked so that it names the target."""
SECOND_LOOK = 2
"""Controls that disagree are run once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPart:
    """A part of a run, with the most trials it may take, retries apart."""

    name: str
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """What calls of one purpose to one model may cost."""

    purpose: Purpose
    model: str
    calls: int
    likely_usd: float | None
    """With most of each prompt from the cache; None when no price is known."""
    worst_usd: float | None
    """With every call at its dearest: no cache, all turns, every trial run twice."""
    price_source: str
    """Where the price is from, with its date; empty when none is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a run may take at the most."""

    steps: tuple[RunPart, ...]
    money: tuple[Money, ...]
    concurrency: int
    max_trials: int | None
    """A limit on trials of any kind, if there is one."""
    likely_seconds: float
    worst_seconds: float
    """With every trial run twice and until its timeout."""

    @property
    def trials(self) -> int:
        """Most trials, retries apart."""
        total = sum(step.trials for step in self.steps)
        return total if self.max_trials is None else min(total, self.max_trials)

    @property
    def worst_trials(self) -> int:
        """Most trials if each says nothing at first and is run again."""
        total = 2 * sum(step.trials for step in self.steps)
        return total if self.max_trials is None else min(total, self.max_trials)

    @property
    def likely_usd(self) -> float | None:
        """Sum of what is likely; None when a price is missing."""
        return _total(one.likely_usd for one in self.money)

    @property
    def worst_usd(self) -> float | None:
        """Sum of the worst; None when a price is missing."""
        return _total(one.worst_usd for one in self.money)


def estimate_run(
    plan: Plan,
    *,
    engine: str,
    improver: str,
    own_prices: Sequence[PriceSettings] = (),
    order: Order | None = None,
) -> Estimate:
    """Say what a run of scil, acil or measure may take.

    Args:
        plan: what it will do.
        engine: its name; a simulated one asks no model.
        improver: its name; so here.
        own_prices: of the project's settings.
        order: what was asked, where that may be more than a search or a measurement.
    """
    config, prices = plan.config, prices_by_model(own_prices)
    steps = _steps(plan, order)
    proposals = 0 if plan.kind == "measure" else _proposals(plan)
    most = sum(step.trials for step in steps)
    capped = most if config.max_trials is None else min(most, config.max_trials)
    twice = 2 * most if config.max_trials is None else min(2 * most, config.max_trials)
    money = list(_trial_money(plan, capped, twice, prices, is_free=engine == "simulated"))
    if proposals:
        money.append(
            _improver_money(
                resolve_model(config.improver_model),
                proposals,
                prices,
                is_free=improver == "simulated",
            )
        )
    simulated = engine == "simulated"
    timeout = max([config.timeout, *(s.case.timeout or 0.0 for s in plan.cases)])
    return Estimate(
        steps=steps,
        money=tuple(money),
        concurrency=config.concurrency,
        max_trials=config.max_trials,
        likely_seconds=0.0 if simulated else capped * SECONDS_OF_A_TRIAL / config.concurrency,
        worst_seconds=0.0 if simulated else twice * timeout / config.concurrency,
    )


def asked_models(plan: Plan, order: Order) -> tuple[str, ...]:
    """Name the models that are asked for money: of the trials and of the improver."""
    trials = () if order.engine == "simulated" else plan.models
    proposes = order.run_kind != "measure" and order.improver != "simulated"
    return (*trials, *((resolve_model(order.config.improver_model),) if proposes else ()))


def _steps(plan: Plan, order: Order | None) -> tuple[RunPart, ...]:
    """Name the parts of a run, with the most trials of each."""
    config, cases = plan.config, plan.cases
    controls = SECOND_LOOK * control_trials(plan.models)
    once = sum(split.case.runs or config.runs_per_query for split in cases)
    first = RunPart(name="controls", trials=controls)
    if plan.kind == "measure" and order is not None and order.challenger is not None:
        confirm = 2 * len(cases) * config.confirm_runs if config.gate is not None else 0
        return (
            first,
            RunPart(name="both texts", trials=2 * once),
            RunPart(name="confirm", trials=confirm),
            RunPart(name="controls of the winner", trials=controls if confirm else 0),
        )
    if plan.kind == "measure":
        held = order is not None and order.against is not None
        again = RunPart(name="flipped cases again", trials=EXTRA_RUNS * len(cases) if held else 0)
        return (first, RunPart(name="measure", trials=once), *((again,) if held else ()))
    beside = len(plan.neighbours)
    controls_in_all = 2 * control_trials(plan.models)
    strategy = choose_strategy(config, cases, controls=controls_in_all, neighbours=beside)
    a_round = 2 * (len(cases) + beside)
    confirm = a_round * strategy.confirm_rounds if config.gate is not None else 0
    search = once * config.max_iterations
    if isinstance(strategy, Race):
        search = max(len(cases), strategy.search_budget)
    return (
        first,
        RunPart(name="search", trials=search),
        RunPart(name="cases asked by name", trials=ASKED_BY_NAME * _most_unmoved(plan)),
        RunPart(name="confirm", trials=confirm),
        RunPart(name="controls of the winner", trials=controls if confirm else 0),
    )


def _most_unmoved(plan: Plan) -> int:
    """Say how many cases may be looked into because no text moves them."""
    return sum(s.set is CaseSet.TRAIN and s.case.should_trigger for s in plan.cases)


def _proposals(plan: Plan) -> int:
    """Say how often the improver is asked for a text at the most."""
    config, cases = plan.config, len(plan.cases)
    if config.search != "race":
        return config.max_iterations - 1
    budget = choose_strategy(config, plan.cases, controls=0)
    most = budget.search_budget // max(1, cases) if isinstance(budget, Race) else 0
    return max(0, most)


def _trial_money(
    plan: Plan, capped: int, twice: int, prices: Prices, *, is_free: bool
) -> Iterable[Money]:
    """Share the trials out over the models, as their cases are."""
    turns = max([plan.config.max_turns, *(s.case.max_turns or 0 for s in plan.cases)])
    for model in plan.models:
        share = sum(s.case.model == model for s in plan.cases) / len(plan.cases)
        calls, worst = round(capped * share), round(twice * share)
        warm = 0.0 if is_free else warm_cost(model, prices)
        cold = 0.0 if is_free else cold_cost(Purpose.TRIAL, model, prices, turns=turns)
        yield Money(
            purpose=Purpose.TRIAL,
            model=model,
            calls=calls,
            likely_usd=None if warm is None else warm * calls,
            worst_usd=None if cold is None else cold * worst,
            price_source=price_source(model, prices, is_free=is_free),
        )


def _improver_money(model: str, proposals: int, prices: Prices, *, is_free: bool) -> Money:
    """Price the proposals; at worst every reply but the last is refused."""
    once = 0.0 if is_free else cold_cost(Purpose.IMPROVER, model, prices)
    return Money(
        purpose=Purpose.IMPROVER,
        model=model,
        calls=proposals,
        likely_usd=None if once is None else once * proposals,
        worst_usd=None if once is None else once * proposals * MAX_CALLS,
        price_source=price_source(model, prices, is_free=is_free),
    )


def price_source(model: str, prices: Prices, *, is_free: bool) -> str:
    """Say where a price is from."""
    if is_free:
        return "no model is asked"
    if cold_cost(Purpose.TRIAL, model, prices) is None:
        return ""
    own = model in prices
    return "the project's settings" if own else f"list prices of {PRICES_OF}"


def _total(parts: Iterable[float | None]) -> float | None:
    """Add up; None when one is missing."""
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)
