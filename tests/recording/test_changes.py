"""What may not be counted together when a run goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import StoreError
from skillwalker.plan import Order
from skillwalker.recording.frozen import Earlier, Foundation, read_frozen
from skillwalker.recording.store import RunStore, create_run
from tests.bench import make_bench_project, plan_of
from tests.fakes import engine_facts

LOCAL = replace(engine_facts("local"), endpoint="http://127.0.0.1:8000", simulated=False)
STAND_IN = replace(LOCAL, simulated=True)


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        (STAND_IN, LOCAL, "a model answers there now, and none did before"),
        (LOCAL, STAND_IN, "a stand-in answers there now, and a model did before"),
        (LOCAL, replace(LOCAL, endpoint="http://127.0.0.1:9"), "the endpoint is"),
    ],
    ids=["then a stand-in", "now a stand-in", "elsewhere"],
)
def test_what_was_simulated_is_never_counted_with_what_a_model_answered(
    tmp_path: Path, then: EngineFacts, now: EngineFacts, said: str
) -> None:
    plan = plan_of(make_bench_project(tmp_path))
    order = Order(
        run_kind=plan.kind,
        kind=TargetKind.SKILL,
        suite=plan.suite,
        target=plan.target_path,
        config=plan.config,
        engine="local",
        improver="cli",
    )
    store = RunStore(create_run(tmp_path / "output"))
    try:
        Foundation(store, order, plan, None).engine_opened(then)
        record, _ = read_frozen(store.folder)
        later = Foundation(store, order, plan, Earlier(folder=store.folder, record=record))
        with pytest.raises(StoreError, match=said):
            later.engine_opened(now)
        later.engine_opened(then)
    finally:
        store.close()
