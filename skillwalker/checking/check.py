"""All rules over all that is to be checked, each file read once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillwalker.checking.cases import check_cases
from skillwalker.checking.descriptions import check_listing, check_quotes, check_text
from skillwalker.checking.empty_words import check_words
from skillwalker.checking.files import check_folders, unreadable
from skillwalker.checking.findings import CheckedTarget, CheckFinding, TargetCases
from skillwalker.checking.provenance import check_provenance
from skillwalker.checking.siblings import check_names, check_overlap, check_room
from skillwalker.checking.skill_folders import check_name
from skillwalker.checking.subjects import Subject
from skillwalker.checking.suites import (
    CheckedTargets,
    cases_by_target,
    check_files,
    check_folder,
    read_suite,
)
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.errors import TargetError
from skillwalker.targets.file import read_target


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was checked and what was found, in order of files and lines."""

    findings: tuple[CheckFinding, ...]
    targets: tuple[CheckedTarget, ...]
    cases: tuple[TargetCases, ...]
    """The call cases of each sound suite, by target."""

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity."""
        return sum(finding.severity is severity for finding in self.findings)


def check(subject: Subject, change: float | None = None) -> Checked:
    """Check files and suites; nothing is spent and nothing is written.

    Args:
        subject: what to check.
        change: of balanced accuracy, that every suite should be able to show.
    """
    known = CheckedTargets()
    findings = [*check_folders(subject.folders)]
    for path, kind in subject.files:
        try:
            known.add(read_target(path, kind))
        except TargetError as error:
            findings.append(unreadable(path, error))
    cases: list[TargetCases] = []
    for place in subject.suites:
        suite, faults = read_suite(place)
        findings += [*faults, *check_files(place)]
        cases += cases_by_target(suite, place, known) if suite is not None else ()
    for folder in subject.evals_dirs:
        findings += check_folder(folder)
    targets = tuple(known.by_path.values())
    findings += _about_targets(targets, cases)
    for each in cases:
        findings += check_cases(each, change)
        findings += check_provenance(each)
    order = sorted(dict.fromkeys(findings), key=_place)
    return Checked(findings=tuple(order), targets=targets, cases=tuple(cases))


def _about_targets(
    targets: Sequence[CheckedTarget], cases: Sequence[TargetCases]
) -> Iterator[CheckFinding]:
    for checked in targets:
        own = [each for each in cases if each.checked is checked]
        yield from check_listing(checked, is_measured=any(each.positive for each in own))
        yield from check_text(checked)
        yield from check_words(checked)
        yield from check_name(checked)
        yield from check_quotes(checked, own)
    yield from check_overlap(targets)
    yield from check_names(targets)
    yield from check_room(targets)


def _place(finding: CheckFinding) -> tuple[str, int, str, str]:
    return finding.path.as_posix(), finding.line or 0, finding.rule, finding.message
