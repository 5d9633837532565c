import json
from pathlib import Path

import pytest

from skillwalker.errors import ConfigError
from skillwalker.paths import open_places
from skillwalker.settings import Settings
from skillwalker.starting.plugin_dirs import find_plugin_dirs
from skillwalker.starting.start import find_targets
from tests.projects import SKILL, write


def dirs(root: Path) -> tuple[str, ...]:
    places = open_places(root, Settings(), root / "home")
    return find_plugin_dirs(root, find_targets(places, None))[0]


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("SKILL.md", (".",)),
        ("pdf/SKILL.md", (".",)),
        ("skills/pdf/SKILL.md", (".",)),
        ("lots/pdf/SKILL.md", ("lots",)),
        ("tools/mine/skills/pdf/SKILL.md", ("tools/mine",)),
        ("tools/mine/agents/auditor.md", ("tools/mine",)),
        ("plugins/mine/skills/pdf/SKILL.md", ()),
        (".claude/skills/pdf/SKILL.md", ()),
        ("packages/web/.claude/skills/pdf/SKILL.md", ()),
    ],
)
def test_the_folder_that_must_be_named(tmp_path: Path, file: str, wanted: tuple[str, ...]) -> None:
    root = tmp_path / "p"
    write(root / file, SKILL.format(name="x"))
    assert dirs(root) == wanted


def test_skills_in_scaffolds_and_runs_are_nobodys(tmp_path: Path) -> None:
    write(tmp_path / "mine/SKILL.md", SKILL.format(name="x"))
    write(tmp_path / "evals/s/scaffolds/a/skills/x/SKILL.md", SKILL.format(name="x"))
    write(tmp_path / "output/1/skills/x/SKILL.md", SKILL.format(name="x"))
    assert dirs(tmp_path) == (".",)


def marketplace(root: Path, *sources: object, **more: object) -> None:
    plugins = [{"name": f"p{number}", "source": s} for number, s in enumerate(sources)]
    text = json.dumps({"name": "m", "owner": {"name": "o"}, "plugins": plugins, **more})
    write(root / ".claude-plugin/marketplace.json", text)


def test_a_marketplace_names_its_plugins(tmp_path: Path) -> None:
    for folder in ("tools/one", "tools/two"):
        write(tmp_path / folder / "skills/x/SKILL.md", SKILL.format(name="x"))
    write(tmp_path / "plugins/three/skills/x/SKILL.md", SKILL.format(name="x"))
    marketplace(tmp_path, "./tools/two", "./plugins/three", "./tools/one")
    assert dirs(tmp_path) == ("tools/two", "tools/one")


def test_a_marketplace_may_have_a_root(tmp_path: Path) -> None:
    write(tmp_path / "tools/one/skills/x/SKILL.md", SKILL.format(name="x"))
    marketplace(tmp_path, "one", metadata={"pluginRoot": "./tools"})
    assert dirs(tmp_path) == ("tools/one",)


@pytest.mark.parametrize(
    "source",
    [{"source": "github", "repo": "a/b"}, "../out", "/etc", "https://x.test/a.git", "./gone", 3],
    ids=str,
)
def test_a_plugin_of_elsewhere_is_noted(tmp_path: Path, source: object) -> None:
    marketplace(tmp_path, source)
    assert find_plugin_dirs(tmp_path, ()) == (
        (),
        (".claude-plugin/marketplace.json: the plugin p0 is not in this folder",),
    )


def test_a_manifest_that_is_no_json_is_refused(tmp_path: Path) -> None:
    write(tmp_path / ".claude-plugin/marketplace.json", "{")
    with pytest.raises(ConfigError, match=r"marketplace\.json: cannot be read"):
        find_plugin_dirs(tmp_path, ())
