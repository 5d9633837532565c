"""The plugins that come with Skillwalker load, and hold what a team would install them for."""

import json
import re

import pytest

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.targets.file import list_target
from skillwalker.targets.known import known_targets
from tests.content.places import PLACES, PROJECT

each_target = pytest.mark.parametrize(
    "target",
    [target for kind in TargetKind for target in known_targets(PLACES, kind)],
    ids=lambda target: target.id,
)


def test_three_plugins_hold_eight_skills_and_three_agents() -> None:
    assert {folder.name for folder in PLACES.plugin_folders()} == {
        "engineering",
        "data-tools",
        "skillwalker",
    }
    assert len(known_targets(PLACES, TargetKind.SKILL)) == 8
    assert len(known_targets(PLACES, TargetKind.AGENT)) == 3


@each_target
def test_claude_code_lists_every_skill_and_agent_with_its_own_text(target: Target) -> None:
    listed = list_target(target)
    assert target.position is Position.PLUGIN
    assert listed.listed
    assert listed.text
    assert listed.name == target.id
    assert listed.alias is None


@each_target
def test_body_is_a_page_of_instructions(target: Target) -> None:
    assert 40 <= len(target.body.strip().splitlines()) <= 120


@each_target
def test_the_readme_of_the_plugin_names_it(target: Target) -> None:
    assert target.plugin is not None
    readme = PROJECT / "plugins" / target.plugin / "README.md"
    assert f"`{target.name}`" in readme.read_text(encoding="utf-8")


@pytest.mark.parametrize("plugin", ["engineering", "data-tools", "skillwalker"])
def test_manifest_has_what_a_marketplace_shows(plugin: str) -> None:
    path = PROJECT / "plugins" / plugin / ".claude-plugin" / "plugin.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["name"] == plugin
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["version"])
    assert manifest["description"]
    assert manifest["author"]["name"]
