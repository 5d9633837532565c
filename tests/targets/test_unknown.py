from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.names import resolve_either, resolve_target
from skillwalker.targets.unknown import MOST_NAMED
from tests.project_files import places_of, skill_file, write_files

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


@pytest.fixture
def places(tmp_path: Path) -> Places:
    names = [f"a{number:02}" for number in range(MOST_NAMED)]
    write_files(
        tmp_path,
        {
            **{f"plugins/data/skills/{name}/SKILL.md": skill_file() for name in names},
            "plugins/devops/skills/log-triage/SKILL.md": skill_file(),
            "plugins/devops/agents/release-captain.md": skill_file(),
            "plugins/web/skills/css-fix/SKILL.md": skill_file(),
            "plugins/web/skills/lowercase/skill.md": skill_file(),
            "plugins/web/skills/loose.md": skill_file(),
            "plugins/web/skills/folder/SKILL.md/x": "",
        },
    )
    return places_of(tmp_path)


def message(places: Places, written: str, kind: TargetKind | None = None) -> str:
    with pytest.raises(TargetError) as caught:
        resolve_target(written, kind, places) if kind else resolve_either(written, places)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "kind", "start"),
    [
        (
            "log-triage",
            None,
            'there is no skill or agent "log-triage"; did you mean "devops:log-triage"?',
        ),
        (
            "web:lowercase",
            SKILL,
            'there is no skill "web:lowercase": plugins/web/skills/lowercase/skill.md is not named'
            " SKILL.md, so Claude Code does not load it; rename it (known skills: web:css-fix,",
        ),
        (
            "web:loose",
            None,
            'there is no skill or agent "web:loose": a skill is a folder; move'
            " plugins/web/skills/loose.md to plugins/web/skills/loose/SKILL.md (known",
        ),
        (
            "web:folder",
            SKILL,
            'there is no skill "web:folder": plugins/web/skills/folder/SKILL.md is a folder; write',
        ),
        (
            "devops:release-captain",
            SKILL,
            'there is no skill "devops:release-captain"; "devops:release-captain" is an agent',
        ),
        (
            "log-triage",
            AGENT,
            'there is no agent "log-triage"; "devops:log-triage" is a skill (known agents: devops:',
        ),
        ("web:zzz", SKILL, 'there is no skill "web:zzz"; known: web:css-fix, data:a00, data:a01,'),
        ("user:zzz", SKILL, 'there is no skill "user:zzz"; ~/.claude has no skills yet'),
    ],
)
def test_a_name_of_nothing_is_told_what_is_nearest(
    places: Places, written: str, kind: TargetKind | None, start: str
) -> None:
    said = message(places, written, kind)
    assert said.startswith(start)
    assert len(said) < 350


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("plugins/web/skills/css-fx", 'project; did you mean "web:css-fix"?'),
        ("plugins/web/skills/lowercase", "is not named SKILL.md"),
        ("plugins/web/skills/lowercase/SKILL.md", "is not named SKILL.md"),
        ("plugins/web/skills/gone", "there is no skill or agent at "),
    ],
)
def test_a_path_to_nothing_is_told_so_too(places: Places, written: str, words: str) -> None:
    assert words in message(places, written)


def test_of_many_targets_some_are_named_and_the_rest_counted(places: Places) -> None:
    said = message(places, "web:zzz", SKILL)
    assert said.endswith(f", … {MOST_NAMED + 2} in all; see 'skillwalker show'")
    assert said.count("data:") == MOST_NAMED - 1


def test_either_kind_is_found_by_name_and_by_path(places: Places) -> None:
    write_files(places.project, {"plugins/web/agents/css-fix.md": skill_file()})
    for written, kinds in (
        ("web:css-fix", [SKILL, AGENT]),
        ("plugins/web/skills/css-fix", [SKILL]),
        ("plugins/web/skills/css-fix/SKILL.md", [SKILL]),
        ("plugins/web/agents/css-fix.md", [AGENT]),
    ):
        assert [target.kind for target in resolve_either(written, places)] == kinds
