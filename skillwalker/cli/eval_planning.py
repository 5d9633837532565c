"""--dry-run of evals run and evals score: what they would take; nothing is spent or written."""

import json
from collections.abc import Sequence

import typer

from skillwalker.budget.moments import say_span
from skillwalker.cli.engines import is_unpaid, lacks_login, payer_of
from skillwalker.cli.eval_running import EvalTask
from skillwalker.cli.eval_scoring import ScoreTask, chosen_judge
from skillwalker.cli.options import Project
from skillwalker.cli.saying import say_report
from skillwalker.counting import counted
from skillwalker.estimate.evals import (
    estimate_evals,
    estimate_questions,
    judge_questions,
    paid_models,
)
from skillwalker.estimate.guess import require_prices
from skillwalker.estimate.records import estimate_record
from skillwalker.estimate.worst_case import Estimate
from skillwalker.evaluation.plan import plan_cases
from skillwalker.evaluation.scoring import open_questions
from skillwalker.limits import Limits
from skillwalker.report.plan_text import money_line, total_line, warn_of_money
from skillwalker.report.wording import SIMULATED as LOUD


def show_run(task: EvalTask, opened: Project, *, as_json: bool) -> int:
    """Print what an eval run would do and take; give the exit code, 0.

    Raises:
        SkillwalkerError: it could not begin; the message is that of the run itself.
    """
    order, prices, judge = task.order, opened.settings.prices, task.judge_name
    planned = plan_cases(opened.places, order)
    if order.config.max_cost_usd is not None:
        require_prices(paid_models(planned, order.config, engine=order.engine, judge=judge), prices)
    estimate = estimate_evals(
        planned, order.config, engine=order.engine, judge=judge, own_prices=prices
    )
    payer = payer_of(order.engine, task.engine_settings)
    simulated = is_unpaid(payer)
    lack = lacks_login(order.engine, task.engine_settings)
    most = order.config.max_cost_usd
    warnings = [*warn_of_money(estimate.likely_usd, most), *([] if lack is None else [lack])]
    suites = list(dict.fromkeys(one.case.suite for one in planned))
    record: dict[str, object] = {
        "dry_run": True,
        "kind": "evals",
        "suites": suites,
        "cases": len(planned),
        "engine": order.engine,
        "engine_why": task.choice.why,
        "payer": payer,
        "judge": judge if judge_questions(planned, order.config) else None,
        "simulated": simulated,
        "warnings": warnings,
        "max_cost_usd": most,
        **estimate_record(estimate),
    }
    head = (
        f"evals run: {len(planned)} case{'' if len(planned) == 1 else 's'} of {', '.join(suites)}",
        f"  engine: {order.engine} ({task.choice.why}); paid by {payer}",
        f"  trials at most: {estimate.trials}, {estimate.worst_trials} if each must be run twice",
    )
    span = (
        f"  time with {estimate.concurrency} at once: about {say_span(estimate.likely_seconds)},"
        f" {say_span(estimate.worst_seconds)} at worst (every trial twice and until its timeout)"
    )
    tail = [*(f"  warning: {each}" for each in warnings), *[f"  {LOUD}"] * simulated]
    _show(record, (*head, *_money(estimate, most), span, *tail), as_json)
    return 0


def show_score(
    task: ScoreTask, opened: Project, run_id: str | None, *, again: bool, as_json: bool
) -> int:
    """Print what evaluating recorded runs would take; give the exit code, 0.

    Raises:
        SkillwalkerError: a run cannot be read.
    """
    judge = chosen_judge(task, opened, Limits())
    asked, runs = open_questions(opened.places.output_dir, run_id, judge=judge, again=again)
    if task.config.max_cost_usd is not None:
        require_prices(asked, opened.settings.prices)
    estimate = estimate_questions(
        asked, task.config, is_free=False, own_prices=opened.settings.prices
    )
    most = task.config.max_cost_usd
    # Either judge that is paid is asked at the address of the engines.
    unpaid = is_unpaid(payer_of(task.judge or "api", task.engine_settings))
    warnings = warn_of_money(estimate.likely_usd, most)
    record: dict[str, object] = {
        "dry_run": True,
        "kind": "evals score",
        "runs": runs,
        "questions": sum(asked.values()),
        "simulated": unpaid,
        "warnings": warnings,
        "max_cost_usd": most,
        **estimate_record(estimate),
    }
    paid = "a judge that nobody pays" if unpaid else "a judge that is paid"
    questions = counted(sum(asked.values()), "question")
    head = f"evals score: {counted(runs, 'run')}, {questions} to {paid}"
    tail = [*(f"  warning: {each}" for each in warnings), *[f"  {LOUD}"] * unpaid]
    _show(record, (head, *_money(estimate, most), *tail), as_json)
    return 0


def _money(estimate: Estimate, max_cost_usd: float | None) -> tuple[str, ...]:
    lines = tuple(f"  {money_line(one)}" for one in estimate.money)
    return (*lines, f"  {total_line(estimate, max_cost_usd)}")


def _show(record: dict[str, object], lines: Sequence[str], as_json: bool) -> None:
    """Print one JSON object, or lines."""
    if as_json:
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        say_report("\n".join(lines))
