import re
from dataclasses import replace

import pytest

from skillwalker.datatypes.inputs import Finding, ListingPlace
from skillwalker.datatypes.recorded import RecordedRun
from skillwalker.datatypes.vocabulary import Severity, Verdict
from skillwalker.report.ci.github import annotations
from tests.hostile import hostile
from tests.recorded_runs import everywhere, plain_run, run_on_two_models

COMMAND = re.compile(r"::(notice|warning|error) file=([^,:]+)(?:,line=(\d+))?,title=([^,:]*)::(.*)")


def told(run: RecordedRun, *, line: int | None = 3) -> list[tuple[str | None, ...]]:
    commands = annotations(run, file="a/SKILL.md", line=line, next_command="skillwalker apply X")
    found = [COMMAND.fullmatch(command) for command in commands]
    assert all(found)
    return [match.groups() for match in found if match]


def test_the_outcome_and_the_failed_cases_stand_on_the_line_of_the_description() -> None:
    outcome, failed = told(plain_run())
    assert outcome[:4] == ("notice", "a/SKILL.md", "3", "demo%3Areview")
    assert "improved, balanced accuracy +25 points (90 %25 interval" in str(outcome[4])
    assert "Next: skillwalker apply X" in str(outcome[4])
    assert failed[0] == "warning"
    assert "1 of 4 cases fail as the file stands: asks for a review" in str(failed[4])


def test_without_a_line_they_stand_on_the_file() -> None:
    assert {command[2] for command in told(plain_run(), line=None)} == {None}


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "notice")],
)
def test_findings_have_their_own_line(severity: Severity, level: str) -> None:
    run = plain_run()
    place = run.summary.listing
    assert isinstance(place, ListingPlace)
    finding = Finding(rule="cut", severity=severity, line=7, message="it is cut")
    listed = replace(place.listed, findings=(finding,) * 20)
    summary = replace(run.summary, listing=replace(place, listed=listed))
    commands = told(replace(run, summary=summary))
    assert (level, "a/SKILL.md", "7", "demo%3Areview", "it is cut") in commands
    assert len(commands) <= 10  # what GitHub shows of a step


def test_an_inconclusive_run_warns_and_a_simulated_one_says_so() -> None:
    run = plain_run()
    summary = replace(run.summary, verdict=Verdict.INCONCLUSIVE, simulated=True)
    outcome, *_ = told(replace(run, summary=summary))
    assert outcome[0] == "warning"
    assert str(outcome[3]).startswith("SIMULATED")


@hostile
def test_hostile_texts_begin_no_other_command(text: str) -> None:
    commands = annotations(everywhere(plain_run(), text), file=text, line=1, next_command=text)
    for command in commands:
        assert "\n" not in command
        assert "\r" not in command
        assert "\x1b" not in command
        assert re.match(r"::(notice|warning) file=[^,:]*,line=1,title=[^,:]*::", command)
        assert not re.search("%(?!25|0A|0D|3A|2C)", command)


def test_a_case_on_two_models_is_counted_once() -> None:
    failed = str(told(run_on_two_models())[1][4])
    assert failed.startswith("4 of 8 (4 cases on each of 2 models) fail as the file stands: ")
    assert failed.endswith(": asks for a review; wants a second look")
