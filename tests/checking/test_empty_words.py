from pathlib import Path

import pytest

from skillwalker.checking.empty_words import check_words
from skillwalker.checking.findings import CheckedTarget, CheckFinding
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.targets.file import list_target, read_target
from tests.project_files import skill_file, write_files


def found_in(tmp_path: Path, description: str) -> tuple[CheckFinding, ...]:
    write_files(tmp_path, {"demo/skills/a/SKILL.md": skill_file(f'"{description}"')})
    target = read_target(tmp_path / "demo/skills/a/SKILL.md", TargetKind.SKILL)
    return tuple(check_words(CheckedTarget(target=target, listed=list_target(target))))


@pytest.mark.parametrize(
    "description",
    [
        "TODO describe when to use this skill",
        "TODO",
        "[TODO] say what it is for",
        "todo: the description of releases",
        "TODO(anna): releases and changelogs",
        "FIXME - write about releases",
        "TBD",
        "TBA, releases probably",
        "Lorem ipsum dolor sit amet",
        "Your description here",
        "Placeholder for the release skill",
    ],
)
def test_what_was_to_be_written_later_is_found(tmp_path: Path, description: str) -> None:
    (finding,) = found_in(tmp_path, description)
    assert finding.rule == "says-nothing"
    assert "to be written later" in finding.message
    assert finding.line is not None


@pytest.mark.parametrize(
    "description",
    [
        "Helps with things and stuff in general.",
        "A useful tool for many different tasks.",
        "Use this skill whenever the user needs help with something.",
    ],
)
def test_words_without_a_subject_are_found(tmp_path: Path, description: str) -> None:
    (finding,) = found_in(tmp_path, description)
    assert "names no subject" in finding.message


@pytest.mark.parametrize(
    "description",
    [
        "TODO comments in code are collected into a list.",
        "TODO-list upkeep: moves what is done to the archive.",
        "Finds TODO and FIXME marks before a release.",
        "Helps with things like invoices.",
        "Fills pages with placeholder text such as lorem-ipsum.",
        "根据提交记录撰写每周工作总结。",
        "Hilft bei allem.",
        "1.2.3",
    ],
)
def test_words_with_a_subject_are_left_alone(tmp_path: Path, description: str) -> None:
    assert found_in(tmp_path, description) == ()
