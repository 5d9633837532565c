"""Annotations of a run for GitHub Actions, on the line of the description that was measured.

Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions and the
escapes of https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
"""

from skillwalker.datatypes.inputs import ListingPlace
from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.vocabulary import Severity, Verdict
from skillwalker.report import wording
from skillwalker.report.plain import one_line, printable
from skillwalker.report.tallies import result_of, text_in_file
from skillwalker.report.verdict_text import verdict

MOST_NAMES = 5
"""Failed cases that one annotation names."""
MOST_FINDINGS = 5
"""GitHub shows ten annotations of a step; the others stay in its log."""


def annotations(
    run: RecordedRun, *, file: str, line: int | None, next_command: str | None
) -> tuple[str, ...]:
    """Write a run's annotations as workflow commands, a line each.

    Args:
        run: as it was recorded.
        file: the target's file, relative to the repository.
        line: where its description stands; None puts them on the file.
        next_command: what a user would do now.
    """
    summary = run.summary
    mark = "SIMULATED: " if summary.simulated else ""
    title = f"{mark}{summary.target}"
    level = "warning" if summary.verdict is Verdict.INCONCLUSIVE else "notice"
    how = f" Next: {next_command}" if next_command and summary.improved else ""
    commands = [command(level, f"{verdict(summary)}{how}", file, line, title)]
    if failed := _failed(run):
        commands.append(command("warning", failed, file, line, title))
    findings = summary.listing.listed.findings if isinstance(summary.listing, ListingPlace) else ()
    for finding in findings[:MOST_FINDINGS]:
        level = "error" if finding.severity is Severity.ERROR else str(finding.severity)
        level = "notice" if finding.severity is Severity.INFO else level
        commands.append(command(level, finding.message, file, finding.line or line, title))
    return tuple(commands)


def _failed(run: RecordedRun) -> str | None:
    """Name the cases that fail under the text that the file holds."""
    text = text_in_file(run)
    if text is None:
        return None
    tallies = result_of(run, text)
    names = [one_line(tally.case) for tally in tallies if tally.passed is False]
    if not names:
        return None
    each = tuple(dict.fromkeys(names))  # a case that fails on several models is one name
    more = f" and {len(each) - MOST_NAMES} more" if len(each) > MOST_NAMES else ""
    listed = "; ".join(each[:MOST_NAMES])
    of = wording.counted([tally.case for tally in tallies])
    return f"{len(names)} of {of} fail as the file stands: {listed}{more}"


def command(level: str, message: str, file: str, line: int | None, title: str) -> str:
    """Write one workflow command, in which nothing can end it early or begin another."""
    place = f",line={line}" if line is not None else ""
    return f"::{level} file={_property(file)}{place},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
