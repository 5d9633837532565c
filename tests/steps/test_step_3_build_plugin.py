import dataclasses
import json
from pathlib import Path

import pytest

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import EngineUnavailableError, TargetError
from skillwalker.steps.step_3_build_plugin import NOOP_BODY, build_plugin
from skillwalker.targets.file import list_target, read_target
from skillwalker.targets.names import description_hash, listed_at, siblings

SKILL = """---
name: code-review
# why this text: see the wiki
description: 'Reviews code: yours and mine.'
when_to_use: Before a merge.
allowed-tools:
  - Bash
  - Read
hooks:
  PreToolUse: x
context: fork
model: opus
user-invocable: false
license: MIT
---
# Review
Do much work.
"""
AGENT = """---
name: gaps
description: Finds gaps.
tools: Read, Grep
model: opus
color: red
---
Do much work.
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    for name, text in (
        (".claude-plugin/plugin.json", '{"name": "démo"}'),
        ("skills/code-review/SKILL.md", SKILL),
        ("skills/other/SKILL.md", SKILL.replace("code-review", "other")),
        ("agents/gaps.md", AGENT),
    ):
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "source"


def skill_of(plugin: Path) -> Target:
    return read_target(plugin / "skills/code-review/SKILL.md", TargetKind.SKILL)


def test_the_copy_lists_as_the_file_does_under_the_candidate(plugin: Path, tmp_path: Path) -> None:
    target = skill_of(plugin)
    text = 'Reviews "diffs": now # and later.'
    built = build_plugin(target, text, rivals=(), into=tmp_path)
    copy = read_target(built.plugin_dirs[0] / "skills/code-review/SKILL.md", TargetKind.SKILL)
    assert copy.description == text
    before, after = list_target(target), list_target(copy)
    assert (after.name, after.alias) == (before.name, before.alias)
    assert after.text == f"{text} - Before a merge."


def test_what_could_do_work_stays_out_and_the_rest_keeps_its_bytes(
    plugin: Path, tmp_path: Path
) -> None:
    target = skill_of(plugin)
    built = build_plugin(target, target.description, rivals=(), into=tmp_path)
    copy = (built.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
    for gone in ("allowed-tools", "Bash", "hooks", "PreToolUse", "context", "opus", "Do much work"):
        assert gone not in copy
    for kept in (
        "description: 'Reviews code: yours and mine.'\n",
        "when_to_use: Before a merge.\n",
        "user-invocable: false\n",
        NOOP_BODY,
    ):
        assert kept in copy


def test_rivals_stand_beside_the_target_with_their_own_texts(plugin: Path, tmp_path: Path) -> None:
    target = skill_of(plugin)
    built = build_plugin(target, "A new text for it.", rivals=siblings(target), into=tmp_path)
    root = built.plugin_dirs[0]
    other = read_target(root / "skills/other/SKILL.md", TargetKind.SKILL)
    gaps = (root / "agents/gaps.md").read_text("utf-8")
    assert other.description == "Reviews code: yours and mine."
    assert "tools: Read, Grep\n" in gaps
    assert "model" not in gaps
    assert NOOP_BODY in gaps
    manifest = json.loads((root / ".claude-plugin/plugin.json").read_text("utf-8"))
    assert manifest["name"] == "démo"


def test_a_rival_that_is_listed_by_its_heading_keeps_that_line_once(
    plugin: Path, tmp_path: Path
) -> None:
    keys, body = (
        "name: other\nwhen_to_use: Before a release.\n",
        "# Cuts releases\n\nDo much work.\n",
    )
    original = plugin / "skills/other/SKILL.md"
    original.write_text(f"---\n{keys}model: opus\n---\n\n{body}", "utf-8")
    target = skill_of(plugin)
    built = build_plugin(target, target.description, rivals=siblings(target), into=tmp_path)
    copy = built.plugin_dirs[0] / "skills/other/SKILL.md"
    assert copy.read_text("utf-8") == f"---\n{keys}---\n# Cuts releases\n\n\n{NOOP_BODY}\n"
    listed = [list_target(read_target(path, TargetKind.SKILL)).text for path in (original, copy)]
    assert listed == ["Cuts releases - Before a release."] * 2


def test_a_project_skill_is_laid_out_as_a_project(tmp_path: Path) -> None:
    path = tmp_path / "home/.claude/skills/local/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(SKILL.replace("code-review", "local"), "utf-8")
    target = read_target(path, TargetKind.SKILL)
    assert target.position is Position.PROJECT
    built = build_plugin(target, target.description, rivals=(), into=tmp_path / "home")
    assert built.plugin_dirs == ()
    assert built.project_dir is not None
    assert (built.project_dir / ".claude/skills/local/SKILL.md").is_file()


def test_the_listing_key_tells_what_is_shown(plugin: Path, tmp_path: Path) -> None:
    target = skill_of(plugin)
    folders = [tmp_path / name for name in "abcd"]
    for folder in folders:
        folder.mkdir()
    texts = ("One text for it.", "One text for it.", "Another text for it.")
    same, again, other = (
        build_plugin(target, text, rivals=(), into=folder)
        for text, folder in zip(texts, folders, strict=False)
    )
    crowded = build_plugin(target, texts[0], rivals=siblings(target), into=folders[3])
    assert same.listing_key == again.listing_key
    assert len({same.listing_key, other.listing_key, crowded.listing_key}) == 3


def test_a_text_that_cannot_be_written_is_refused(plugin: Path, tmp_path: Path) -> None:
    content = plugin / "skills/code-review/SKILL.md"
    content.write_text("---\nname: code-review\ndescription:\n  - a\n  - b\n---\n", "utf-8")
    target = dataclasses.replace(skill_of(plugin), description="")
    with pytest.raises(TargetError):
        build_plugin(target, "Some text for a list.", rivals=(), into=tmp_path)


def test_a_full_disk_is_told_with_the_place(plugin: Path, tmp_path: Path) -> None:
    target = skill_of(plugin)
    copy = tmp_path / "copies" / description_hash(target.description)
    (copy / ".claude-plugin").mkdir(parents=True)
    (copy / ".claude-plugin" / "plugin.json").symlink_to("/dev/full")
    with pytest.raises(EngineUnavailableError, match=r"plugin\.json: .*No space left.*TMPDIR"):
        build_plugin(target, target.description, rivals=(), into=tmp_path / "copies")


OTHER = "skills/rewriter/SKILL.md"


def write_other(root: Path, name: str = "other") -> Path:
    """Write another plugin with one skill."""
    path = root / name / OTHER
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: rewriter\ndescription: Rewrites texts.\n---\nWork.\n", "utf-8")
    return root / name


def test_a_rival_of_another_plugin_keeps_its_plugin(plugin: Path, tmp_path: Path) -> None:
    target = skill_of(plugin)
    rivals = (*siblings(target), *listed_at(write_other(tmp_path)))
    built = build_plugin(target, target.description, rivals=rivals, into=tmp_path)
    own, other = built.plugin_dirs
    assert (own / "skills/other/SKILL.md").is_file()
    copied = read_target(other / OTHER, TargetKind.SKILL)
    assert (copied.id, copied.description) == ("other:rewriter", "Rewrites texts.")
    assert NOOP_BODY in (other / OTHER).read_text("utf-8")
    alone = build_plugin(target, target.description, rivals=(), into=tmp_path / "source")
    assert alone.listing_key != built.listing_key
    again = build_plugin(target, target.description, rivals=rivals, into=tmp_path)
    assert again.listing_key == built.listing_key


def test_a_rival_under_the_targets_own_name_does_not_replace_it(
    plugin: Path, tmp_path: Path
) -> None:
    target = skill_of(plugin)
    double = dataclasses.replace(target, content=SKILL.replace("yours", "theirs").encode())
    built = build_plugin(target, target.description, rivals=(double,), into=tmp_path)
    copy = (built.plugin_dirs[0] / "skills/code-review/SKILL.md").read_text("utf-8")
    assert "yours" in copy
