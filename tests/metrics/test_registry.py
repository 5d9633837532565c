"""Declared metrics are checked as a whole, and not changed under their version."""

import pytest

from skillwalker.errors import ConfigError
from skillwalker.metrics.gaming_guard import find_self_reference
from skillwalker.metrics.registry import check_unchanged, fingerprint, open_registry
from skillwalker.settings import MetricSettings
from tests.metrics.specs import spec


def faults(*metrics: MetricSettings) -> list[str]:
    try:
        open_registry(metrics)
    except ConfigError as error:
        lines = str(error).splitlines()
        assert all(line.startswith('skillwalker.toml: "metrics.') for line in lines)
        return [line.removeprefix("skillwalker.toml: ") for line in lines]
    return []


def test_good_metrics_pass() -> None:
    assert not faults()
    assert not faults(spec("a"), spec("b.c_d-é"), spec("µs"), spec("all", parts=("a", "a")))
    assert not faults(
        spec("a"),
        spec("ms", "positive", unit="ms"),
        spec("d", "signed", unit="points"),
        spec("all", parts=("a", "ms", "d")),
        spec("more", parts=("all", "a"), composition="max"),
    )


@pytest.mark.parametrize(
    ("metrics", "fault"),
    [
        pytest.param(
            [spec("a b")],
            "\"metrics.a b\" must be named by letters, digits, '_', '-' and '.'",
            id="name",
        ),
        pytest.param(
            [spec("trial_cost_usd")],
            '"metrics.trial_cost_usd" has the name of a metric that is always tracked; '
            "choose another",
            id="built in",
        ),
        pytest.param(
            [spec("a", description="how good My Current  Action was")],
            '"metrics.a" is described by "my current action"; '
            "say what is measured, not what is wanted",
            id="gaming guard",
        ),
        pytest.param(
            [spec("speed"), spec("all", parts=("sped",))],
            '"metrics.all" is made of "sped", which is not declared; did you mean "speed"?',
            id="unknown part",
        ),
        pytest.param(
            [spec("a", parts=("b",)), spec("b", parts=("a",))],
            '"metrics.a" is made of itself; take it out of its parts',
            id="circle",
        ),
        pytest.param(
            [spec("a", parts=("a",))],
            '"metrics.a" is made of itself; take it out of its parts',
            id="of itself",
        ),
        pytest.param(
            [spec("a", "positive", unit="ms"), spec("b", "positive", unit="s", parts=("a",))],
            '"metrics.b" joins positive numbers of "s", but its part "a" is positive and of "ms"; '
            "make it bounded, or the parts alike",
            id="units",
        ),
        pytest.param(
            [spec("a", "signed"), spec("b", "positive", parts=("a",))],
            '"metrics.b" joins positive numbers of "rate", but its part "a" is signed and of '
            '"rate"; make it bounded, or the parts alike',
            id="kinds",
        ),
        pytest.param(
            [spec("a", direction="increase"), spec("b", parts=("a",), direction="decrease")],
            '"metrics.b" and its part "a" have different directions (decrease, increase); '
            "give both the same",
            id="directions",
        ),
    ],
)
def test_a_wrong_metric_is_named_with_its_key(metrics: list[MetricSettings], fault: str) -> None:
    assert faults(*metrics)[0] == fault


def test_every_fault_is_said_at_once() -> None:
    assert len(faults(spec("a b"), spec("c", description="what I want"), spec("d"))) == 2


@pytest.mark.parametrize(
    ("description", "phrase"),
    [
        ("i want it fast", "i want"),
        ("rewards what I prefer", "i prefer"),
        ("prob_correct_for_current_action", "current_action"),
        ("prob correct of the action just taken", "the action just taken"),
        ("Mein Ansatz ist gut", "mein ansatz"),
        ("warm days in Hawaii wanted by guests", None),
        ("Hawaii want", None),
        ("fraction of tests passing in the suite", None),
        ("the action of the drug", None),
    ],
)
def test_descriptions_say_what_is_measured(description: str, phrase: str | None) -> None:
    assert find_self_reference(description) == phrase


def test_an_unknown_name_suggests_one() -> None:
    registry = open_registry([spec("speed")], "pyproject.toml")
    with pytest.raises(ConfigError, match=r'^pyproject.toml: there is no metric "sped"; did you'):
        registry.get("sped")
    with pytest.raises(ConfigError, match="there is none"):
        open_registry([]).get("a")


def test_leaves_are_the_commands_each_once() -> None:
    metrics = (spec("a"), spec("b"), spec("x", parts=("a", "b", "a")), spec("y", parts=("x", "a")))
    registry = open_registry(metrics)
    assert [leaf.name for leaf in registry.leaves("y")] == ["a", "b"]
    assert [part.name for part in registry.parts(registry.get("x"))] == ["a", "b", "a"]


OLD = spec("a", "positive", unit="ms")


@pytest.mark.parametrize(
    ("now", "message"),
    [
        pytest.param(OLD, None, id="unchanged"),
        pytest.param(spec("a", "positive", unit="ms", description="new words"), None, id="wording"),
        pytest.param(spec("b", "positive", unit="ms"), None, id="another metric"),
        pytest.param(spec("a", "positive", unit="s", version=3), None, id="a higher version"),
        pytest.param(spec("a", "positive", unit="s", version=2), "set its version to 3", id="unit"),
        pytest.param(
            spec("a", "positive", unit="ms", command=("x",), version=2), "version to 3", id="cmd"
        ),
        pytest.param(
            spec("a", "positive", unit="ms", scale=2.0, version=2), "version to 3", id="scale"
        ),
        pytest.param(OLD, "was registered with version 2; do not go back", id="a lower version"),
    ],
)
def test_a_registered_metric_is_not_changed(now: MetricSettings, message: str | None) -> None:
    version = 2 if now.version == 2 or (message and "back" in message) else 1
    registered = {"a": (version, fingerprint(OLD))}
    registry = open_registry([now])
    if message is None:
        check_unchanged(registry, registered)
        return
    with pytest.raises(ConfigError, match=message):
        check_unchanged(registry, registered)
