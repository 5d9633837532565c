"""--dry-run: what runs would do and take at the most; nothing is spent and nothing is written."""

import json
from collections.abc import Sequence

import typer

from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.estimate.guess import require_prices
from skillwalker.estimate.records import plan_record
from skillwalker.estimate.worst_case import asked_models, estimate_run
from skillwalker.plan import Order, plan_order, warn_of_models
from skillwalker.preflight import check_listing
from skillwalker.report.plan_text import plan_lines
from skillwalker.search.choice import warn_of_choice


def show_plans(
    orders: Sequence[Order], opened: Project, machinery: Machinery, *, as_json: bool
) -> int:
    """Print what each run would do and take; give the exit code, 0.

    Raises:
        SkillwalkerError: a run could not begin; the message is that of the run itself.
    """
    records: list[dict[str, object]] = []
    for order in orders:
        record, lines = plan_of(order, opened, machinery)
        records.append(record)
        if not as_json:
            typer.echo("\n".join(lines))
    if as_json:
        whole: object = records[0] if len(records) == 1 else {"runs": records}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
    return 0


def plan_of(
    order: Order, opened: Project, machinery: Machinery
) -> tuple[dict[str, object], tuple[str, ...]]:
    """Resolve one order and say what it may take, as a record and in lines.

    Raises:
        SkillwalkerError: the run could not begin.
    """
    prices = opened.settings.prices
    plan = plan_order(order, opened.places, listing_budget=machinery.settings.listing_budget)
    check_listing(plan.listing)
    if plan.config.max_cost_usd is not None:
        require_prices(asked_models(plan, order), prices)
    estimate = estimate_run(
        plan, engine=order.engine, improver=order.improver, own_prices=prices, order=order
    )
    simulated = order.engine == "simulated"
    payer = "nobody" if simulated else machinery.settings.access.payer
    warnings = (*warn_of_choice(plan.config, len(plan.cases)), *warn_of_models(plan))
    record = plan_record(order, plan, estimate, payer=payer) | {"warnings": warnings}
    lines = plan_lines(order, plan, estimate, payer=payer)
    return record, (*lines, *(f"  warning: {warning}" for warning in warnings))
