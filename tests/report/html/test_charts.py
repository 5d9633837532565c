import re

import pytest

from skillwalker.datatypes.scores import Rate
from skillwalker.report.html.charts import RatePoint, rate_chart, step_chart

RATE = Rate(k=3, n=4, rate=0.75, low=0.5, high=0.9)
UNKNOWN = Rate(k=0, n=0, rate=None, low=None, high=None)


def points(rate: Rate) -> list[RatePoint]:
    return [
        RatePoint(at=at, series=name, rate=rate)
        for at in (1, 2)
        for name in ("recall", "specificity")
    ]


@pytest.mark.parametrize(
    "svg",
    [
        pytest.param(rate_chart(points(RATE), axis="iteration"), id="rates"),
        pytest.param(step_chart({"original": {1: 2}, "best": {1: 1, 3: 4}}), id="steps"),
    ],
)
def test_a_chart_takes_every_colour_from_the_page(svg: str) -> None:
    colours = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
    assert colours <= {"none", "currentColor", "var(--line)", "var(--series-1)", "var(--series-2)"}
    assert "var(--series-2)" in colours
    assert svg.startswith("<svg ")
    assert "style" not in svg
    assert "url(" not in svg
    assert " id=" not in svg
    assert not re.search(r"<svg [^>]*(?:width|height)=", svg)  # the page decides on the size


def test_what_was_not_measured_is_not_drawn() -> None:
    assert rate_chart(points(UNKNOWN), axis="iteration") == ""
    assert rate_chart([], axis="iteration") == ""
    assert step_chart({"original": {}}) == ""
    both = [*points(RATE), RatePoint(at=3, series="recall", rate=UNKNOWN)]
    assert rate_chart(both, axis="iteration") == rate_chart(points(RATE), axis="iteration")


def test_steps_have_their_number_on_the_bar() -> None:
    svg = step_chart({"original": {1: 17}, "best": {3: 23}})
    assert re.findall(r">(17|23)</text>", svg) == ["17", "23"]
