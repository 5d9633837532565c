"""One eval run from its order to its record and its evaluation."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from skillwalker.config import Login
from skillwalker.datatypes.evals import EvalEvent, EvalOutcome, EvalStarted, PlannedCase
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.errors import EngineUnavailableError
from skillwalker.estimate.evals import paid_models
from skillwalker.estimate.guess import require_prices
from skillwalker.evaluation.plan import EvalOrder, plan_cases
from skillwalker.evaluation.run import EvalEnd, EvalTools, run_cases
from skillwalker.evaluation.scoring import ChooseJudge, evaluate
from skillwalker.evaluation.store import EvalStore
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.recording.store import create_run
from skillwalker.scratch import scratch_folder
from skillwalker.settings import PriceSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSurroundings:
    """What an eval run is given by whoever starts it; nothing below reads the environment."""

    places: Places
    temporary: Path
    login: Login
    limits: Limits
    listener: Callable[[EvalEvent], None]
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]]
    judge: ChooseJudge
    prices: tuple[PriceSettings, ...] = ()


async def run_eval_order(order: EvalOrder, around: EvalSurroundings) -> EvalOutcome:
    """Run cases, record them and evaluate the record.

    An engine that cannot be opened is a result too: every case is then inconclusive.

    Raises:
        SuiteError: a suite or a case is wrong; nothing was written.
        ConfigError: the engine is unknown or cannot run the cases, or a budget in dollars could
            not be kept; nothing was written.
        StoreError: the run cannot be recorded.
    """
    planned = plan_cases(around.places, order)
    if order.config.max_cost_usd is not None:
        judge = around.judge(order.engine).name
        asked = paid_models(planned, order.config, engine=order.engine, judge=judge)
        require_prices(asked, around.prices)
    opening = around.open_engine()
    store = EvalStore(create_run(around.places.output_dir), secrets=around.login.secrets)
    try:
        store.write_cases((one.case for one in planned), engine=order.engine)
        store.write_scaffolds(planned)
        ended = await _open_and_run(order, planned, opening, store, around)
        return await evaluate(store, ended, around.judge)
    finally:
        store.close()


async def _open_and_run(
    order: EvalOrder,
    planned: Sequence[PlannedCase],
    opening: AbstractAsyncContextManager[Engine],
    store: EvalStore,
    around: EvalSurroundings,
) -> EvalEnd:
    """Run the cases on an engine; one that does not open ends the run."""
    try:
        with scratch_folder(around.temporary) as workdir:
            async with opening as engine:
                return await _run(order, planned, engine, store, workdir, around)
    except EngineUnavailableError as error:
        return EvalEnd(reason=StopReason.PREFLIGHT, cause=str(error))


async def _run(
    order: EvalOrder,
    planned: Sequence[PlannedCase],
    engine: Engine,
    store: EvalStore,
    workdir: Path,
    around: EvalSurroundings,
) -> EvalEnd:
    """Say what is about to run, and run it."""
    around.listener(
        EvalStarted(
            run_id=store.run_id,
            headline=engine.facts.headline,
            simulated=engine.facts.simulated,
            trials=sum(one.case.runs for one in planned),
        )
    )
    tools = EvalTools(
        engine=engine,
        limits=around.limits,
        record=store.record,
        listener=around.listener,
        workdir=workdir,
        concurrency=order.config.concurrency,
        max_undecided=order.config.max_undecided,
    )
    return await run_cases(planned, tools)
