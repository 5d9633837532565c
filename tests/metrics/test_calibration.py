"""The calibration gate, its tail rules, its memory, and that nothing else has a part in it."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.metrics import Calibration, GateState, MetricStanding
from skillwalker.metrics.calibration import judge, standing_of
from skillwalker.metrics.registry import open_registry
from tests.metrics.specs import spec

LOAD, FEW = GateState.LOAD_BEARING, GateState.INSUFFICIENT_DATA
OUTLIER, TAIL, DRIFT = (
    GateState.CATASTROPHIC_OUTLIER,
    GateState.TAIL_RISK_HIGH,
    GateState.DRIFTING,
)


@pytest.mark.parametrize(
    ("errors", "state"),
    [
        pytest.param([], FEW, id="nothing"),
        pytest.param([0.0] * 4, FEW, id="four"),
        pytest.param([0.9] * 4, FEW, id="few comes before all"),
        pytest.param([0.0] * 5, LOAD, id="five"),
        pytest.param([0.15] * 5, LOAD, id="the mean's bound is inside"),
        pytest.param([0.45 - 0.3] * 5, LOAD, id="whatever floats make of it"),
        pytest.param([0.16] * 5, DRIFT, id="mean too large"),
        pytest.param([0.2] * 6, DRIFT, id="an intuitive metric is not excused"),
        pytest.param([0.0] * 4 + [0.3], LOAD, id="the tail's bound is inside"),
        pytest.param([0.0] * 4 + [0.31], TAIL, id="tail"),
        pytest.param([0.0] * 4 + [0.5], TAIL, id="the worst's bound is inside"),
        pytest.param([0.0] * 4 + [0.51], OUTLIER, id="worst"),
        pytest.param([0.6] * 5, OUTLIER, id="an outlier comes before the rest"),
        pytest.param([0.31] * 5, TAIL, id="a tail comes before the mean"),
        pytest.param([0.5] * 1 + [0.0] * 19, TAIL, id="p95 of twenty is the largest"),
        pytest.param([0.5] * 1 + [0.0] * 20, LOAD, id="p95 of twenty-one leaves one out"),
        pytest.param([0.4] + [0.0] * 10 + [0.16] * 10, DRIFT, id="no promotion of a drift"),
        pytest.param([0.0] * 5 + [0.9], LOAD, id="one bad day after promotion"),
        pytest.param([0.0] * 5 + [0.9, 0.9], OUTLIER, id="two are a demotion"),
        pytest.param([0.0] * 20 + [0.16] * 9, LOAD, id="nine of the last ten"),
        pytest.param([0.0] * 20 + [0.16] * 10, DRIFT, id="the last ten"),
        pytest.param([0.0] * 20 + [0.16] * 10 + [0.0] * 9, LOAD, id="earned back"),
    ],
)
def test_the_gate(errors: list[float], state: GateState) -> None:
    assert judge(errors) is state


def pairs(name: str, *errors: float, version: int = 1) -> tuple[Calibration, ...]:
    return tuple(
        Calibration(metric=name, version=version, predicted=error, observed=0.0) for error in errors
    )


def test_errors_are_counted_in_units_of_the_scale() -> None:
    registry = open_registry([spec("ms", "positive", unit="ms", scale=128.0)])
    standing = standing_of("ms", registry, pairs("ms", *[16.0] * 4, 32.0))
    assert standing == MetricStanding(
        samples=5, mean_error=0.75 / 5, p95_error=0.25, worst_error=0.25, state=LOAD
    )
    assert standing.load_bearing


def test_errors_beyond_all_floats_stay_numbers() -> None:
    registry = open_registry([spec("d", "signed", scale=1e-9)])
    standing = standing_of("d", registry, pairs("d", *[1.7e308] * 6))
    assert standing.state is OUTLIER
    assert standing.mean_error is not None
    assert math.isfinite(standing.mean_error)


def test_without_samples_there_are_no_figures() -> None:
    standing = standing_of("a", open_registry([spec("a")]), ())
    assert (standing.samples, standing.mean_error, standing.worst_error) == (0, None, None)
    assert not standing.load_bearing


def test_a_new_version_starts_anew() -> None:
    rows = pairs("a", *[0.0] * 5)
    assert standing_of("a", open_registry([spec("a")]), rows).load_bearing
    fresh = standing_of("a", open_registry([spec("a", version=2)]), rows)
    assert (fresh.state, fresh.samples) == (FEW, 0)


def test_a_composite_needs_its_parts_and_its_own_calibrations() -> None:
    registry = open_registry([spec("a"), spec("b"), spec("all", parts=("a", "b"))])
    own, a, b = (pairs(name, *[0.1] * 5) for name in ("all", "a", "b"))
    assert standing_of("all", registry, (*own, *a)).held_back_by == ("b",)
    assert not standing_of("all", registry, (*own, *a)).load_bearing
    assert not standing_of("all", registry, (*a, *b)).load_bearing
    assert standing_of("all", registry, (*own, *a, *b)).load_bearing


ERRORS = st.lists(st.floats(0, 1), max_size=15)


@settings(max_examples=60, deadline=None)
@given(mine=ERRORS, others=ERRORS, data=st.data())
def test_no_other_metric_and_no_other_version_has_a_part_in_it(
    mine: list[float], others: list[float], data: st.DataObject
) -> None:
    registry = open_registry([spec("a"), spec("b")])
    rows = [*pairs("a", *mine)]
    alone = standing_of("a", registry, rows)
    for row in (*pairs("b", *others), *pairs("a", *others, version=2)):
        rows.insert(data.draw(st.integers(0, len(rows))), row)
    assert standing_of("a", registry, rows) == alone


@settings(max_examples=60, deadline=None)
@given(errors=ERRORS)
def test_promotion_needs_five_and_no_state_lies(errors: list[float]) -> None:
    state = judge(errors)
    assert (state is FEW) == (len(errors) < 5)
    if state is LOAD:
        assert sum(errors[-10:]) / len(errors[-10:]) <= 0.15 + 1e-9
