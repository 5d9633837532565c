import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.targets.file import (
    layout_path,
    list_target,
    read_target,
    require_triggerable,
    yaml_text,
)
from tests.project_files import TEXT, manifest, skill_file, write_files

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"---\ndescription: plain\n---\nbody", "plain"),
        (b"\xef\xbb\xbf---\ndescription: with a BOM\n---\n", "with a BOM"),
        (b"---\r\ndescription: lines\r\n---\r\n", "lines"),
        (b"---\ndescription: cut # here\n---\n", "cut"),
        (b"---\ndescription: >\n  folded\n  text\n---\n", "folded text\n"),
        (b"---\ndescription: is: no YAML\n---\n", None),
        (b"---\ndescription: 42\n---\n", None),
        (b"---\ndescription: 2026-13-99\n---\n", None),
        (b"---\ndescription: [a, b]\n---\n", None),
        (b"---\n- a list\n---\n", None),
        (b"---\nname: x\n---\n", None),
        (b"---\ndescription: a\nwhen: 2026-02-30\n---\n", None),
        (b"---\n{{}: 1, [a]: 2}\n---\n", None),
        (b"---\ndescription: \xff bad\n---\n", "\ufffd bad"),
        (b"---\ndescription: " + b"9" * 6_000 + b"\n---\n", None),
        (b"---\ndescription: " + b"[" * 20_000 + b"\n---\n", None),
        (b"no frontmatter", None),
        (b"", None),
    ],
    ids=lambda value: ascii(value)[:36],
)
def test_a_plain_yaml_reading(content: bytes, text: str | None) -> None:
    assert yaml_text(content) == text


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80), st.sampled_from([b"", b"---\n", b"---\ndescription: "]))
def test_any_bytes_have_a_yaml_reading_or_none(content: bytes, start: bytes) -> None:
    text = yaml_text(start + content + b"\n---\n")
    assert text is None or isinstance(text, str)


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=120), kind=st.sampled_from(TargetKind))
def test_any_file_can_be_read_and_listed(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: TargetKind
) -> None:
    path = tmp_path_factory.getbasetemp() / "demo" / kind / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"---\n" + content)
    for position in Position:
        target = read_target(path, kind, position)
        assert target.content == b"---\n" + content
        list_target(target)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda _: None, "does not exist"),
        (Path.mkdir, "is not a regular file"),
        (os.mkfifo, "is not a regular file"),
        (lambda path: path.symlink_to(path), "is a link that leads back to itself"),
        (lambda path: path.symlink_to("gone"), "is a link to gone, where nothing is"),
    ],
    ids=["missing", "folder", "pipe", "loop", "dead-link"],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "skills" / "a" / "SKILL.md"
    path.parent.mkdir(parents=True)
    make(path)
    with pytest.raises(TargetError, match=words) as caught:
        read_target(path, SKILL)
    assert str(path) in str(caught.value)


def test_a_skill_that_claude_code_does_not_look_for_is_not_listed(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "demo/skills/group/a/SKILL.md": skill_file(),
            "demo/skills/b/SKILL.md": skill_file(),
            "loose/c/SKILL.md": skill_file(),
        },
    )
    nested = list_target(read_target(tmp_path / "demo/skills/group/a/SKILL.md", SKILL))
    assert (nested.listed, nested.text) == (False, None)
    assert nested.findings[0].rule == "not-loaded"
    assert "skills/<name>/SKILL.md" in nested.findings[0].message
    for path in ("demo/skills/b/SKILL.md", "loose/c/SKILL.md"):
        assert list_target(read_target(tmp_path / path, SKILL)).listed


def test_a_plugin_that_is_one_skill_is_named_by_its_frontmatter(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "one/.claude-plugin/plugin.json": manifest("single"),
            "one/SKILL.md": skill_file(name="the-name"),
            "two/.claude-plugin/plugin.json": manifest("many", skills="./mine/beta"),
            "two/mine/beta/SKILL.md": skill_file(name="fm-name"),
            "three/.claude-plugin/plugin.json": manifest("plain"),
            "three/SKILL.md": skill_file(),
        },
    )
    for path, name in (
        ("one/SKILL.md", "single:the-name"),
        ("two/mine/beta/SKILL.md", "many:fm-name"),
        ("three/SKILL.md", "plain:three"),
    ):
        target = read_target(tmp_path / path, SKILL)
        listed = list_target(target)
        assert (target.id, listed.name, listed.text) == (name, name, TEXT)
        assert listed.path == target.path
        assert layout_path(target).as_posix() == f"skills/{target.name}/SKILL.md"


def test_an_agent_in_a_subfolder_carries_its_name(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "demo/agents/sub/file.md": skill_file(name="deep"),
            ".claude/agents/sub/file.md": skill_file(name="deep"),
        },
    )
    in_plugin = read_target(tmp_path / "demo/agents/sub/file.md", AGENT)
    in_project = read_target(tmp_path / ".claude/agents/sub/file.md", AGENT)
    assert list_target(in_plugin).name == "demo:sub:deep"
    assert list_target(in_project).name == "deep"
    assert layout_path(in_plugin).as_posix() == "agents/sub/file.md"
    assert layout_path(in_project).as_posix() == ".claude/agents/sub/file.md"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (skill_file(more="disable-model-invocation: true\n"), "disable-model-invocation: true"),
        (skill_file(""), "add the line 'description:"),
        ("no frontmatter\n", "add the line 'description:"),
    ],
    ids=["switched-off", "no-description", "no-frontmatter"],
)
@pytest.mark.parametrize("folder", ["demo", ".claude"])
def test_a_skill_that_can_never_trigger_is_refused(
    tmp_path: Path, folder: str, text: str, words: str
) -> None:
    write_files(tmp_path, {f"{folder}/skills/a/SKILL.md": text})
    target = read_target(tmp_path / folder / "skills/a/SKILL.md", SKILL)
    with pytest.raises(TargetError, match="can never trigger") as caught:
        require_triggerable(target)
    assert words in str(caught.value)
    assert str(target.path) in str(caught.value)


def test_a_skill_with_a_description_can_trigger(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "demo/skills/a/SKILL.md": skill_file(more="disable-model-invocation: false\n"),
            "demo/agents/b.md": skill_file(more="disable-model-invocation: true\n"),
        },
    )
    require_triggerable(read_target(tmp_path / "demo/skills/a/SKILL.md", SKILL))
    require_triggerable(read_target(tmp_path / "demo/agents/b.md", AGENT))


def test_a_nested_skill_can_never_trigger(tmp_path: Path) -> None:
    write_files(tmp_path, {"demo/skills/group/a/SKILL.md": skill_file()})
    with pytest.raises(TargetError, match="does not load a skill from here"):
        require_triggerable(read_target(tmp_path / "demo/skills/group/a/SKILL.md", SKILL))
