from pathlib import Path

import pytest

from skillwalker.datatypes.inputs import Finding
from skillwalker.datatypes.vocabulary import Position, Severity, TargetKind
from skillwalker.listing.listed import list_file

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT
PLUGIN, PROJECT = Position.PLUGIN, Position.PROJECT


def findings(
    content: str | bytes,
    kind: TargetKind = SKILL,
    position: Position = PLUGIN,
    yaml_text: str | None = None,
) -> tuple[Finding, ...]:
    data = content.encode() if isinstance(content, str) else content
    path = Path("x/SKILL.md" if kind is SKILL else "x.md")
    plugin = "fm" if position is PLUGIN else None
    return list_file(path, data, kind, position, plugin, yaml_text).findings


def a_file(*lines: str) -> str:
    return "\n".join(["---", "name: x", *lines, "---", "# Title", ""])


@pytest.mark.parametrize("kind", TargetKind)
@pytest.mark.parametrize("position", Position)
def test_a_good_file_has_no_findings(kind: TargetKind, position: Position) -> None:
    content = a_file('description: "Reviews code: no \\\\d." # why', "model: opus")
    assert findings(content, kind, position, "Reviews code: no \\d.") == ()


@pytest.mark.parametrize(
    ("content", "kind", "position", "rule", "line", "words"),
    [
        pytest.param(
            a_file("description: x", "disable-model-invocation: true", "user-invocable: false"),
            SKILL, PLUGIN, "unreachable", 4, "neither Claude nor the user", id="both switched off",
        ),
        pytest.param("# T\n", SKILL, PLUGIN, "not-loaded", None, "no frontmatter", id="nothing"),
        pytest.param(
            a_file("model: opus"), SKILL, PLUGIN, "not-loaded", None, "add `descr", id="no key"
        ),
        pytest.param(
            a_file("description:"), SKILL, PLUGIN, "not-loaded", 3, "empty or no text", id="empty"
        ),
        pytest.param(
            a_file('description: "a" b'), SKILL, PLUGIN, "not-loaded", 3, "no YAML", id="unreadable"
        ),
        pytest.param(
            a_file("description: x", "paths: src/**"), SKILL, PROJECT,
            "not-loaded", 4, "until Claude touches", id="paths",
        ),
        pytest.param(
            "---\nname: a:b\ndescription: x\n---\n", AGENT, PROJECT,
            "not-loaded", 2, "give it a plain name", id="name of an agent",
        ),
        pytest.param(
            a_file("description: x", "# " + "y" * (1 << 20)), SKILL, PLUGIN,
            "not-loaded", None, "1048576 bytes", id="too large",
        ),
        pytest.param(
            a_file("model: opus"), SKILL, PROJECT, "never-triggers", None, "'Title'", id="heading"
        ),
        pytest.param(
            a_file("model: opus"), AGENT, PLUGIN,
            "never-triggers", None, "'Agent from fm plugin'", id="an agent without a text",
        ),
    ],
)  # fmt: skip
def test_why_no_description_can_help_is_an_error(
    content: str, kind: TargetKind, position: Position, rule: str, line: int | None, words: str
) -> None:
    errors = [f for f in findings(content, kind, position) if f.severity is Severity.ERROR]
    found = next(finding for finding in errors if finding.rule == rule)
    assert found.line == line
    assert words in found.message


@pytest.mark.parametrize(
    ("content", "kind", "position", "yaml_text", "rule", "line", "words"),
    [
        pytest.param(
            a_file("description: Fix issue #12 now"), SKILL, PLUGIN, "Fix issue",
            "hash-cut", 3, "'#12 now'", id="hash",
        ),
        pytest.param(
            a_file("description: before --- after"), SKILL, PLUGIN, "before --- after",
            "fence-cut", 3, "`---` inside", id="fence",
        ),
        pytest.param(
            a_file("description: before --- after"), SKILL, PLUGIN, "before --- after",
            "yaml-differs", 3, "reads 'before --- after', Claude Code sees 'before'", id="differs",
        ),
        pytest.param(
            a_file("description: Use when: asked"), SKILL, PLUGIN, None,
            "yaml-differs", 3, "Claude Code repairs it and sees 'Use when: asked'", id="repaired",
        ),
        pytest.param(
            a_file("description: " + "word " * 400), SKILL, PLUGIN, "word " * 400,
            "over-cap", 3, "1999 characters and is cut at 1536", id="over the cap",
        ),
        pytest.param(
            a_file("description: x", "disable-model-invocation: 'true'"), SKILL, PLUGIN, "x",
            "quoted-boolean", 4, "'true'", id="quoted boolean",
        ),
        pytest.param(
            a_file("description: x", "Allowed_tools: Read"), SKILL, PLUGIN, "x",
            "unknown-key", 4, "did you mean `allowed-tools`?", id="spelt otherwise",
        ),
        pytest.param(
            a_file("description: x", "licence: MIT"), SKILL, PLUGIN, "x",
            "unknown-key", 4, "did you mean `license`?", id="misspelt",
        ),
        pytest.param(
            a_file("description: x", "allowed-tools: Read"), AGENT, PLUGIN, "x",
            "unknown-key", 4, "`allowed-tools`", id="a skill's key in an agent",
        ),
        pytest.param(
            a_file("description: x", "when_to_use: y"), AGENT, PROJECT, "x",
            "unknown-key", 4, "`when_to_use`", id="a plugin's key in a project",
        ),
        pytest.param(
            a_file("description: x", "description: y"), SKILL, PLUGIN, "y",
            "duplicate-key", 3, "the last one counts", id="twice",
        ),
        pytest.param(
            "\ufeff" + a_file("description: x"), SKILL, PLUGIN, "x",
            "bom-old-cli", 1, "2.1.197", id="byte order mark",
        ),
        pytest.param(
            a_file("description: One.\\nTwo."), AGENT, PLUGIN, "One.\\nTwo.",
            "backslash-n", 3, "double quotes", id="escapes in a plugin's agent",
        ),
    ],
)  # fmt: skip
def test_what_is_lost_or_means_nothing_is_a_warning(
    content: str,
    kind: TargetKind,
    position: Position,
    yaml_text: str | None,
    rule: str,
    line: int,
    words: str,
) -> None:
    found = [f for f in findings(content, kind, position, yaml_text) if f.rule == rule]
    assert [(finding.severity, finding.line) for finding in found] == [(Severity.WARNING, line)]
    assert words in found[0].message


def test_a_skill_for_its_user_alone_can_be_meant() -> None:
    (found,) = findings(a_file("description: x", "disable-model-invocation: true"), yaml_text="x")
    assert (found.rule, found.severity, found.line) == (
        "disable-model-invocation", Severity.WARNING, 4,
    )  # fmt: skip
    assert "never told" in found.message


@pytest.mark.parametrize("kind", TargetKind)
def test_bytes_that_are_no_utf8_are_an_error(kind: TargetKind) -> None:
    content = a_file("model: opus").encode() + b"Gem\xfcse\n"
    error, *_ = (each for each in findings(content, kind) if each.rule == "encoding")
    assert (error.severity, error.line) == (Severity.ERROR, 6)
    assert "byte 39 is not UTF-8" in error.message


def test_where_a_text_is_cut_is_said() -> None:
    text = " ".join(f"word{index:04}" for index in range(200))
    found = findings(a_file(f"description: {text}"), yaml_text=text)
    assert [finding.rule for finding in found] == ["over-cap"]
    assert found[0].message.count("word0169 word0…'") == 1


def test_another_name_is_said_with_what_claude_sees() -> None:
    (found,) = findings("---\nname: y\ndescription: x\n---\n")
    assert (found.rule, found.severity, found.line) == ("name-differs", Severity.INFO, 2)
    assert "'fm:x'" in found.message


def test_findings_stand_in_the_order_of_their_lines() -> None:
    content = "---\ncolour: red\nname: y\ndescription: a #b\nmodle: x\n---\n"
    lines = [finding.line for finding in findings(content)]
    assert lines == [2, 3, 4, 5]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(a_file('description: "Fix #12"  # why'), id="a comment behind quotes"),
        pytest.param(a_file("description: C#"), id="no blank before"),
        pytest.param(a_file("description: >-", "  Fix #12"), id="folded"),
        pytest.param(a_file("description: # why", "  Text"), id="a comment before the text"),
    ],
)
def test_a_hash_that_cuts_nothing_is_no_finding(content: str) -> None:
    assert "hash-cut" not in {finding.rule for finding in findings(content)}
