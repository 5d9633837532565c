"""The page of all runs: nothing is pooled, nothing is missing, simulated runs stand apart."""

from dataclasses import replace

import pytest

from skillwalker.datatypes.recorded import RunGlance
from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import Verdict
from skillwalker.report import wording
from skillwalker.report.html.index import render_index
from tests.recorded_runs import AGAINST, plain_run


def glance(number: int, **changes: object) -> RunGlance:
    run_id = f"20261130T12{number:02}00"
    summary: Summary = replace(plain_run().summary, run_id=run_id, **changes)  # type: ignore[arg-type]  # fields by name
    return RunGlance(run_id=run_id, summary=summary, note="", report=f"{run_id}/report.html")


def test_runs_that_are_alike_are_one_series_with_a_trend() -> None:
    html = render_index([glance(2), glance(1)])
    assert html.count("<h3") == 1
    assert html.count("<svg") == 1
    assert '<a href="20261130T120100/report.html">20261130T120100</a>' in html
    assert html.index("20261130T120200") < html.index("20261130T120100")


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({field: "another"}, id=field)
        for field in (
            *("target", "suite", "position", "engine", "endpoint", "permission_mode"),
            "listing_mode",
        )
    ]
    + [pytest.param({"models": ("another",)}, id="models")],
)
def test_runs_that_differ_in_what_is_never_pooled_are_series_of_their_own(
    changes: dict[str, object],
) -> None:
    html = render_index([glance(2, **changes), glance(1)])
    assert html.count("<h3") == 2
    assert "<svg" not in html  # one run is no trend


def test_simulated_runs_stand_apart_and_say_so() -> None:
    html = render_index([glance(3, simulated=True), glance(2), glance(1)])
    html = html[html.index('id="measured"') :]
    measured, simulated = html.index('id="measured"'), html.index('id="simulated"')
    assert measured < html.index("20261130T120200") < simulated < html.index("20261130T120300")
    assert wording.SIMULATED in html[simulated:]
    assert "SIMULATED" not in render_index([glance(1)])


def test_a_rate_that_is_nearly_whole_is_not_called_so_and_does_not_break() -> None:
    summary = plain_run().summary
    assert summary.original is not None
    nearly = replace(
        summary.original, balanced=Rate(k=200, n=201, rate=200 / 201, low=0.97, high=1)
    )
    html = render_index([glance(1, original=nearly)])
    assert '<span class="whole">&gt; 99 %</span> (200/201)' in html


def test_a_measurement_that_dropped_says_so() -> None:
    changes = {"kind": "measure", "verdict": Verdict.KEPT, "applied": False}
    html = render_index([glance(2, **changes, against=AGAINST), glance(1, **changes)])
    assert html.count("measured, dropped") == 1
    assert html.count(f"Dropped since run {AGAINST.run_id}.") == 1
    other = replace(AGAINST, dropped=False)
    assert "ropped" not in render_index([glance(1, **changes, against=other)])


def test_every_run_appears_whatever_became_of_it() -> None:
    broken = RunGlance(run_id="20261130T130000", summary=None, note="it did not end", report=None)
    html = render_index([broken, glance(1)])
    assert "2 recorded runs" in html
    assert "it did not end" in html
    assert "30 November 2026, 13:00 UTC" in html


def test_no_run_at_all_is_a_page_too() -> None:
    assert "0 recorded runs" in render_index([])


def test_a_run_that_measured_nothing_is_in_the_table_and_not_in_the_chart() -> None:
    html = render_index([glance(2, original=None, best=None, cli_version=""), glance(1)])
    assert "<svg" not in html
    assert "20261130T120200" in html


def test_the_index_begins_with_the_targets_weakest_first() -> None:
    run = plain_run().summary
    assert run.rate_in_file is not None
    glances = [
        RunGlance(
            run_id=name,
            summary=replace(run, target=name, rate_in_file=replace(run.rate_in_file, rate=rate)),
            note="",
            report=None,
        )
        for name, rate in (("demo:good", 0.9), ("demo:weak", 0.3), ("demo:good", 0.1))
    ]
    html = render_index(glances)
    first = html[html.index('id="targets"') : html.index('id="measured"')]
    assert first.index("demo:weak") < first.index("demo:good")
    assert first.count("demo:good</th>") == 1
    assert "90 %" in first
    assert "10 %" not in first
