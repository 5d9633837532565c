from pathlib import Path

import pytest

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.targets.place import DEEPEST_AGENT, files_of, find_files, kind_of, place_of
from tests.project_files import manifest, skill_file, write_files

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


@pytest.mark.parametrize(
    ("path", "position", "plugin", "root"),
    [
        ("plugins/demo/skills/a/SKILL.md", Position.PLUGIN, "demo", "plugins/demo"),
        ("plugins/named/skills/a/SKILL.md", Position.PLUGIN, "other-name", "plugins/named"),
        ("plugins/demo/skills/group/a/SKILL.md", Position.PLUGIN, "demo", "plugins/demo"),
        ("plugins/demo/skills/skills/SKILL.md", Position.PLUGIN, "demo", "plugins/demo"),
        ("plugins/named/custom/a/SKILL.md", Position.PLUGIN, "other-name", "plugins/named"),
        ("plugins/named/SKILL.md", Position.PLUGIN, "other-name", "plugins/named"),
        ("loose/a/SKILL.md", Position.PLUGIN, "loose", "loose"),
        ("プラグ/skills/レビュー/SKILL.md", Position.PLUGIN, "プラグ", "プラグ"),
        (".claude/skills/a/SKILL.md", Position.PROJECT, None, ".claude"),
        (".claude/loose/SKILL.md", Position.PROJECT, None, ".claude"),
        (".claude/worktrees/w/plugins/demo/skills/a/SKILL.md", Position.PLUGIN, "demo", None),
        ("plugins/demo/agents/a.md", Position.PLUGIN, "demo", "plugins/demo"),
        ("plugins/demo/agents/sub/a.md", Position.PLUGIN, "demo", "plugins/demo"),
        (".claude/agents/a.md", Position.PROJECT, None, ".claude"),
        (".claude/agents/sub/a.md", Position.PROJECT, None, ".claude"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_folders_above_a_file_say_where_it_stands(
    tmp_path: Path, path: str, position: Position, plugin: str | None, root: str | None
) -> None:
    write_files(tmp_path, {"plugins/named/.claude-plugin/plugin.json": manifest("other-name")})
    file = tmp_path / path
    place = place_of(file, kind_of(file))
    assert (place.position, place.plugin) == (position, plugin)
    assert root is None or place.root == tmp_path / root


def test_a_said_position_overrides_the_folders(tmp_path: Path) -> None:
    inside = tmp_path / ".claude" / "skills" / "a" / "SKILL.md"
    outside = tmp_path / "demo" / "skills" / "a" / "SKILL.md"
    assert place_of(inside, SKILL, Position.PLUGIN).plugin == tmp_path.name
    assert place_of(outside, SKILL, Position.PROJECT).plugin is None


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"name": 5}', '{"name": ""}', "\ufeff{}", "[" * 100_000],
    ids=["cut", "list", "number", "empty", "bom", "deep"],
)
def test_a_wrong_manifest_leaves_the_folder_s_name(tmp_path: Path, text: str) -> None:
    write_files(tmp_path, {"demo/.claude-plugin/plugin.json": text})
    assert place_of(tmp_path / "demo/skills/a/SKILL.md", SKILL).plugin == "demo"
    assert files_of(tmp_path / "demo", SKILL) == ()


def relative(root: Path, files: tuple[Path, ...]) -> list[str]:
    return [file.relative_to(root).as_posix() for file in files]


def test_a_plugin_s_files_are_those_that_claude_code_loads(tmp_path: Path) -> None:
    text = skill_file()
    write_files(
        tmp_path,
        {
            "skills/alpha/SKILL.md": text,
            "skills/group/beta/SKILL.md": text,
            "skills/lower/skill.md": text,
            "skills/loose.md": text,
            "SKILL.md": text,
            "agents/one.md": text,
            "agents/sub/two.md": text,
            "agents/UP.MD": text,
            "agents/notes.txt": text,
        },
    )
    (tmp_path / "skills" / "linked").symlink_to(tmp_path / "skills" / "alpha")
    assert relative(tmp_path, files_of(tmp_path, SKILL)) == [
        "skills/alpha/SKILL.md",
        "skills/linked/SKILL.md",
    ]
    assert relative(tmp_path, files_of(tmp_path, AGENT)) == [
        "agents/UP.MD",
        "agents/one.md",
        "agents/sub/two.md",
    ]


def test_a_skills_folder_that_is_a_skill_hides_the_skills_in_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"skills/SKILL.md": skill_file(), "skills/x/SKILL.md": skill_file()})
    assert relative(tmp_path, files_of(tmp_path, SKILL)) == ["skills/SKILL.md"]


def test_a_plugin_can_be_one_skill(tmp_path: Path) -> None:
    write_files(tmp_path, {"SKILL.md": skill_file(), "agents/q.md": skill_file()})
    assert relative(tmp_path, files_of(tmp_path, SKILL)) == ["SKILL.md"]
    (tmp_path / "skills").mkdir()
    assert files_of(tmp_path, SKILL) == ()


def test_a_manifest_adds_skills_and_replaces_agents(tmp_path: Path) -> None:
    named = manifest(
        "demo", skills=["./mine/beta", "./other", "../out", "/abs", 5], agents="./bots/a.md"
    )
    write_files(
        tmp_path,
        {
            "p/.claude-plugin/plugin.json": named,
            "p/skills/alpha/SKILL.md": skill_file(),
            "p/mine/beta/SKILL.md": skill_file(),
            "p/other/gamma/SKILL.md": skill_file(),
            "out/delta/SKILL.md": skill_file(),
            "p/bots/a.md": skill_file(),
            "p/bots/b.md": skill_file(),
            "p/agents/c.md": skill_file(),
        },
    )
    assert relative(tmp_path / "p", files_of(tmp_path / "p", SKILL)) == [
        "skills/alpha/SKILL.md",
        "mine/beta/SKILL.md",
        "other/gamma/SKILL.md",
    ]
    assert relative(tmp_path / "p", files_of(tmp_path / "p", AGENT)) == ["bots/a.md"]


def test_a_folder_linked_to_itself_ends(tmp_path: Path) -> None:
    write_files(tmp_path, {"agents/a.md": skill_file()})
    (tmp_path / "agents" / "self").symlink_to(tmp_path / "agents")
    files = files_of(tmp_path, AGENT)
    assert files[0] == tmp_path / "agents" / "a.md"
    assert len(files) == 1 + DEEPEST_AGENT


def test_a_search_finds_skills_and_agents_but_no_skill_s_inner_files(tmp_path: Path) -> None:
    text = skill_file()
    write_files(
        tmp_path,
        {
            "README.md": text,
            ".claude/skills/a/SKILL.md": text,
            ".claude/agents/b.md": text,
            "plugins/demo/skills/group/c/SKILL.md": text,
            "plugins/demo/skills/c2/SKILL.md": text,
            "plugins/demo/skills/c2/agents/inner.md": text,
            "plugins/demo/agents/sub/d.md": text,
            "node_modules/x/skills/e/SKILL.md": text,
        },
    )
    found = [(path.relative_to(tmp_path).as_posix(), kind) for path, kind in find_files(tmp_path)]
    assert found == [
        (".claude/agents/b.md", AGENT),
        (".claude/skills/a/SKILL.md", SKILL),
        ("plugins/demo/agents/sub/d.md", AGENT),
        ("plugins/demo/skills/c2/SKILL.md", SKILL),
        ("plugins/demo/skills/group/c/SKILL.md", SKILL),
    ]
    assert [path.name for path, _ in find_files(tmp_path / ".claude" / "agents")] == ["b.md"]


def test_a_folder_named_agents_above_the_search_makes_no_agents(tmp_path: Path) -> None:
    write_files(tmp_path, {"agents/work/notes.md": "notes", "agents/work/skills/a/SKILL.md": "x"})
    assert [kind for _, kind in find_files(tmp_path / "agents" / "work")] == [SKILL]


def test_the_topmost_folder_gives_a_plugin_no_name() -> None:
    assert place_of(Path("/log/SKILL.md"), SKILL).plugin == "log"
