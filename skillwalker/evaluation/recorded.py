"""One eval run from its order to its record, and the evaluation of a recorded one.

A run is evaluated from its own folder, at its end and whenever it is asked for again: so scoring
twice says the same, and a run that was killed can still be scored for what it had.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from skillwalker.config import Login
from skillwalker.datatypes.evals import (
    EvalEvent,
    EvalOutcome,
    EvalStarted,
    PlannedCase,
)
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.engines.protocol import Engine
from skillwalker.errors import EngineUnavailableError, StoreError
from skillwalker.evaluation.expectations import evaluate_case
from skillwalker.evaluation.plan import EvalOrder, plan_cases
from skillwalker.evaluation.run import Ended, EvalTools, run_cases
from skillwalker.evaluation.store import EvalStore, list_eval_runs
from skillwalker.evaluation.summary import summarise
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.recording.store import create_run, find_run
from skillwalker.scratch import scratch_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSurroundings:
    """What an eval run is given by whoever starts it; nothing below reads the environment."""

    places: Places
    temporary: Path
    login: Login
    limits: Limits
    listener: Callable[[EvalEvent], None]
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]]


async def run_eval_order(order: EvalOrder, around: EvalSurroundings) -> EvalOutcome:
    """Run cases, record them and evaluate the record.

    An engine that cannot be opened is a result too: every case is then inconclusive.

    Raises:
        SuiteError: a suite or a case is wrong; nothing was written.
        ConfigError: the engine is unknown or cannot run the cases; nothing was written.
        StoreError: the run cannot be recorded.
    """
    planned = plan_cases(around.places, order)
    opening = around.open_engine()
    store = EvalStore(create_run(around.places.output_dir), secrets=around.login.secrets)
    store.write_cases((one.case for one in planned), engine=order.engine)
    try:
        with scratch_folder(around.temporary) as workdir:
            async with opening as engine:
                ended = await _run(order, planned, engine, store, workdir, around)
    except EngineUnavailableError as error:
        ended = Ended(reason=StopReason.PREFLIGHT, cause=str(error))
    return _evaluate(store, ended)


def score_runs(
    output_dir: Path, run_id: str | None = None, *, again: bool = False
) -> tuple[EvalOutcome, ...]:
    """Evaluate recorded runs without running anything.

    Args:
        output_dir: where runs lie.
        run_id: the one to evaluate, again if it has been; None evaluates all that have not.
        again: with no run_id, whether to evaluate the others as well.

    Raises:
        RunNotFoundError: there is no such run.
        StoreError: a run is no eval run or cannot be read; the others are evaluated before.
    """
    if run_id is not None:
        return (_score(find_run(output_dir, run_id)),)
    outcomes: list[EvalOutcome] = []
    faults: list[StoreError] = []
    for folder in list_eval_runs(output_dir, evaluated=again):
        try:
            outcomes.append(_score(folder))
        except StoreError as error:
            faults.append(StoreError(f"run {folder.name}: {error}"))
    if faults:
        raise StoreError("\n".join(str(fault) for fault in faults))
    return tuple(outcomes)


async def _run(
    order: EvalOrder,
    planned: Sequence[PlannedCase],
    engine: Engine,
    store: EvalStore,
    workdir: Path,
    around: EvalSurroundings,
) -> Ended:
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


def _score(folder: Path) -> EvalOutcome:
    """Evaluate a recorded run; why it ended early, it has recorded itself."""
    store = EvalStore(folder)
    before = store.read_summary()
    reason, cause = before.get("stopped_because"), before.get("cause")
    ended = Ended(
        reason=next((known for known in StopReason if known == reason), None),
        cause=cause if isinstance(cause, str) else None,
    )
    return _evaluate(store, ended)


def _evaluate(store: EvalStore, ended: Ended) -> EvalOutcome:
    """Make rows and summary from what is on the disk, and write them beside it."""
    cases, trials = store.read_cases(), store.read_trials()
    last = {(one.suite, one.case, one.run_index): one for one in trials}
    by_case = [
        (
            case,
            evaluate_case(
                case,
                [
                    one
                    for index in range(case.runs)
                    if (one := last.get((case.suite, case.case.name, index))) is not None
                ],
                cause=ended.cause,
            ),
        )
        for case in cases
    ]
    outcome = EvalOutcome(
        folder=store.folder,
        summary=summarise(
            by_case,
            trials,
            run_id=store.run_id,
            engine=store.read_engine(),
            stopped=ended.reason,
            cause=ended.cause,
        ),
        rows=tuple(row for _, rows in by_case for row in rows),
    )
    store.write_outcome(outcome)
    return outcome
