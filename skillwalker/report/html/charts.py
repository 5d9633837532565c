"""Charts as static SVG that take their colours from the page, so that light and dark both work.

No text of a user's enters a chart: what a chart says in words is said by the page around it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from skillwalker.datatypes.scores import Rate

if TYPE_CHECKING:
    from altair import FacetChart, LayerChart

WIDTH, HEIGHT = 320, 170
"""Small, so that the letters stay legible on a phone; the page scales it up."""
_FONT = 11
_ARIA = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
"""vega's roles name each group of marks; the page says in one label what the chart shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatePoint:
    """A rate with its interval at one place of a chart."""

    at: int
    """From 1: an iteration, or a run of a series."""
    series: str
    """Words of ours: the shape's name in the legend."""
    rate: Rate


def rate_chart(points: Sequence[RatePoint], *, axis: str) -> str:
    """Draw rates with their intervals; series differ in shape and shade.

    Args:
        points: those without a rate are left out.
        axis: the words below.

    Returns:
        An SVG element; empty where there is nothing to draw.
    """
    rows = [
        {"at": one.at, "series": one.series, **_figures(one.rate)}
        for one in points
        if one.rate.rate is not None
    ]
    if not rows:
        return ""
    import altair as alt

    names = list(dict.fromkeys(str(row["series"]) for row in rows))
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("at:O", title=axis, axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("series:N", sort=names),
        color=alt.Color("series:N", sort=names, title=None, scale=_colours(names)),
    )
    scale = alt.Scale(domain=[0, 100])
    bars = base.mark_rule(strokeWidth=1.5).encode(
        color=alt.Color("series:N", sort=names, legend=None, scale=_colours(names)),
        y=alt.Y("low:Q", title="percent", scale=scale),
        y2="high:Q",
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=alt.Y("rate:Q", title="percent", scale=scale),
        shape=alt.Shape("series:N", sort=names, title=None),
    )
    return _svg(alt.layer(bars, marks))


def step_chart(counts: Mapping[str, Mapping[int, int]]) -> str:
    """Draw at which turn the calls came, a bar a turn and text; numbers stand on the bars.

    Args:
        counts: for each description, in words of ours, the calls at each turn.

    Returns:
        An SVG element; empty where nothing was called.
    """
    last = max((turn for turns in counts.values() for turn in turns), default=0)
    if not last:
        return ""
    import altair as alt

    names = list(counts)
    rows = [
        {"turn": turn, "series": name, "calls": turns.get(turn, 0)}
        for name, turns in counts.items()
        for turn in range(1, last + 1)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("turn:O", title="turn", axis=alt.Axis(labelAngle=0)),
        xOffset=alt.XOffset("series:N", sort=names),
        y=alt.Y("calls:Q", title="calls", axis=alt.Axis(tickMinStep=1, format="d")),
        color=alt.Color("series:N", sort=names, title=None, scale=_colours(names)),
    )
    numbers = base.mark_text(dy=-6, fontSize=_FONT).encode(
        text="calls:Q", color=alt.value("currentColor")
    )
    return _svg(alt.layer(base.mark_bar(), numbers))


def _figures(rate: Rate) -> dict[str, float]:
    """Give a rate and its interval in percent."""
    known = (value for value in (rate.rate, rate.low, rate.high))
    middle, low, high = (100 * value if value is not None else 0.0 for value in known)
    return {
        "rate": middle,
        "low": low if rate.low is not None else middle,
        "high": high if rate.high is not None else middle,
    }


def _colours(names: Sequence[str]) -> Any:  # altair's own type is not worth its import
    """Name the page's colours, one a series."""
    import altair as alt

    return alt.Scale(domain=names, range=[f"var(--series-{i})" for i in range(1, len(names) + 1)])


def _svg(chart: "LayerChart | FacetChart") -> str:
    """Render a chart, without what only a script or a browser's own reader would use."""
    drawn = (
        chart.properties(width=WIDTH, height=HEIGHT)
        .configure(background="transparent", padding=4)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            gridColor="var(--line)",
            domainColor="var(--line)",
            tickColor="var(--line)",
            labelFontSize=_FONT,
            titleFontSize=_FONT,
            titleFontWeight="normal",
        )
        .configure_legend(
            labelColor="currentColor",
            labelFontSize=_FONT,
            orient="bottom",
            columnPadding=16,
            symbolFillColor="currentColor",
            symbolStrokeColor="currentColor",
        )
        .configure_view(stroke=None)
    )
    return _drawn(drawn.to_json(indent=None, validate=False))


@lru_cache(maxsize=32)
def _drawn(specification: str) -> str:
    """Draw a specification; the same one again, as of a run reported twice, costs nothing."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(specification)
    svg = _ARIA.sub("", svg).replace('font-family="sans-serif" ', "")
    # The attributes of the size would win over the page's; the view box keeps the proportions.
    return re.sub(r'<svg ([^>]*?) width="[\d.]+" height="[\d.]+"', r"<svg \1", svg, count=1)
