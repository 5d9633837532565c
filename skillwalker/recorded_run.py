"""One run from its order to its record: folder, engine, loop, summary, writing.

The command line and the library's functions both end here; several targets are several runs.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from anyio import to_thread

from skillwalker.completers.limited import LimitedCompleter
from skillwalker.completers.protocol import Completer, resolve_model
from skillwalker.completers.registry import open_completer
from skillwalker.config import Login
from skillwalker.datatypes.summary import (
    Event,
    IterationDone,
    RunStarted,
    SampleDone,
    Summary,
    Warned,
)
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.ending import conclude
from skillwalker.engines.protocol import Engine, EngineFacts
from skillwalker.engines.registry import EngineSettings, is_simulated
from skillwalker.errors import EngineUnavailableError
from skillwalker.estimate.forecast import Forecaster
from skillwalker.estimate.guess import TURNS_OF_A_TRIAL, cost_of_request, require_prices
from skillwalker.estimate.worst_case import asked_models, estimate_run
from skillwalker.limits import Limits
from skillwalker.loop import MeasuredRun, Tools, improve
from skillwalker.paths import Places
from skillwalker.plan import Order, Plan, for_version, plan_order, warn_of_plan
from skillwalker.preflight import control_trials
from skillwalker.recorder import open_recorder
from skillwalker.recording.frozen import Earlier, Foundation
from skillwalker.recording.lock import locked_target
from skillwalker.recording.memory import count_looks, with_further
from skillwalker.recording.recorded import read_recorded
from skillwalker.recording.store import RunStore, create_run, find_run
from skillwalker.recording.verdicts import earlier_verdicts
from skillwalker.scratch import scratch_folder
from skillwalker.search.choice import choose_strategy
from skillwalker.search.duel import Duel
from skillwalker.search.protocol import Strategy
from skillwalker.search.recheck import Recheck
from skillwalker.sent_listing import Probe
from skillwalker.settings import PriceSettings
from skillwalker.targets.file_swap import require_writable
from skillwalker.tracking import Commands, Tracker, Tracking
from skillwalker.unopened import nothing_measured, unopened_facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a run is given by whoever starts it; nothing below reads the environment."""

    places: Places
    temporary: Path
    login: Login
    listener: Callable[[Event], None]
    approve: Callable[[Summary], bool]
    """Whether an improved result may be written."""
    limits: Limits
    open_engine: Callable[[], AbstractAsyncContextManager[Engine]]
    began: Callable[[str], None] = lambda _run_id: None
    """Is told the run's name when there is something to resume."""
    engine_settings: EngineSettings | None = None
    """What the engine is told; the simulated one needs none."""
    prices: tuple[PriceSettings, ...] = ()
    command_env: Mapping[str, str] = field(default_factory=dict)
    """The whole environment of the commands whose metrics a suite has tracked."""
    writes_unasked: bool = False
    """Whether an improved result is to be written, so that the file must be writable."""


async def run_order(
    order: Order, around: Surroundings, earlier: Earlier | None = None
) -> tuple[Summary, Path]:
    """Do a run and record it, or go on with one that ended early.

    Returns:
        The summary as it was written, and the run's folder.

    Raises:
        SuiteError: the suite is missing or wrong; nothing was written.
        TargetError: the target is missing, can never trigger, or is to be written and cannot be;
            nothing was spent.
        ConfigError: the improver cannot be used as asked.
        StoreError: another run measures the target; the run cannot be recorded; or what an
            earlier life depended on changed.
    """
    told = around.engine_settings
    plan = plan_order(
        order, around.places, listing_budget=None if told is None else told.listing_budget
    )
    if around.writes_unasked and order.run_kind != "measure" and order.challenger is None:
        require_writable(plan.target.path)
    if order.config.max_cost_usd is not None:
        require_prices(asked_models(plan, order), around.prices)
    simulated = await to_thread.run_sync(is_simulated, order.engine, around.login)
    project = around.places.project
    if earlier is None:
        # Two given texts are no lottery, so their gate is not raised.
        duel = order.challenger is not None
        looks = 1 if duel else count_looks(project, plan, simulated=simulated)
        order, plan = replace(order, looks=looks), replace(plan, looks=looks)
    else:
        order = with_further(order, plan, earlier, project=project, simulated=simulated)
    plan = replace(plan, more=order.more)
    completer = _open_completer(order, around)
    with locked_target(around.places.output_dir, plan.target) as lock:
        folder = create_run(around.places.output_dir) if earlier is None else earlier.folder
        lock.name_run(folder.name)
        store = RunStore(folder, secrets=around.login.secrets, paid=order.engine != "simulated")
        try:
            foundation = Foundation(store, order, plan, earlier)
            around.began(store.run_id)
            return await _record(order, plan, completer, foundation, around)
        finally:
            store.close()


async def _record(
    order: Order,
    plan: Plan,
    completer: Completer | None,
    foundation: Foundation,
    around: Surroundings,
) -> tuple[Summary, Path]:
    """Do a run in its folder."""
    store = foundation.store
    around.limits.count_earlier(store.spent)
    for purpose, model, usage in store.calls():
        around.limits.pay_earlier(usage, purpose, model)
    for change in foundation.accepted:
        around.listener(Warned(message=f"earlier trials are counted although {change}"))
    for warning in warn_of_plan(plan):
        around.listener(Warned(message=warning))
    plan, measured, facts = await _measure(order, plan, completer, foundation, around)
    summary = conclude(
        plan,
        measured,
        facts,
        foundation,
        project=around.places.project,
        approve=around.approve,
        warn=lambda message: around.listener(Warned(message=message, is_late=True)),
    )
    return summary, store.folder


async def _measure(
    order: Order,
    plan: Plan,
    completer: Completer | None,
    foundation: Foundation,
    around: Surroundings,
) -> tuple[Plan, MeasuredRun, EngineFacts]:
    """Open the engine and run the loop; an engine that cannot be opened is a result too."""

    def listen(event: Event) -> None:
        match event:
            case IterationDone(iteration=iteration):
                store.write_iterations(order.run_kind, (iteration,))
            case SampleDone(iterations=further):
                store.write_iterations(order.run_kind, further)
            case RunStarted(headline=headline) if order.engine_why:
                event = replace(event, headline=f"{headline} ({order.engine_why})")
            case _:
                pass
        around.listener(event)
        if (left := forecaster.follow(event)) is not None:
            around.listener(left)

    store = foundation.store
    most = estimate_run(plan, engine=order.engine, improver=order.improver, order=order).trials
    forecaster = Forecaster(trials=most, concurrency=order.config.concurrency)
    measure_only = order.run_kind == "measure"
    strategy = _choose_strategy(order, plan, around)
    try:
        with scratch_folder(around.temporary) as workdir:
            async with around.open_engine() as engine, _recorder(order, around) as probe:
                foundation.engine_opened(engine.facts)
                plan = for_version(plan, engine.facts.cli_version)
                tools = Tools(
                    engine=engine,
                    strategy=strategy,
                    journal=store,
                    limits=around.limits,
                    listener=listen,
                    workdir=workdir,
                    completer=None if measure_only else completer,
                    probe=probe,
                    track=_tracker(plan, store, around),
                )
                return plan, await improve(plan, tools), engine.facts
    except EngineUnavailableError as error:
        return plan, nothing_measured(plan, str(error)), unopened_facts(order)


def _tracker(plan: Plan, store: RunStore, around: Surroundings) -> Tracker:
    """Prepare to track the metrics of texts."""
    commands = Commands(
        project=around.places.project,
        temporary=around.temporary,
        env=around.command_env,
        leave_out=(around.places.output_dir,),
    )
    return Tracking(plan, commands, book=store.tracked, limits=around.limits).of


def _choose_strategy(order: Order, plan: Plan, around: Surroundings) -> Strategy:
    """Choose what is measured next by what is asked.

    Raises:
        StoreError: the run that is compared with cannot be read.
    """
    config = plan.config
    if order.challenger is not None:
        return Duel(
            challenger=order.challenger,
            runs=config.runs_per_query,
            confirm_rounds=config.confirm_runs,
        )
    if order.against is not None:
        earlier = read_recorded(find_run(around.places.output_dir, order.against))
        verdicts = earlier_verdicts(earlier, plan.cases)
        return Recheck(earlier=verdicts, runs=config.runs_per_query)
    return choose_strategy(
        config,
        plan.cases,
        controls=2 * control_trials(plan.models),
        measure_only=order.run_kind == "measure",
        neighbours=len(plan.neighbours),
    )


def _recorder(
    order: Order, around: Surroundings
) -> AbstractAsyncContextManager[Probe] | AbstractAsyncContextManager[None]:
    """Open what shows the requests of an engine that sends any."""
    if order.engine == "simulated" or around.engine_settings is None:
        return nullcontext()
    turns = min(order.config.max_turns, TURNS_OF_A_TRIAL)

    def expect(model: str, size: int) -> None:
        cost = cost_of_request(model, size, around.prices, turns=turns)
        if cost is not None:
            around.limits.expect(cost, Purpose.TRIAL, model)

    return open_recorder(order.engine, around.engine_settings, on_request=expect)


def _open_completer(order: Order, around: Surroundings) -> Completer | None:
    """Choose who is asked for better descriptions.

    Raises:
        ConfigError: it cannot be asked as things are.
    """
    if order.run_kind == "measure":
        return None
    inner = open_completer(
        order.improver,
        model=order.config.improver_model,
        login=around.login,
        settings=around.engine_settings,
        prices=around.prices,
        checked=not _engine_finds_it(order, around),
        max_pause=order.config.max_pause,
    )
    return LimitedCompleter(
        inner=inner,
        limits=around.limits,
        purpose=Purpose.IMPROVER,
        model=resolve_model(order.config.improver_model),
        grace=order.config.timeout,
    )


def _engine_finds_it(order: Order, around: Surroundings) -> bool:
    """Whether opening the engine meets what the improver lacks, and records it as the result."""
    told = around.engine_settings
    lacks_login = told is not None and not told.access.is_set
    return order.engine == "local" or (order.engine == "docker" and lacks_login)
