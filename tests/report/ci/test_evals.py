"""An eval run as JUnit, Markdown and a page."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.report import wording
from skillwalker.report.ci.evals import eval_junit, eval_markdown
from skillwalker.report.ci.markdown import LONGEST
from skillwalker.report.html.evals import render_eval
from tests.eval_outcomes import outcome
from tests.hostile import hostile

ALL = outcome(*Status)


def test_only_a_failure_fails_and_what_is_not_known_is_skipped() -> None:
    root = ET.fromstring(eval_junit(ALL).encode())  # noqa: S314 (our own output)
    inside = [[child.tag for child in case] for case in root.iter("testcase")]
    assert inside == [[], ["failure"], ["skipped"], ["skipped"]]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "1", "2")
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "result-contains case: because case"


def test_the_page_has_the_verdict_first_and_failures_before_the_rest() -> None:
    html = render_eval(ALL)
    assert "<h1>case: 1 of 4 cases passed, 1 failed, 2 inconclusive.</h1>" in html
    table = html[html.index('id="expectations"') :]
    assert table.index("✗ failed") < table.index("? unknown") < table.index("✓ passed")
    assert "$0.50 and 1 call of unknown cost" in html
    assert "SIMULATED" not in html
    assert render_eval(outcome(*Status, simulated=True)).count(wording.SIMULATED) == 2


def test_a_run_that_ended_early_says_why() -> None:
    summary = replace(ALL.summary, stopped_because=StopReason.BUDGET, cause="10 trials")
    html = " ".join(render_eval(replace(ALL, summary=summary)).split())
    assert f"It ended early: {wording.STOPS[StopReason.BUDGET]}" in html
    assert "10 trials" in html


def test_markdown_fits_and_counts_what_it_leaves_out() -> None:
    text = eval_markdown(outcome(*[Status.FAILED] * 3_000, text="a name of some length"))
    assert len(text) <= LONGEST
    assert "more expectations" in text
    assert "passed" not in eval_markdown(ALL).split("|---|")[1]


@hostile
def test_hostile_texts_are_texts(text: str) -> None:
    tried = outcome(*Status, text=text)
    root = ET.fromstring(eval_junit(tried).encode())  # noqa: S314 (our own output)
    plain = ET.fromstring(eval_junit(ALL).encode())  # noqa: S314 (our own output)
    assert [one.tag for one in root.iter()] == [one.tag for one in plain.iter()]
    html = render_eval(tried)
    html.encode()
    assert html.count("<script") == html.count("<img") == 0
    assert html.count("<tr") == render_eval(ALL).count("<tr")
    rows = [line for line in eval_markdown(tried).splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 3
