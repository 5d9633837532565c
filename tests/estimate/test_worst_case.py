"""What a run may take at the most, against what it takes."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.config import LoopConfig
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Outcome, Purpose
from skillwalker.estimate.forecast import ENOUGH, Forecaster
from skillwalker.estimate.worst_case import estimate_run
from skillwalker.loop import improve
from skillwalker.preflight import check_instrument
from tests.bench import Bench, make_bench_project, plan_of, reply
from tests.fakes import ChanceEngine, ScriptedCompleter
from tests.measured import trial


@pytest.mark.parametrize(
    ("config", "kind", "steps"),
    [
        pytest.param(LoopConfig(), "measure", [8, 12], id="measure"),
        pytest.param(LoopConfig(runs_per_query=3), "measure", [8, 36], id="three runs"),
        pytest.param(LoopConfig(search="phases"), "scil", [8, 60, 12, 72, 8], id="phases"),
        pytest.param(
            LoopConfig(search="phases", gate=None), "scil", [8, 60, 12, 0, 0], id="no gate"
        ),
        pytest.param(
            LoopConfig(search="phases", trial_model=("a", "b")),
            "scil",
            [16, 120, 24, 144, 16],
            id="two models",
        ),
    ],
)
def test_each_step_is_counted(
    tmp_path: Path, config: LoopConfig, kind: str, steps: list[int]
) -> None:
    plan = plan_of(make_bench_project(tmp_path), config, kind=kind)
    estimate = estimate_run(plan, engine="local", improver="api")
    assert [step.trials for step in estimate.steps] == steps
    assert (estimate.trials, estimate.worst_trials) == (sum(steps), 2 * sum(steps))


def test_a_limit_bounds_trials_money_and_time(tmp_path: Path) -> None:
    project = make_bench_project(tmp_path)
    sonnet = ("claude-sonnet-5-5",)
    whole, capped = (
        estimate_run(
            plan_of(project, LoopConfig(trial_model=sonnet, max_trials=most), kind="measure"),
            engine="local",
            improver="api",
        )
        for most in (None, 10)
    )
    assert (whole.trials, capped.trials, capped.worst_trials) == (20, 10, 10)
    assert capped.likely_usd == pytest.approx((whole.likely_usd or 0) / 2)
    assert capped.worst_usd == pytest.approx((whole.worst_usd or 0) / 4)
    assert capped.worst_seconds == whole.worst_seconds / 4 == 10 * 180 / 4
    assert {one.purpose for one in whole.money} == {Purpose.TRIAL}


@given(p=st.floats(0, 1), seed=st.integers(0, 999))
@settings(max_examples=8, deadline=None)
def test_no_run_takes_more_than_it_was_said(
    tmp_path_factory: pytest.TempPathFactory, p: float, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("run")
    config = LoopConfig(max_undecided=1.0, max_iterations=3)
    plan = plan_of(make_bench_project(folder), config)
    bench = Bench(
        workdir=folder / "w",
        engine=ChanceEngine(p, seed=seed),
        completer=ScriptedCompleter([reply(f"Reviews code, way {n}, with care.") for n in (1, 2)]),
        max_iterations=3,
    )
    measured = anyio.run(improve, plan, bench.tools(preflight=check_instrument))
    assert len(measured.trials) <= estimate_run(plan, engine="fake", improver="fake").trials


def test_what_is_left_is_said_from_measured_cost_and_time() -> None:
    forecaster = Forecaster(trials=110, concurrency=2)
    one = trial("a", Outcome.TRIGGERED)
    known = replace(one, usage=Usage(cost_usd=0.02), duration=30.0)
    said = [forecaster.take(known) for _ in range(ENOUGH)]
    assert said[:-1] == [None] * (ENOUGH - 1)
    assert said[-1] is not None
    assert said[-1].trials == 100
    assert said[-1].cost_usd == pytest.approx(2.0)
    assert said[-1].seconds == 1500.0


def test_what_is_left_of_unknown_cost_is_unknown() -> None:
    forecaster = Forecaster(trials=5, concurrency=2)
    one = trial("a", Outcome.TRIGGERED)
    blind = replace(one, usage=Usage(cost_usd=None))
    said = [forecaster.take(blind) for _ in range(ENOUGH)][-1]
    assert said is not None
    assert (said.trials, said.cost_usd) == (0, None)


def test_a_trial_that_was_paid_before_is_not_left() -> None:
    forecaster = Forecaster(trials=50, concurrency=1)
    for _ in range(20):
        forecaster.pass_over()
    said = [forecaster.take(trial("a", Outcome.TRIGGERED)) for _ in range(ENOUGH)][-1]
    assert said is not None
    assert said.trials == 20
