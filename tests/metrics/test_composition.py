"""The laws of composition, and the kinds of numbers."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.metrics.composition import compose, kind_fault, normalise
from skillwalker.metrics.registry import open_registry
from skillwalker.metrics.track import value_of
from skillwalker.settings import MetricSettings
from tests.metrics.specs import spec

UNIT = st.floats(0, 1)
ANY = st.floats(-1e12, 1e12)
PART = st.one_of(
    st.tuples(st.just(spec("b")), UNIT),
    st.tuples(st.builds(lambda s: spec("p", "positive", scale=s), st.floats(0.001, 1e6)), ANY),
    st.tuples(st.builds(lambda s: spec("s", "signed", scale=s), st.floats(0.001, 1e6)), ANY),
)
PARTS = st.lists(PART, min_size=1, max_size=6)
WORDS = st.sampled_from(["sum", "max", "min"])
Parts = Sequence[tuple[MetricSettings, float]]


def joined(word: str, parts: Parts, kind: str = "bounded") -> float:
    return compose(spec("all", kind, composition=word, parts=("x",)), parts)


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


@settings(max_examples=60, deadline=None)
@given(word=WORDS, parts=PARTS)
def test_a_bounded_composite_lies_from_0_to_1(word: str, parts: Parts) -> None:
    assert 0 <= joined(word, parts) <= 1


@settings(max_examples=60, deadline=None)
@given(word=WORDS, parts=PARTS, data=st.data())
def test_the_order_of_parts_makes_no_difference(
    word: str, parts: list[tuple[MetricSettings, float]], data: st.DataObject
) -> None:
    assert joined(word, data.draw(st.permutations(parts))) == joined(word, parts)


@settings(max_examples=60, deadline=None)
@given(word=WORDS, parts=PARTS, times=st.integers(1, 4))
def test_naming_all_parts_more_often_changes_nothing(word: str, parts: Parts, times: int) -> None:
    assert close(joined(word, [*parts] * times), joined(word, parts))


@settings(max_examples=60, deadline=None)
@given(parts=PARTS)
def test_the_sum_is_the_mean_between_smallest_and_largest(parts: Parts) -> None:
    low, mean, high = (joined(word, parts) for word in ("min", "sum", "max"))
    assert low <= mean or close(low, mean)
    assert mean <= high or close(mean, high)
    values = [normalise(value, part) for part, value in parts]
    assert close(mean, math.fsum(values) / len(values))


@settings(max_examples=60, deadline=None)
@given(parts=PARTS, index=st.integers(0, 5))
def test_max_and_min_are_idempotent(parts: list[tuple[MetricSettings, float]], index: int) -> None:
    again = [*parts, parts[index % len(parts)]]
    assert joined("max", again) == joined("max", parts)
    assert joined("min", again) == joined("min", parts)


@settings(max_examples=60, deadline=None)
@given(values=st.lists(ANY, min_size=1, max_size=6))
def test_numbers_of_one_kind_are_joined_as_they_are(values: list[float]) -> None:
    parts = [(spec("s", "signed"), value) for value in values]
    assert joined("sum", parts, "signed") == math.fsum(values)
    assert joined("max", parts, "signed") == max(values)
    assert joined("min", parts, "signed") == min(values)


def test_a_sum_beyond_all_floats_is_no_number() -> None:
    parts = [(spec("s", "signed"), 1.7e308)] * 2
    assert joined("sum", parts, "signed") == math.inf
    registry = open_registry([spec("s", "signed"), spec("all", "signed", parts=("s", "s"))])
    assert value_of("all", registry, {"s": (1.7e308, None)}) == (None, "inf is not a finite number")


def test_a_part_that_is_named_twice_counts_twice() -> None:
    registry = open_registry([spec("a"), spec("b"), spec("all", parts=("a", "a", "a", "b"))])
    assert value_of("all", registry, {"a": (1.0, None), "b": (0.0, None)}) == (0.75, None)


@settings(max_examples=60, deadline=None)
@given(a=UNIT, b=UNIT, other=UNIT)
def test_a_composite_depends_on_its_parts_alone(a: float, b: float, other: float) -> None:
    few = open_registry([spec("a"), spec("b"), spec("all", parts=("a", "b"))])
    more = open_registry([*few.specs.values(), spec("c"), spec("d", parts=("a", "c"))])
    values: dict[str, tuple[float | None, str | None]] = {"a": (a, None), "b": (b, None)}
    before = value_of("all", few, values)
    assert value_of("all", more, {**values, "c": (other, None)}) == before
    assert value_of("a", more, {**values, "c": (other, None)}) == (a, None)


def test_a_part_that_failed_is_named() -> None:
    registry = open_registry([spec("a"), spec("all", parts=("a",)), spec("top", parts=("all",))])
    assert value_of("top", registry, {"a": (None, "boom")}) == (None, "all: a: boom")


@pytest.mark.parametrize(
    ("kind", "value", "fault"),
    [
        ("bounded", 0.0, None),
        ("bounded", 1.0, None),
        ("bounded", 1.3, "1.3 is outside of 0 to 1, where a bounded metric lies"),
        ("bounded", -0.1, "-0.1 is outside of 0 to 1, where a bounded metric lies"),
        ("positive", 0.0, None),
        ("positive", 1e300, None),
        ("positive", -1.0, "-1 is negative, which a positive metric never is"),
        ("signed", -1e300, None),
        ("signed", math.nan, "nan is not a finite number"),
        ("signed", math.inf, "inf is not a finite number"),
    ],
)
def test_each_kind_has_its_numbers(kind: str, value: float, fault: str | None) -> None:
    assert kind_fault(value, spec("a", kind)) == fault


@pytest.mark.parametrize(
    ("kind", "scale", "value", "normal"),
    [
        ("bounded", 1.0, 0.4, 0.4),
        ("positive", 100.0, 25.0, 0.25),
        ("positive", 100.0, 1e9, 1.0),
        ("signed", 1.0, 0.0, 0.5),
        ("signed", 1.0, -1e308, 0.0),
        ("signed", 1.0, 1e308, 1.0),
        ("signed", 2.0, 2.0, 1 / (1 + math.exp(-1))),
        ("signed", 2.0, -2.0, 1 / (1 + math.exp(1))),
    ],
)
def test_numbers_are_brought_to_one_scale(
    kind: str, scale: float, value: float, normal: float
) -> None:
    assert close(normalise(value, spec("a", kind, scale=scale)), normal)
