from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.report.ci.junit import junit
from tests.hostile import hostile
from tests.recorded_runs import everywhere, plain_run


def read(*runs: RecordedRun) -> ET.Element:
    return ET.fromstring(junit(runs).encode())  # noqa: S314 (our own output)


def outcomes(root: ET.Element) -> dict[str, str]:
    """By case: passed, or the name of the element inside."""
    return {
        str(case.get("name")): next((child.tag for child in case), "passed")
        for case in root.iter("testcase")
    }


def test_cases_are_tests_under_the_text_that_the_file_holds() -> None:
    run = plain_run()
    assert outcomes(read(run)) == {
        "asks for a review": "failure",
        "wants a second look": "skipped",
        "wants a poem": "passed",
        "says nothing": "passed",
    }
    applied = replace(run, summary=replace(run.summary, applied=True))
    assert outcomes(read(applied))["asks for a review"] == "passed"


def test_a_failure_says_what_claude_did() -> None:
    failure = read(plain_run()).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "should trigger; triggered in 0 of 2 decided runs"
    assert failure.text == "run 9: used demo:other instead\nrun 10: used demo:other instead"


def test_counts_add_up_over_all_runs() -> None:
    run = plain_run()
    root = read(run, replace(run, summary=replace(run.summary, applied=True, simulated=True)))
    suites = root.findall("testsuite")
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(name, "")) == sum(int(suite.get(name, "")) for suite in suites)
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("8", "1", "2")
    assert [str(suite.get("name")).startswith("SIMULATED ") for suite in suites] == [False, True]
    assert float(suites[0].get("time", "")) == pytest.approx(1.5 * 8)


def test_a_run_that_measured_nothing_is_an_error_and_no_empty_suite() -> None:
    run = plain_run()
    root = read(replace(run, iterations=(), trials=()))
    assert outcomes(root) == {"the run itself": "error"}
    assert root.get("errors") == "1"


def test_a_case_with_several_models_has_a_test_each() -> None:
    run = plain_run()
    other = replace(run.cases[0], model="opus")
    tallies = tuple(
        replace(one, cases=(*one.cases, replace(one.cases[0], model="opus")))
        for one in run.iterations
    )
    trials = tuple(trial for trial in run.trials if trial.set != "confirm")
    root = read(replace(run, cases=(*run.cases, other), iterations=tallies, trials=trials))
    assert {"asks for a review [sonnet]", "asks for a review [opus]"} <= outcomes(root).keys()


@hostile
def test_hostile_texts_make_no_element(text: str) -> None:
    plain, root = read(plain_run()), read(everywhere(plain_run(), text))
    assert [element.tag for element in plain.iter()] == [element.tag for element in root.iter()]
