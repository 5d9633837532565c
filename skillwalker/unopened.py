"""What a run says where no engine could be opened: nothing was measured, and why."""

from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.protocol import EngineFacts
from skillwalker.loop import MeasuredRun
from skillwalker.plan import Order, Plan
from skillwalker.search.protocol import History


def nothing_measured(plan: Plan, cause: str) -> MeasuredRun:
    """What is measured where no engine could be opened."""
    return MeasuredRun(
        history=History.begin(plan.cases, plan.target.description),
        best=None,
        gate=None,
        confirmed=None,
        stopped=StopReason.PREFLIGHT,
        cause=cause,
        trials=(),
        reused=(),
        answers=(),
    )


def unopened_facts(order: Order) -> EngineFacts:
    """Facts of an engine that could not be opened."""
    return EngineFacts(
        name=order.engine,
        simulated=order.engine == "simulated",
        endpoint="",
        cli_version="",
        permission_mode="",
        effort="",
        headline="",
    )
