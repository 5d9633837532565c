"""A plan and what it may take, as one JSON object."""

import dataclasses

from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.estimate.worst_case import Estimate, Money
from skillwalker.plan import Order, Plan


def plan_record(
    order: Order, plan: Plan, estimate: Estimate, *, payer: str, simulated: bool
) -> dict[str, object]:
    """Tell what a run would do and take.

    Args:
        order: what was asked.
        plan: what that means.
        estimate: what it may take at the most.
        payer: who would pay.
        simulated: whether no model would be asked.
    """
    held_out = sum(split.set is CaseSet.HOLDOUT for split in plan.cases)
    return {
        "dry_run": True,
        "kind": plan.kind,
        "target": plan.target.id,
        "target_path": plan.target_path,
        "suite": plan.suite,
        "cases": len(plan.cases),
        "train": len(plan.cases) - held_out,
        "holdout": held_out,
        "models": plan.models,
        "engine": order.engine,
        "engine_why": order.engine_why,
        "payer": payer,
        "improver": None if plan.kind == "measure" else order.improver,
        "simulated": simulated,
        "max_cost_usd": plan.config.max_cost_usd,
        **estimate_record(estimate),
    }


def estimate_record(estimate: Estimate) -> dict[str, object]:
    """Tell what may be taken at the most."""
    return {
        "steps": [dataclasses.asdict(step) for step in estimate.steps],
        "trials": estimate.trials,
        "worst_trials": estimate.worst_trials,
        "max_trials": estimate.max_trials,
        "money": [_money(one) for one in estimate.money],
        "likely_usd": rounded(estimate.likely_usd),
        "worst_usd": rounded(estimate.worst_usd),
        "concurrency": estimate.concurrency,
        "likely_hours": estimate.likely_seconds / 3600,
        "worst_hours": estimate.worst_seconds / 3600,
    }


def rounded(dollars: float | None) -> float | None:
    """Leave of an amount what is no accident of binary fractions."""
    return None if dollars is None else round(dollars, 6)


def _money(one: Money) -> dict[str, object]:
    """Tell what calls of one purpose may cost."""
    amounts = {"likely_usd": rounded(one.likely_usd), "worst_usd": rounded(one.worst_usd)}
    return dataclasses.asdict(one) | amounts
