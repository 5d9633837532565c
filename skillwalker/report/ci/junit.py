"""Runs as JUnit XML: a suite a run, a test a case, under the text that the file holds at the end.

A case that is undecided is skipped with its reason: it is no failure, and it did not pass. A run
that measured nothing is one test with an error, so that it never looks like a suite that passed.
"""

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from skillwalker.datatypes.recorded import CaseTally, RecordedRun
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.report import wording
from skillwalker.report.misses import what_happened
from skillwalker.report.plain import printable
from skillwalker.report.tallies import result_of, text_in_file, trials_of
from skillwalker.report.verdict_text import verdict

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold.

Source: https://www.w3.org/TR/xml/#charsets
"""
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def junit(runs: Sequence[RecordedRun]) -> str:
    """Write runs as one JUnit file."""
    root = Element("testsuites", name="skillwalker")
    for run in runs:
        _suite(root, run)
    return document(root)


def document(root: Element) -> str:
    """Sum up the suites of a document, and write it."""
    suites = root.findall("testsuite")
    for name in ("tests", *_COUNTED):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", f"{sum(float(suite.get('time', '0')) for suite in suites):.3f}")
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _suite(root: Element, run: RecordedRun) -> None:
    """Write a run."""
    summary = run.summary
    mark = "SIMULATED " if summary.simulated else ""
    suite = SubElement(root, "testsuite", name=legal(f"{mark}{summary.target}, {summary.suite}"))
    _properties(suite, run)
    text = text_in_file(run)
    if text is None:
        case = SubElement(suite, "testcase", classname=legal(summary.target), name="the run itself")
        SubElement(case, "error", message=legal(verdict(summary)))
    else:
        trials: dict[tuple[str, str], list[Trial]] = {}
        for trial in trials_of(run, text):
            trials.setdefault((trial.case, trial.model_asked), []).append(trial)
        for tally in result_of(run, text):
            _case(suite, run, tally, trials.get((tally.case, tally.model), []))
    finished(suite)


def finished(suite: Element) -> None:
    """Sum up the cases of a suite."""
    suite.set("tests", str(len(suite.findall("testcase"))))
    for name, element in _COUNTED.items():
        suite.set(name, str(len(suite.findall(f"testcase/{element}"))))
    seconds = (float(case.get("time", "0")) for case in suite.findall("testcase"))
    suite.set("time", f"{sum(seconds):.3f}")


def _properties(suite: Element, run: RecordedRun) -> None:
    """Say for whom the results hold, and how the run ended."""
    summary = run.summary
    rate = summary.rate_in_file
    facts = {
        "run_id": summary.run_id,
        "verdict": verdict(summary),
        "simulated": str(summary.simulated).lower(),
        "engine": summary.engine,
        "endpoint": summary.endpoint,
        "models": ", ".join(summary.models),
        "cli_version": summary.cli_version,
        "rate_in_file": wording.NOT_MEASURED if rate is None else wording.rate(rate),
        "description": "best" if summary.applied else "original",
    }
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        SubElement(properties, "property", name=name, value=legal(value))


def _case(suite: Element, run: RecordedRun, tally: CaseTally, trials: Sequence[Trial]) -> None:
    """Write a case after the vote."""
    several = sum(case.name == tally.case for case in run.cases) > 1
    case = SubElement(
        suite,
        "testcase",
        classname=legal(run.summary.target),
        name=legal(f"{tally.case} [{tally.model}]" if several else tally.case),
        time=f"{sum(trial.duration for trial in trials):.3f}",
    )
    should = "should trigger" if tally.should_trigger else "should not trigger"
    figures = f"{should}; triggered in {tally.triggered} of {tally.decided} decided runs"
    if tally.passed is None:
        reasons = Counter(t.reason for t in trials if t.outcome is Outcome.UNDECIDED and t.reason)
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        message = f"undecided: {figures}{f'; {why}' if why else ''}"
        SubElement(case, "skipped", message=legal(message))
    elif not tally.passed:
        failure = SubElement(case, "failure", type="trigger", message=legal(figures))
        lines = (
            f"run {trial.run_index}: {what_happened(trial, run.summary.target)}"
            for trial in trials
            if (trial.outcome is Outcome.TRIGGERED) is not tally.should_trigger
        )
        failure.text = legal("\n".join(lines))


def legal(text: str) -> str:
    """Take out what XML cannot hold."""
    return _ILLEGAL.sub("�", printable(text))
