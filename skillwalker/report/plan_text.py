"""What a run would do and take, in lines for people (pure)."""

from collections.abc import Iterator

from skillwalker.budget.moments import say_span
from skillwalker.counting import counted
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.estimate.worst_case import Estimate, Money
from skillwalker.plan import Order, Plan
from skillwalker.report.wording import SIMULATED, models


def plan_lines(
    order: Order, plan: Plan, estimate: Estimate, *, payer: str, simulated: bool
) -> tuple[str, ...]:
    """Say what a run would do and take at the most.

    Args:
        order: what was asked.
        plan: what that means.
        estimate: what it may take.
        payer: who would pay.
        simulated: whether no model would be asked.
    """
    lines = _lines(order, plan, estimate, payer)
    return (*lines, *((f"  {SIMULATED}",) if simulated else ()))


def _lines(order: Order, plan: Plan, estimate: Estimate, payer: str) -> Iterator[str]:
    cases = {split.case.name: split for split in plan.cases}.values()
    positives = sum(split.case.should_trigger for split in cases)
    held_out = sum(split.set is CaseSet.HOLDOUT for split in cases)
    yield f"{plan.kind} {plan.target.id} ({plan.target_path}), suite {plan.suite}"
    yield (
        f"  cases: {len(cases)} ({positives} should trigger, {len(cases) - positives} should not),"
        f" {len(cases) - held_out} train, {held_out} holdout;"
        f" {models([split.case for split in plan.cases])}"
    )
    why = f" ({order.engine_why})" if order.engine_why else ""
    yield f"  engine: {order.engine}{why}; paid by {payer}"
    if plan.kind != "measure":
        yield f"  improver: {order.improver}, model {plan.config.improver_model}"
    yield f"  trials at most: {_trials(estimate)}"
    for one in estimate.money:
        yield f"  {money_line(one)}"
    yield f"  {total_line(estimate, plan.config.max_cost_usd)}"
    yield (
        f"  time with {estimate.concurrency} at once: about {say_span(estimate.likely_seconds)},"
        f" {say_span(estimate.worst_seconds)} at worst (every trial twice and until its timeout)"
    )


def _trials(estimate: Estimate) -> str:
    """Tell the trials step by step, and what bounds them."""
    steps = ", ".join(f"{step.trials} {step.name}" for step in estimate.steps if step.trials)
    text = f"{estimate.trials} ({steps}), {estimate.worst_trials} if each must be run twice"
    if estimate.max_trials is None:
        return text
    return f"{text}; --max-trials allows {estimate.max_trials}"


def money_line(one: Money) -> str:
    """Tell what calls of one purpose may cost, and by whose price."""
    if one.worst_usd is None:
        return (
            f"{counted(one.calls, f'{one.purpose} call')} of {one.model}: no price is known; write"
            f' [prices."{one.model}"] into skillwalker.toml'
        )
    return (
        f"{counted(one.calls, f'{one.purpose} call')} of {one.model}: {dollars(one.likely_usd)} to"
        f" {dollars(one.worst_usd)} ({one.price_source}; tokens are assumed)"
    )


def total_line(estimate: Estimate, max_cost_usd: float | None) -> str:
    """Tell what all calls may cost, and what bounds that."""
    likely, worst = dollars(estimate.likely_usd), dollars(estimate.worst_usd)
    cap = "" if max_cost_usd is None else f"; --max-cost-usd allows {dollars(max_cost_usd)}"
    return f"money: {likely} likely, {worst} at worst{cap}"


def warn_of_money(likely: float | None, max_cost_usd: float | None) -> tuple[str, ...]:
    """Warn of a budget in dollars that is likely to end what is planned early.

    Args:
        likely: US dollars that it will probably take; None when a price is missing.
        max_cost_usd: the budget, if there is one.
    """
    if max_cost_usd is None or likely is None or likely <= max_cost_usd:
        return ()
    return (
        f"--max-cost-usd {max_cost_usd:g} is less than the {dollars(likely)} that is likely, so"
        " not all of it will probably be run; what was measured by then counts",
    )


def dollars(amount: float | None) -> str:
    """Write an amount; one that is not known in a word."""
    return "unknown" if amount is None else f"${amount:.2f}"
