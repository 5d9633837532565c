import json
from pathlib import Path

import pytest

from skillwalker.paths import Places
from skillwalker.targets.installed import FAMILIES, find_installed, rooms
from tests.project_files import manifest, places_of, skill_file, write_files


def install(places: Places, plugin: str, files: dict[str, str], **row: object) -> None:
    """Install a plugin as Claude Code does, beside those that are there."""
    root = places.home / f".claude/plugins/cache/{plugin}"
    write_files(root, {".claude-plugin/plugin.json": manifest(plugin), **files})
    record = places.home / ".claude/plugins/installed_plugins.json"
    plugins = json.loads(record.read_text())["plugins"] if record.exists() else {}
    plugins[f"{plugin}@market"] = [{"installPath": str(root), **row}]
    record.write_text(json.dumps({"version": 2, "plugins": plugins}))


def names(places: Places) -> list[str | None]:
    return [each.listed.name for each in find_installed(places)]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return places_of(tmp_path / "project")


def test_the_user_s_the_project_s_and_the_plugins_in_the_order_of_the_listing(
    places: Places,
) -> None:
    install(places, "zoo", {"skills/feed/SKILL.md": skill_file()})
    install(places, "art", {"skills/draw/SKILL.md": skill_file(), "agents/see.md": skill_file()})
    write_files(places.home, {".claude/skills/mine/SKILL.md": skill_file()})
    write_files(places.project, {".claude/skills/ours/SKILL.md": skill_file()})
    assert names(places) == ["mine", "ours", "art:draw", "zoo:feed", "art:see"]


def test_of_two_named_alike_the_user_s_skill_and_the_project_s_agent_are_listed(
    places: Places,
) -> None:
    for root in (places.home, places.project):
        write_files(
            root,
            {
                ".claude/skills/same/SKILL.md": skill_file(),
                ".claude/agents/same.md": skill_file(name="same"),
            },
        )
    skill, agent = find_installed(places)
    assert skill.target.path.is_relative_to(places.home)
    assert agent.target.path.is_relative_to(places.project)


@pytest.mark.parametrize(
    ("where", "enabled", "listed"),
    [
        ("home", True, ["art:draw"]),
        ("home", False, []),
        ("project", False, []),
    ],
)
def test_a_plugin_that_is_switched_off_is_not_listed(
    places: Places, where: str, enabled: bool, listed: list[str]
) -> None:
    install(places, "art", {"skills/draw/SKILL.md": skill_file()})
    root = places.home if where == "home" else places.project
    text = json.dumps({"enabledPlugins": {"art@market": enabled}})
    write_files(root, {".claude/settings.json": text})
    assert names(places) == listed


def test_a_plugin_of_another_project_is_not_listed(places: Places) -> None:
    skill = {"skills/draw/SKILL.md": skill_file()}
    install(places, "here", skill, scope="local", projectPath=str(places.project))
    install(places, "there", skill, scope="local", projectPath=str(places.project / "other"))
    assert names(places) == ["here:draw"]


@pytest.mark.parametrize("text", ["", "[]", '{"plugins": 3}', "{", '{"plugins": {"a": [{}]}}'])
def test_a_record_that_says_nothing_is_no_plugin(places: Places, text: str) -> None:
    write_files(places.home, {".claude/plugins/installed_plugins.json": text, ".claude.json": text})
    assert names(places) == []


def crowd(places: Places) -> None:
    """Install twenty skills of 500 characters."""
    for at in range(20):
        text = skill_file(f"Skill {at:02}. " + "x" * 490)
        write_files(places.home, {f".claude/skills/s{at:02}/SKILL.md": text})


def test_a_small_listing_names_who_is_there_by_name_only(places: Places) -> None:
    crowd(places)
    new, old, long = rooms(find_installed(places))
    assert [room.model for room in (new, old, long)] == [model for _, model in FAMILIES]
    assert [room.budget_chars for room in (new, old, long)] == [30_000, 8_000, 40_000]
    assert (new.name_only, long.name_only) == ((), ())
    assert old.whole == ("s00", "s01", "s02")
    assert old.name_only == tuple(f"s{at:02}" for at in range(3, 20))


def test_what_is_used_gets_room_first(places: Places) -> None:
    crowd(places)
    usage = {"s19": {"usageCount": 7}, "s11": {"usageCount": 2}, "s12": 5, "s13": {}}
    write_files(places.home, {".claude.json": json.dumps({"skillUsage": usage})})
    found = find_installed(places)
    assert {each.listed.name: each.uses for each in found if each.uses} == {"s19": 7, "s11": 2}
    _, old, _ = rooms(found)
    assert old.whole == ("s19", "s11", "s00")
