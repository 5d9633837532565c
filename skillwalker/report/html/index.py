"""The page of all runs: how each target did over time; simulated runs stand apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from skillwalker.datatypes.recorded import RunGlance
from skillwalker.datatypes.scores import Rates
from skillwalker.datatypes.summary import Summary
from skillwalker.report import wording
from skillwalker.report.html.charts import RatePoint, rate_chart
from skillwalker.report.html.environment import moment, render
from skillwalker.report.overview_text import in_file, told_verdict, weakest_first
from skillwalker.report.verdict_text import verdict

MOST_POINTS = 20
"""Runs in a chart, the newest ones; the table holds all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """A run in the table of its series."""

    glance: RunGlance
    summary: Summary
    verdict: str
    before: str
    after: str
    money: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Runs that may be compared: of one target, and alike in all that is never pooled."""

    title: str
    whom: str
    rows: tuple[IndexRow, ...]
    """Newest first."""
    chart: Markup


def render_index(glances: Sequence[RunGlance]) -> str:
    """Write the page of all runs.

    Args:
        glances: every run, newest first.

    Returns:
        One HTML document that loads nothing, with links to the reports that there are.
    """
    real = [one for one in glances if one.summary is not None and not one.summary.simulated]
    simulated = [one for one in glances if one.summary is not None and one.summary.simulated]
    return render(
        "index.html",
        total=len(glances),
        newest=_newest(real or simulated),
        in_file=in_file,
        told_verdict=told_verdict,
        sections=(
            ("Measured", None, _series(real)),
            ("Simulated", wording.SIMULATED, _series(simulated)),
        ),
        others=[one for one in glances if one.summary is None],
        moment=moment,
    )


def _newest(glances: Iterable[RunGlance]) -> list[RunGlance]:
    """Give the newest run of each target that was measured, the weakest target first."""
    newest: dict[tuple[str, str], RunGlance] = {}
    for one in glances:
        if one.summary is not None and one.summary.rate_in_file is not None:
            newest.setdefault((one.summary.target, one.summary.suite), one)
    by_id = {id(one.summary): one for one in newest.values()}
    ordered = weakest_first([one.summary for one in newest.values() if one.summary is not None])
    return [by_id[id(summary)] for summary in ordered]


def _series(glances: Iterable[RunGlance]) -> tuple[Series, ...]:
    """Put the runs together that may be compared, by target."""
    groups: dict[tuple[str, ...], list[tuple[RunGlance, Summary]]] = {}
    for one in glances:
        if one.summary is not None:
            groups.setdefault(_never_pooled(one.summary), []).append((one, one.summary))
    return tuple(_one_series(groups[key]) for key in sorted(groups))


def _never_pooled(summary: Summary) -> tuple[str, ...]:
    return (
        summary.target,
        summary.suite,
        summary.position,
        summary.engine,
        ", ".join(summary.models),
        summary.endpoint,
        summary.permission_mode,
        summary.listing_mode,
    )


def _one_series(runs: Sequence[tuple[RunGlance, Summary]]) -> Series:
    summary = runs[0][1]
    models = ", ".join(summary.models) or "no model answered"
    listing = f", listing {summary.listing_mode}" if summary.listing_mode != "real" else ""
    return Series(
        title=f"{summary.target}, suite {summary.suite}",
        whom=(
            f"engine {summary.engine}, {models}, endpoint {summary.endpoint or 'none'},"
            f" {summary.position} position, permission mode"
            f" {summary.permission_mode or 'none'}{listing}"
        ),
        rows=tuple(_row(glance, one) for glance, one in runs),
        chart=Markup(_trend([one for _, one in reversed(runs)])),  # noqa: S704 (our own drawing)
    )


def _row(glance: RunGlance, summary: Summary) -> IndexRow:
    has_best = summary.kind != "measure" and summary.best_iteration != 1
    return IndexRow(
        glance=glance,
        summary=summary,
        verdict=verdict(summary).removeprefix(f"{summary.target}: "),
        before=_balanced(summary.original),
        after=_balanced(summary.best) if has_best else wording.NOT_MEASURED,
        money=wording.money(summary),
    )


def _balanced(rates: Rates | None) -> str:
    return wording.NOT_MEASURED if rates is None else wording.rate(rates.balanced)


def _trend(summaries: Sequence[Summary]) -> str:
    """Draw balanced accuracy over the runs; one run is no trend."""
    measured = [one for one in summaries if one.original and one.original.balanced.rate is not None]
    if len(measured) < 2:
        return ""
    points = []
    for at, one in enumerate(measured[-MOST_POINTS:], start=1):
        for name, rates in (("at the start", one.original), ("best found", one.best)):
            is_other = name == "at the start" or one.best_iteration != 1
            if rates is not None and is_other:
                points.append(RatePoint(at=at, series=name, rate=rates.balanced))
    return rate_chart(points, axis="run, oldest first")
