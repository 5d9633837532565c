from pathlib import Path

import pytest

from skillwalker.checking.check import check
from skillwalker.checking.findings import CheckFinding
from skillwalker.checking.subjects import at_paths, whole_project
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.errors import TargetError
from tests.project_files import manifest, places_of, skill_file, write_files

SOUND = "Draws maps of towns for people who ask the way."
DEMO = {
    "plugins/demo/.claude-plugin/plugin.json": manifest("demo"),
    "plugins/demo/skills/a/SKILL.md": skill_file(SOUND),
}


def found_in(root: Path, *files: str, **texts: str) -> list[CheckFinding]:
    write_files(root, DEMO | dict.fromkeys(files, "x") | texts)
    return list(check(whole_project(places_of(root))).findings)


@pytest.mark.parametrize(
    ("file", "rule", "at"),
    [
        ("b/notes.txt", "no-skill-file", "b"),
        ("b/SKILL.md/notes.txt", "misnamed", "b/SKILL.md"),
        ("b/skill.md", "misnamed", "b/skill.md"),
    ],
)
def test_a_folder_that_is_no_skill_is_found(tmp_path: Path, file: str, rule: str, at: str) -> None:
    (finding,) = found_in(tmp_path, f"plugins/demo/skills/{file}")
    assert finding.rule == rule
    assert finding.path == tmp_path / "plugins/demo/skills" / at


@pytest.mark.parametrize(
    "file",
    [
        "plugins/demo/skills/_shared/style.txt",
        "plugins/demo/skills/a/scripts/run.py",
        "plugins/demo/src/skills/fencing/moves.txt",
        "plugins/demo/skills/__pycache__/x.pyc",
    ],
)
def test_a_folder_for_other_files_is_left_alone(tmp_path: Path, file: str) -> None:
    assert found_in(tmp_path, file) == []


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("Town_Maps", "the specification of Agent Skills does not"),
        ("town maps", 'Claude sees "demo:town-maps"'),
        ("town-maps", None),
        ("städte", 'Claude sees "demo:st-dte"'),
    ],
)
def test_a_name_is_told_where_it_is_another_elsewhere(
    tmp_path: Path, folder: str, said: str | None
) -> None:
    text = skill_file("Bakes bread when flour is at hand.")
    found = found_in(tmp_path, **{f"plugins/demo/skills/{folder}/SKILL.md": text})
    assert [(each.rule, each.severity) for each in found] == (
        [] if said is None else [("name-form", Severity.INFO)]
    )
    assert said is None or said in found[0].message


def test_a_manifest_that_names_the_plugin_otherwise_is_told(tmp_path: Path) -> None:
    path = "plugins/demo/.claude-plugin/plugin.json"
    (finding,) = found_in(tmp_path, **{path: manifest("show")})
    assert (finding.rule, finding.severity) == ("manifest-name", Severity.INFO)
    assert finding.remedy == 'write "show:NAME" where a target is named'


def test_two_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    other = "plugins/twin/skills/a/SKILL.md"
    write_files(tmp_path, {"plugins/twin/.claude-plugin/plugin.json": manifest("demo")})
    found = found_in(tmp_path, **{other: skill_file(SOUND, more="allowed-tools: Bash\n")})
    (overlap,) = (each for each in found if each.rule == "overlap")
    assert overlap.path == tmp_path / other
    assert str(tmp_path / "plugins/demo/skills/a/SKILL.md") in overlap.message


def test_links_that_lead_in_a_circle_are_called_so(tmp_path: Path) -> None:
    loop = tmp_path / "plugins/demo/skills/b/SKILL.md"
    loop.parent.mkdir(parents=True)
    loop.symlink_to(loop)
    (finding,) = found_in(tmp_path)
    assert finding.rule == "unreadable"
    assert "is a link that leads back to itself" in finding.message
    with pytest.raises(TargetError, match="it is a link that leads back to itself"):
        at_paths([loop], places_of(tmp_path))
