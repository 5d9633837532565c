"""An eval run as JUnit XML and as Markdown: a test a case, with what failed inside of it."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from skillwalker.datatypes.evals import EvalOutcome, ResultRow, Status
from skillwalker.report import wording
from skillwalker.report.ci.junit import document, finished, legal
from skillwalker.report.ci.markdown import LONGEST, code, escaped
from skillwalker.report.html.evals import MARKS, eval_verdict

_ELEMENTS = {
    Status.FAILED: "failure",
    Status.UNKNOWN: "skipped",
    Status.INFRASTRUCTURE: "skipped",
}


def eval_junit(outcome: EvalOutcome) -> str:
    """Write an eval run as one JUnit file; a case that is not known is skipped."""
    summary = outcome.summary
    root = Element("testsuites", name="skillwalker")
    for name in summary.suites:
        mark = "SIMULATED " if summary.simulated else ""
        suite = SubElement(root, "testsuite", name=legal(f"{mark}{name}"))
        for test in summary.tests:
            if test.suite == name:
                case = SubElement(
                    suite, "testcase", classname=legal(name), name=legal(test.test_name)
                )
                rows = [
                    row
                    for row in outcome.rows
                    if (row.suite, row.test_name) == (name, test.test_name)
                ]
                _inside(case, test.status, rows)
        finished(suite)
    return document(root)


def _inside(case: Element, status: Status, rows: Sequence[ResultRow]) -> None:
    """Say why a case did not pass."""
    element = _ELEMENTS.get(status)
    if element is None:
        return
    told = [f"{_expected(row)}: {row.reasoning}" for row in rows if row.status is status]
    first = told[0] if told else status.value
    SubElement(case, element, message=legal(first)).text = legal("\n".join(told))


def _expected(row: ResultRow) -> str:
    return f"{row.expect_type} {row.criterion or row.expect_value}"


def eval_markdown(outcome: EvalOutcome) -> str:
    """Write an eval run as Markdown; what does not fit is counted."""
    summary = outcome.summary
    simulated = f"**{wording.SIMULATED}**\n\n" if summary.simulated else ""
    head = (
        f"### {escaped(eval_verdict(summary))}\n\n{simulated}"
        "| case | expected | status | why |\n|---|---|---|---|\n"
    )
    tail = f"\nRun {code(summary.test_run_id)}, engine {code(summary.engine)}\n\n{simulated}"
    wrong = [row for row in outcome.rows if row.status is not Status.PASSED]
    room = LONGEST - len(head) - len(tail) - 100
    lines: list[str] = []
    for row in wrong:
        why = f"{MARKS[row.status]} | {code(row.reasoning)}"
        line = f"| {code(row.test_name)} | {code(_expected(row))} | {why} |\n"
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    left = len(wrong) - len(lines)
    more = f"\n… and {left} more expectations\n" if left else ""
    return f"{head}{''.join(lines)}{more}{tail}"
