"""METRIC lines: the grammar, order, last value, units, primary and secondary."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.metrics import MetricValue
from skillwalker.metrics.extract import choose_primary, infer_unit, read_metric_lines

GREEK, MICRO = "\u03bc", "\u00b5"


def values(text: str) -> dict[str, float | None]:
    return {metric.name: metric.value for metric in read_metric_lines(text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("METRIC compile_ms=12.5", {"compile_ms": 12.5}, id="a line"),
        pytest.param("METRIC cache.hits=42", {"cache.hits": 42}, id="dots"),
        pytest.param(f"METRIC total_{MICRO}s=3", {f"total_{MICRO}s": 3}, id="micro sign"),
        pytest.param(f"METRIC total_{GREEK}s=3", {f"total_{MICRO}s": 3}, id="greek mu"),
        pytest.param("METRIC\t \ta=1", {"a": 1}, id="any blanks between"),
        pytest.param("METRIC a=1  \t", {"a": 1}, id="blanks at the end"),
        pytest.param("METRIC a=1\r\nMETRIC b=2\r\n", {"a": 1, "b": 2}, id="CRLF"),
        pytest.param("50 %\rMETRIC a=1\r", {"a": 1}, id="a progress line rewritten"),
        pytest.param("METRIC a=1\nMETRIC b=2\nMETRIC a=3", {"a": 3, "b": 2}, id="last wins"),
        pytest.param("METRIC a=1\nMETRIC a=NaN", {"a": 1}, id="nan does not win"),
        pytest.param("METRIC a=.5\nMETRIC b=5.\nMETRIC c=+5", {"a": 0.5, "b": 5, "c": 5}, id="dot"),
        pytest.param("METRIC a=1e3\nMETRIC b=-2E-1", {"a": 1000, "b": -0.2}, id="exponents"),
        pytest.param("METRIC a=NaN\nMETRIC b=Infinity\nMETRIC c=-inf", {}, id="not finite"),
        pytest.param("METRIC a=1e999", {}, id="too large to be finite"),
        pytest.param(f"METRIC a={'9' * 5000}", {}, id="thousands of digits"),
        pytest.param("METRIC a=0x10\nMETRIC b=0b1", {}, id="other bases"),
        pytest.param("METRIC a=1_000\nMETRIC b=1,000\nMETRIC c=5ms", {}, id="no number"),
        pytest.param("METRIC a=\u0663", {}, id="digits of another script"),
        pytest.param("METRIC a=\nMETRIC =3", {}, id="a half missing"),
        pytest.param(" METRIC a=1", {}, id="leading blank"),
        pytest.param("METRIC a = 1\nMETRIC a= 1", {}, id="blanks around ="),
        pytest.param("METRIC a=1 ms", {}, id="a unit behind"),
        pytest.param("METRIC a=b=3", {}, id="a second ="),
        pytest.param("METRIC\na=3", {}, id="one line only"),
        pytest.param("metric a=1\nMETRICS a=1\nMETRICa=1", {}, id="another word"),
        pytest.param("METRIC a-b=1\nMETRIC größe=2", {}, id="other letters"),
        pytest.param(
            "METRIC __proto__=1\nMETRIC constructor=1\nMETRIC prototype=1", {}, id="proto"
        ),
        pytest.param("warning: x\nMETRIC a=1\ndone", {"a": 1}, id="among other lines"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_lines_are_read_by_the_grammar(text: str, found: dict[str, float]) -> None:
    assert values(text) == found


def test_the_order_is_that_of_first_appearance() -> None:
    assert [*values("METRIC b=1\nMETRIC a=1\nMETRIC b=2")] == ["b", "a"]


def test_a_negative_zero_is_zero() -> None:
    assert math.copysign(1, values("METRIC a=-0")["a"] or 0.0) == 1


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        (f"total_{MICRO}s", f"{MICRO}s"),
        (f"total{GREEK}s", f"{MICRO}s"),
        ("compile_ms", "ms"),
        ("wall_s", "s"),
        ("wall_sec", "s"),
        ("heap_kb", "kb"),
        ("heap_mb", "mb"),
        ("heap_MB", None),
        ("hits", None),
        ("ms", None),
    ],
)
def test_units_come_from_the_end_of_a_name(name: str, unit: str | None) -> None:
    assert infer_unit(name) == unit


def test_the_primary_is_told_from_the_others() -> None:
    found = choose_primary(read_metric_lines(f"METRIC a=1\nMETRIC t{MICRO}s=2"), f"t{GREEK}s")
    assert found.primary == MetricValue(name=f"t{MICRO}s", value=2, unit=f"{MICRO}s")
    assert [metric.name for metric in found.secondaries] == ["a"]
    assert choose_primary(found.secondaries, "b").primary is None
    assert choose_primary(found.secondaries, None).primary is None


@settings(max_examples=60, deadline=None)
@given(text=st.text(), numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_any_text_gives_finite_numbers(text: str, numbers: list[float]) -> None:
    lines = [f"METRIC n{index}={number!r}" for index, number in enumerate(numbers)]
    found = values("\n".join([text.replace("METRIC", ""), *lines]))
    assert [*found.values()] == numbers
