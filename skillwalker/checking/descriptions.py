"""What is wrong with one skill or agent: what Claude Code makes of it, and the text itself."""

from collections.abc import Iterator, Sequence

from skillwalker.checking.findings import CheckedTarget, CheckFinding, TargetCases, split_remedy
from skillwalker.datatypes.vocabulary import Severity, TargetKind
from skillwalker.faults import quoted
from skillwalker.lint import lint_description
from skillwalker.quotes import find_quote

REMEDIES = {
    "duplicate-key": "remove one of them",
    "name-differs": "name both alike, so that people find it under the name that Claude sees",
    "unknown-key": "remove it",
}
"""For the rules of the listing whose sentences name none."""
WITHOUT_REMEDY = frozenset({"duplicate-key", "name-differs"})
"""Rules whose sentences never name one, whatever stands behind a semicolon in them."""
SWITCHED_OFF = frozenset({"disable-model-invocation"})
"""Faults that can be meant: such a skill is called by its user alone."""


def check_listing(checked: CheckedTarget, *, is_measured: bool) -> Iterator[CheckFinding]:
    """Say what Claude Code does not see of a file, or not as it was written.

    Args:
        checked: the skill or agent.
        is_measured: whether a suite has cases about it.
    """
    for finding in checked.listed.findings:
        severity = finding.severity
        if finding.rule in SWITCHED_OFF:
            severity = Severity.ERROR if is_measured else Severity.WARNING
        message, remedy = finding.message, REMEDIES.get(finding.rule, "see 'skillwalker show'")
        if finding.rule not in WITHOUT_REMEDY:
            message, remedy = split_remedy(message, remedy)
        yield CheckFinding(
            rule=finding.rule,
            severity=severity,
            path=checked.listed.path,
            line=finding.line,
            message=message,
            remedy=remedy,
        )


def check_text(checked: CheckedTarget) -> Iterator[CheckFinding]:
    """Say what is wrong with a description, whoever is to read it."""
    target = checked.target
    if not checked.listed.listed or not target.description.strip():
        return  # said already, in a finding of the listing
    text = target.description.strip()
    if target.kind is TargetKind.SKILL:
        text = " ".join(text.split())  # line breaks are flattened on the way to Claude
    for fault in lint_description(text, kind=target.kind):
        message, remedy = split_remedy(fault, "shorten or reword it")
        yield CheckFinding(
            rule="description",
            severity=Severity.WARNING,
            path=target.path,
            line=description_line(checked),
            message=f"the description is doubtful: {message}",
            remedy=remedy,
        )


def check_quotes(checked: CheckedTarget, suites: Sequence[TargetCases]) -> Iterator[CheckFinding]:
    """Find the prompts of the suites that the description repeats: it passes those by heart."""
    text = checked.target.description
    for cases in suites:
        for case in cases.cases:
            quote = find_quote(text, (case.case.prompt,))
            if quote is not None:
                yield CheckFinding(
                    rule="quotes-query",
                    severity=Severity.WARNING,
                    path=checked.target.path,
                    line=description_line(checked),
                    message=(
                        f"the description repeats {quoted(quote)} of the case "
                        f"{quoted(case.case.name)} in the suite {quoted(cases.suite.name)}"
                    ),
                    remedy="say it in general words, or measure with another prompt",
                )


def description_line(checked: CheckedTarget) -> int | None:
    """Give the line of a file on which its description begins."""
    lines = checked.target.content.decode("utf-8", "replace").splitlines()
    return next(
        (at for at, line in enumerate(lines, 1) if line.lstrip("\ufeff").startswith("description")),
        None,
    )
