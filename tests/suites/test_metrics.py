"""The metrics that a suite names must be declared in the project's settings."""

import dataclasses
from pathlib import Path

import pytest

from skillwalker.errors import SuiteError
from skillwalker.paths import Places, open_places
from skillwalker.settings import load_settings
from skillwalker.suites.load import load_suite
from tests.projects import call_case, make_project, write, write_suite

DECLARED = "".join(
    f'[metrics."{name}"]\nkind = "positive"\nunit = "n"\ndescription = "d"\ncommand = ["x"]\n'
    for name in ("speed", "größe")
)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    make_project(tmp_path)
    write(tmp_path / "skillwalker.toml", DECLARED)
    return open_places(tmp_path, load_settings(tmp_path), tmp_path / "home")


def suite(*metrics: object) -> dict[str, object]:
    return {"plugins": ["demo"], "metrics": list(metrics), "tests": [call_case("a")]}


def test_declared_metrics_are_read_in_order(places: Places) -> None:
    write_suite(places, "s", suite("größe", "speed"))
    assert load_suite(places, "s").metrics == ("größe", "speed")
    write_suite(places, "s", {"tests": [call_case("a")]})
    assert load_suite(places, "s").metrics == ()


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        pytest.param(
            ["sped"],
            '"metrics[0]" "sped": there is no such metric in skillwalker.toml; '
            'did you mean "speed"?',
            id="unknown",
        ),
        pytest.param(
            ["speed", "speed"], '"metrics[1]" "speed": is named twice; keep one', id="twice"
        ),
        pytest.param([3], '"metrics[0]" must be a text in quotes, not 3', id="no text"),
        pytest.param([""], '"metrics[0]" must not be empty', id="empty"),
    ],
)
def test_a_wrong_metric_is_named_with_its_place(
    places: Places, metrics: list[object], message: str
) -> None:
    write_suite(places, "s", suite(*metrics))
    with pytest.raises(SuiteError) as caught:
        load_suite(places, "s")
    assert str(caught.value).splitlines()[0] == f"evals/s/tests.json: {message}"


def test_without_settings_names_are_taken_as_they_are(places: Places) -> None:
    write_suite(places, "s", suite("anything"))
    told_nothing = dataclasses.replace(places, metrics=None)
    assert load_suite(told_nothing, "s").metrics == ("anything",)
