"""--dry-run: what runs would do and take at the most; nothing is spent and nothing is written."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from skillwalker.budget.moments import say_span
from skillwalker.catalogue import Broken
from skillwalker.cli.engines import is_unpaid, lacks_login, payer_of
from skillwalker.cli.options import Project
from skillwalker.cli.ordering import Machinery
from skillwalker.cli.saying import say, say_report
from skillwalker.counting import counted
from skillwalker.errors import SkillwalkerError
from skillwalker.estimate.guess import require_prices
from skillwalker.estimate.records import plan_record
from skillwalker.estimate.worst_case import asked_models, estimate_run
from skillwalker.plan import Order, plan_order, warn_of_plan
from skillwalker.preflight import check_listing
from skillwalker.report.plan_text import dollars, plan_lines, warn_of_money
from skillwalker.report.wording import SIMULATED

OF_ALL = ("  warning: ", f"  {SIMULATED}")
"""How lines begin that are told once where they are the same for several runs."""


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
            say_report("\n".join(lines))
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
    payer = payer_of(order.engine, machinery.settings)
    lack = lacks_login(order.engine, machinery.settings)
    warnings = (
        *warn_of_plan(plan),
        *warn_of_money(estimate.likely_usd, plan.config.max_cost_usd),
        *(() if lack is None else (lack,)),
    )
    free = is_unpaid(payer)
    record = plan_record(order, plan, estimate, payer=payer, simulated=free)
    lines = plan_lines(order, plan, estimate, payer=payer, simulated=free)
    return record | {"warnings": warnings}, (
        *lines,
        *(f"  warning: {warning}" for warning in warnings),
    )


def show_all_plans(
    orders: Sequence[Order],
    broken: Sequence[Broken],
    opened: Project,
    machinery: Machinery,
    *,
    as_json: bool,
) -> int:
    """Print what a run for each part of a catalogue would take; give the exit code.

    What could not begin is named and stops nothing.
    """
    records: list[dict[str, object]] = []
    faults = [{"suite": one.suite, "reason": one.reason} for one in broken]
    told: set[str] = set()
    for order in orders:
        try:
            record, lines = plan_of(order, opened, machinery)
        except SkillwalkerError as error:
            faults.append({"suite": order.suite or "", "reason": str(error)})
            continue
        records.append(record)
        if not as_json:
            say_report("\n".join(line for line in lines if line not in told))
        told.update(line for line in lines if line.startswith(OF_ALL))
    totals = _totals(records)
    if as_json:
        whole = {"dry_run": True, "runs": records, "broken": faults, **totals}
        typer.echo(json.dumps(whole, ensure_ascii=False, indent=2))
    else:
        say_report(_totals_line(len(records), totals))
    for fault in faults:
        say(f"skillwalker: suite {fault['suite']}: {fault['reason']}", err=True)
    return 1 if faults else 0


def _totals(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up what all runs may take; an unknown price makes the sum unknown."""
    totals: dict[str, Any] = {"max_trials": None, "max_cost_usd": None}
    for key in ("trials", "worst_trials", "likely_usd", "worst_usd", "likely_hours", "worst_hours"):
        parts = [record[key] for record in records]
        totals[key] = None if None in parts else round(sum(parts), 6)
    if records:
        totals |= {key: records[0][key] for key in ("max_trials", "max_cost_usd")}
    totals["warnings"] = warn_of_money(totals["likely_usd"], totals["max_cost_usd"])
    for key, cap in (("trials", "max_trials"), ("worst_trials", "max_trials")):
        if totals[cap] is not None:
            totals[key] = min(totals[key], totals[cap])
    return totals


def _totals_line(runs: int, totals: Mapping[str, Any]) -> str:
    """Say what all runs together may take."""
    likely, worst = (dollars(totals[key]) for key in ("likely_usd", "worst_usd"))
    caps = [
        f"{flag} allows {text}"
        for flag, text in (
            ("--max-trials", totals["max_trials"]),
            ("--max-cost-usd", totals["max_cost_usd"] and f"${totals['max_cost_usd']:g}"),
        )
        if text is not None
    ]
    return (
        f"in all {counted(runs, 'run')}: {counted(totals['trials'], 'trial')} at most"
        f" ({totals['worst_trials']} if each must be run twice), {likely} likely, {worst} at worst,"
        f" {say_span(3600 * totals['likely_hours'])} likely" + "".join(f"; {cap}" for cap in caps)
    ) + "".join(f"\n  warning: {warning}" for warning in totals["warnings"])
