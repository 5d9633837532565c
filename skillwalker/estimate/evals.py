"""What an eval run, or its evaluation, may take: told before anything is spent (pure)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from skillwalker.budget.money import Prior
from skillwalker.completers.protocol import resolve_model
from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import PlannedCase
from skillwalker.datatypes.inputs import JudgeExpectation
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.estimate.guess import (
    SECONDS_OF_A_TRIAL,
    TURNS_OF_A_TRIAL,
    Prices,
    cold_cost,
    make_prior,
    warm_cost,
)
from skillwalker.estimate.worst_case import Estimate, Money, RunPart, price_source
from skillwalker.judge.grade import MAX_CALLS
from skillwalker.prices import prices_by_model
from skillwalker.settings import PriceSettings

SIMULATED = "simulated"
TURNS_OF_WORK = 10
"""Of a trial that works to its end. An assumption: no such trial was measured for it."""


def eval_prior(own: Iterable[PriceSettings], *, engine: str) -> Prior:
    """Make what a budget reckons with until calls say what they cost.

    Args:
        own: prices of the project's settings.
        engine: of the trials; a simulated one asks no model. A simulated judge names itself as
            its model.
    """
    priced = make_prior(own, free=[Purpose.TRIAL] if engine == SIMULATED else [])

    def prior(purpose: Purpose, model: str) -> float | None:
        return 0.0 if model == SIMULATED else priced(purpose, model)

    return prior


def judge_questions(planned: Sequence[PlannedCase], config: EvalConfig) -> Counter[str]:
    """Count by model what the judge may be asked about planned cases.

    Args:
        planned: the cases.
        config: of the run.
    """
    asked: Counter[str] = Counter()
    for one in planned:
        for claim in one.case.case.expect:
            if isinstance(claim, JudgeExpectation):
                model = resolve_model(config.judge_model or claim.model)
                asked[model] += one.case.runs * config.judge_runs
    return asked


def paid_models(
    planned: Sequence[PlannedCase], config: EvalConfig, *, engine: str, judge: str
) -> tuple[str, ...]:
    """Name the models that an eval run asks for money: of its trials and of its judge."""
    trials = () if engine == SIMULATED else (one.case.case.model for one in planned)
    judges = () if judge == SIMULATED else judge_questions(planned, config)
    return tuple(dict.fromkeys((*trials, *judges)))


def estimate_evals(
    planned: Sequence[PlannedCase],
    config: EvalConfig,
    *,
    engine: str,
    judge: str,
    own_prices: Sequence[PriceSettings] = (),
) -> Estimate:
    """Say what an eval run may take.

    Args:
        planned: its cases.
        config: how they are run.
        engine: its name; a simulated one asks no model.
        judge: its name; so here.
        own_prices: of the project's settings.
    """
    prices = prices_by_model(own_prices)
    runs = sum(one.case.runs for one in planned)
    judged = judge_questions(planned, config)
    is_free = engine == SIMULATED
    share = 1.0 if config.max_trials is None or not runs else min(1.0, config.max_trials / runs)
    worst = 2.0 if config.max_trials is None or not runs else min(2.0, config.max_trials / runs)
    seconds = sum(one.case.runs * one.case.timeout for one in planned)
    return Estimate(
        steps=(RunPart(name="runs of cases", trials=runs),),
        money=(
            *_trial_money(planned, share, worst, prices, is_free=is_free),
            *judge_money(judged, prices, is_free=judge == SIMULATED),
        ),
        concurrency=config.concurrency,
        max_trials=config.max_trials,
        likely_seconds=0.0 if is_free else runs * share * SECONDS_OF_A_TRIAL / config.concurrency,
        worst_seconds=0.0 if is_free else seconds * worst / config.concurrency,
    )


def estimate_questions(
    asked: Mapping[str, int],
    config: EvalConfig,
    *,
    is_free: bool,
    own_prices: Sequence[PriceSettings] = (),
) -> Estimate:
    """Say what questions to the judge may take; no trial is run.

    Args:
        asked: how many, by model.
        config: how they are asked.
        is_free: whether no model is asked.
        own_prices: of the project's settings.
    """
    return Estimate(
        steps=(),
        money=tuple(judge_money(asked, prices_by_model(own_prices), is_free=is_free)),
        concurrency=config.concurrency,
        max_trials=None,
        likely_seconds=0.0,
        worst_seconds=0.0,
    )


def judge_money(asked: Mapping[str, int], prices: Prices, *, is_free: bool) -> Iterator[Money]:
    """Price questions to the judge; at worst every first reply is refused."""
    for model, calls in asked.items():
        once = 0.0 if is_free else cold_cost(Purpose.JUDGE, model, prices)
        yield Money(
            purpose=Purpose.JUDGE,
            model=model,
            calls=calls,
            likely_usd=None if once is None else once * calls,
            worst_usd=None if once is None else once * calls * MAX_CALLS,
            price_source=price_source(model, prices, is_free=is_free),
        )


def _trial_money(
    planned: Sequence[PlannedCase], share: float, worst: float, prices: Prices, *, is_free: bool
) -> Iterator[Money]:
    """Price the trials by model, each at the turns that its case may take."""
    for model in dict.fromkeys(one.case.case.model for one in planned):
        own = [one for one in planned if one.case.case.model == model]
        likely, most = 0.0, 0.0
        known = is_free or warm_cost(model, prices) is not None
        for one in own if known and not is_free else ():
            turns = min(TURNS_OF_WORK if one.may_act else TURNS_OF_A_TRIAL, one.case.max_turns)
            likely += one.case.runs * (warm_cost(model, prices, turns=turns) or 0.0)
            dearest = cold_cost(Purpose.TRIAL, model, prices, turns=one.case.max_turns)
            most += one.case.runs * (dearest or 0.0)
        yield Money(
            purpose=Purpose.TRIAL,
            model=model,
            calls=round(share * sum(one.case.runs for one in own)),
            likely_usd=likely * share if known else None,
            worst_usd=most * worst if known else None,
            price_source=price_source(model, prices, is_free=is_free),
        )
