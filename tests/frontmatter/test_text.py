import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.frontmatter.block import JS_SPACE, BlockState
from skillwalker.frontmatter.text import keep_keys, read_frontmatter, replace_description
from skillwalker.listing.listed import list_file
from tests.frontmatters import SAFE_WORDS, WORDS, files, texts

SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT
PLUGIN, PROJECT = Position.PLUGIN, Position.PROJECT
DATA = Path(__file__).parents[1] / "data" / "frontmatter"
NASTY: dict[str, dict[str, str]] = json.loads((DATA / "nasty.json").read_text("utf-8"))["cases"]
CORPUS = {path.name: path.read_bytes() for path in sorted(DATA.glob("*/*.md"))}
CORPUS |= {name: case["content"].encode() for name, case in NASTY.items()}
WAYS = [(kind, position) for kind in TargetKind for position in Position]
KEPT = frozenset({"name", "description", "when_to_use", "paths", "disable-model-invocation"})


def a_file(entry: str, *more: str) -> bytes:
    return "\n".join(["---", "name: x", entry, *more, "---", "Body.", ""]).encode()


def test_a_reading_holds_what_the_keys_say() -> None:
    content = a_file(
        "description: Reviews code.",
        "when_to_use: Before a merge.",
        "disable-model-invocation: 'yes'",
        "user-invocable: false",
        "paths: [src/**]",
        "tools: Read, Bash(git *), Grep",
        "disallowedTools: [Write]",
    )
    reading = read_frontmatter(content, SKILL)
    assert (reading.name, reading.description) == ("x", "Reviews code.")
    assert reading.when_to_use == "Before a merge."
    assert reading.body == "Body.\n"
    assert reading.disable_model_invocation
    assert not reading.user_invocable
    assert reading.has_paths
    assert reading.tools == ("Read", "Bash(git *)", "Grep")
    assert reading.disallowed_tools == ("Write",)
    assert reading.span is not None
    assert content[slice(*reading.span)] == b"Reviews code."


@pytest.mark.parametrize(
    ("value", "on"),
    [(value, True) for value in ("true", '"true"', "yes", '"YES"', "on", "1", "TRUE")]
    + [(value, False) for value in ("false", '"false"', "no", "", "null", "y", "[true]", "tru")],
)
def test_a_switch_is_on_for_the_words_that_claude_code_takes(value: str, on: bool) -> None:
    content = a_file(f"disable-model-invocation: {value}", f"user-invocable: {value}")
    reading = read_frontmatter(content, SKILL)
    assert reading.disable_model_invocation is on
    assert reading.user_invocable is on


@pytest.mark.parametrize("name", CORPUS)
def test_the_span_alone_gives_the_description(name: str) -> None:
    content = CORPUS[name]
    for kind, position in WAYS:
        reading = read_frontmatter(content, kind, position)
        entry = reading.block.last("description")
        if reading.span is None or reading.description is None or entry is None or entry.decorated:
            continue
        # As deep as it stood, and in a file that needs the same repair.
        column = entry.start - (reading.block.source.text.rfind("\n", 0, entry.start) + 1)
        broken = b"z: [a] [b]\n" if reading.block.state is BlockState.REPAIRED else b""
        line = b" " * column + b"description: " + content[slice(*reading.span)]
        again = read_frontmatter(b"---\n" + line + b"\n" + broken + b"---\n", kind, position)
        assert again.description is not None
        assert again.description.strip() == reading.description.strip()


NEW = "Writes tests."
HARD = 'Use it: when "x" # breaks'
HARD_QUOTED = r'description: "Use it: when \"x\" # breaks"'


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        pytest.param("description: Old.", NEW, f"description: {NEW}", id="plain"),
        pytest.param("description: Old.  # why", NEW, f"description: {NEW}  # why", id="comment"),
        pytest.param("description: Old.", HARD, HARD_QUOTED, id="not plain"),
        pytest.param(
            "description: Old: one",
            HARD,
            r'description: "Use it: when \"x\" # breaks"',
            id="mended",
        ),
        pytest.param("description: Old: one", NEW, f"description: {NEW}", id="plain again"),
        pytest.param("description: 'Old.'", "It's.", "description: 'It''s.'", id="single"),
        pytest.param('description: "Old."', 'A "b"\\.', r'description: "A \"b\"\\."', id="double"),
        pytest.param("description:\n  Old\n  one.", NEW, f"description:\n  {NEW}", id="next line"),
        pytest.param(
            "description: >-\n    Old.\n\n# c",
            HARD,
            f"description: >-\n    {HARD}\n\n# c",
            id="folded",
        ),
        pytest.param(
            "description: |+ # c\n  Old.\n\n",
            "A\n\nB",
            "description: |+ # c\n  A\n\n  B\n\n",
            id="kept",
        ),
        pytest.param(
            "description: |2-\n    Old.", "A\n B", "description: |2-\n  A\n   B", id="indicator"
        ),
        pytest.param(
            "description: >\n  Old.", "A\n\nB", "description: >\n  A\n\n\n  B", id="paragraphs"
        ),
        pytest.param("description:", NEW, f"description: {NEW}", id="empty"),
        pytest.param("description:\n", NEW, f"description: {NEW}\n", id="empty, blank line"),
        pytest.param("description: # c", NEW, f"description: {NEW} # c", id="empty, comment"),
        pytest.param("description: ''", NEW, f"description: '{NEW}'", id="empty quotes"),
        pytest.param("description: null", NEW, f"description: {NEW}", id="null"),
        pytest.param("description: 42", "yes", 'description: "yes"', id="a text, not a boolean"),
        pytest.param("description: Old.", "1.10", 'description: "1.10"', id="a text, not a number"),
        pytest.param("description: Old.", "a --- b", r'description: "a -\x2d- b"', id="dashes"),
        pytest.param("description: |\n  Old.", "---", r'description: "-\x2d-"', id="a fence"),
        pytest.param("description: Old.", "A\nB", r'description: "A\nB"', id="line break"),
        pytest.param("description: Old.", "A\tB", "description: A\tB", id="tab"),
        pytest.param("? description\n: Old.", NEW, f"? description\n: {NEW}", id="question mark"),
        pytest.param(
            "description: Old.\nmodel: x\ndescription: Old.",
            NEW,
            f"description: Old.\nmodel: x\ndescription: {NEW}",
            id="the last of two",
        ),
    ],
)
def test_only_the_value_changes_and_keeps_its_style(before: str, text: str, after: str) -> None:
    for newline in ("\n", "\r\n"):
        is_repaired = "Old: one" in before
        if newline == "\r\n" and is_repaired:
            continue  # Claude Code repairs no file with CR LF
        old = a_file(before, "model: opus").replace(b"\n", newline.encode())
        new = a_file(after, "model: opus").replace(b"\n", newline.encode())
        assert replace_description(old, text, SKILL) == new
        assert read_frontmatter(new, SKILL).description == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("description: Old\n\tone.", f"description: {NEW}", id="tab in the value"),
        pytest.param(
            "metadata:\n\ta: b\n  c: d\ndescription: Old.",
            f"metadata:\n\ta: b\n  c: d\ndescription: {NEW}",
            id="tab before the value",
        ),
    ],
)
def test_a_file_whose_tabs_are_repaired_keeps_its_other_bytes(before: str, after: str) -> None:
    old = a_file(before, "model: opus")
    assert read_frontmatter(old, SKILL).block.state is BlockState.REPAIRED
    assert replace_description(old, NEW, SKILL) == a_file(after, "model: opus")


def test_a_wrapped_text_is_wrapped_again() -> None:
    text = " ".join(["word"] * 40)
    for entry in ("description: >-\n  Old", "description: Old\n  one"):
        new = replace_description(a_file(entry), text, SKILL)
        rows = new.decode().splitlines()
        assert max(map(len, rows)) <= 90
        assert read_frontmatter(new, SKILL).description == text


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        pytest.param(
            "description: |\n  Old.", "New.", "description: |-\n  New.", id="clip to strip"
        ),
        pytest.param(
            "description: |-\n  Old.", "New.\n", "description: |\n  New.", id="strip to clip"
        ),
        pytest.param("description: Old.\\nOne.", "A\nB", "description: A\\nB", id="escapes stay"),
        pytest.param("description: Old.", "A\nB", 'description: "A\\nB"', id="no escapes before"),
        pytest.param('description: "Old."', "A\nB", 'description: "A\\nB"', id="in quotes"),
    ],
)
def test_an_agent_of_a_project_is_written_as_it_is_shown_there(
    before: str, text: str, after: str
) -> None:
    new = replace_description(a_file(before), text, AGENT, PROJECT)
    assert new == a_file(after)
    assert list_file(Path("x.md"), new, AGENT, PROJECT, None).text == text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"# Title\n", "put these lines first", id="no frontmatter"),
        pytest.param(b"---\nname: x\n", "put these lines first", id="unclosed"),
        pytest.param(a_file("model: x"), "no key `description`", id="no key"),
        pytest.param(a_file("Description: x"), "no key `description`", id="capital"),
        pytest.param(a_file("description:\n  - a"), "line 3: .* a list or a map", id="list"),
        pytest.param(a_file("description: {a: b}"), "line 3: .* a list or a map", id="map"),
        pytest.param(a_file("description: &a b"), "an anchor, a tag", id="anchor"),
        pytest.param(a_file("description: !!str b"), "an anchor, a tag", id="tag"),
        pytest.param(a_file('description: "a" b'), "mend line 3", id="unreadable"),
        pytest.param(a_file('model: "x', "description: a"), "mend line", id="other key unreadable"),
    ],
)
def test_what_cannot_be_replaced_is_refused_with_the_remedy(content: bytes, words: str) -> None:
    for kind, position in WAYS:
        with pytest.raises(TargetError, match=words):
            replace_description(content, NEW, kind, position)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param(" \n ", "empty", id="blank"),
        pytest.param("a\0b", r"U\+0000", id="NUL"),
        pytest.param("a\x1b[1mb", r"U\+001B", id="escape"),
        pytest.param("a\r\nb", r"U\+000D", id="CR"),
        pytest.param("a\ud83d", r"U\+D83D", id="half a character"),
        pytest.param("a\u2028b", r"U\+2028", id="line separator"),
        pytest.param("a\uffff", r"U\+FFFF", id="noncharacter"),
    ],
)
def test_a_text_that_cannot_be_shown_is_refused(text: str, words: str) -> None:
    for kind, position in WAYS:
        with pytest.raises(TargetError, match=words):
            replace_description(a_file("description: Old."), text, kind, position)


def test_a_text_is_refused_where_its_position_would_change_it() -> None:
    content = a_file("description: Old.")
    with pytest.raises(TargetError, match="begins or ends with white space"):
        replace_description(content, "New. ", SKILL, PROJECT)
    with pytest.raises(TargetError, match="backslash before the letter n"):
        replace_description(content, "C:\\new", AGENT, PROJECT)
    assert read_frontmatter(replace_description(content, "C:\\new", AGENT), AGENT).description


def test_a_text_is_refused_when_it_would_change_how_another_key_is_read() -> None:
    content = a_file("description: Use when: asked", "when_to_use: fix issue #12 first")
    assert read_frontmatter(content, SKILL).when_to_use == "fix issue #12 first"
    with pytest.raises(TargetError, match="`when_to_use` in double quotes"):
        replace_description(content, NEW, SKILL)
    with pytest.raises(TargetError, match="end the frontmatter early"):
        replace_description(content, "a --- b", SKILL)
    kept = replace_description(content, "Use if: asked", SKILL)
    assert kept == content.replace(b"Use when: asked", b"Use if: asked")


@given(content=files(), text=texts(WORDS, breaks=True), way=st.sampled_from(WAYS))
@settings(max_examples=250, deadline=None)
def test_any_text_in_any_file_reads_back_and_changes_no_other_byte(
    content: bytes, text: str, way: tuple[TargetKind, Position]
) -> None:
    kind, position = way
    old = read_frontmatter(content, kind, position)
    assert old.span is not None
    first, last = old.span
    new = replace_description(content, text, kind, position)
    assert read_frontmatter(new, kind, position).description == text
    assert new.startswith(content[:first])
    assert new.endswith(content[last:])
    assert list_file(Path("x.md"), new, kind, position, "p").listed or position is PROJECT
    if old.description is not None:
        back = replace_description(new, old.description, kind, position)
        assert read_frontmatter(back, kind, position).description == old.description


@given(text=texts(WORDS, breaks=False), way=st.sampled_from(WAYS))
@settings(max_examples=80, deadline=None)
def test_a_file_that_needs_repair_takes_any_text(
    text: str, way: tuple[TargetKind, Position]
) -> None:
    content = a_file("description: Use when: asked", "argument-hint: [a] [b]")
    new = replace_description(content, text, *way)
    assert read_frontmatter(new, *way).description == text


@given(content=st.binary(max_size=60), inner=st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_bytes_make_a_traceback(content: bytes, inner: bytes) -> None:
    for each in (content, b"---\ndescription: " + inner + b"\n---\n" + content):
        for kind, position in WAYS:
            list_file(Path("x/SKILL.md"), each, kind, position, "p")
            with suppress(TargetError):
                replace_description(each, NEW, kind, position)
        with suppress(TargetError):
            keep_keys(each, KEPT, "Body.")


def shown(content: bytes) -> list[tuple[object, ...]]:
    """All that a file shows, in every way it can be read, the second name of a skill too."""
    found: list[tuple[object, ...]] = []
    for kind, position in WAYS:
        plugin = "p" if position is PLUGIN else None
        line = list_file(Path("x/skill/SKILL.md"), content, kind, position, plugin)
        found.append((line.listed, line.name, line.alias, line.text, line.stand_in))
    return found


@pytest.mark.parametrize("name", CORPUS)
def test_a_copy_is_listed_like_its_file(name: str) -> None:
    copy = keep_keys(CORPUS[name], KEPT, "Answer.\n")
    assert shown(copy) == shown(CORPUS[name])
    assert {entry.key for entry in read_frontmatter(copy, SKILL).block.entries} <= KEPT


@given(content=files())
@settings(max_examples=100, deadline=None)
def test_a_copy_keeps_its_entries_byte_for_byte(content: bytes) -> None:
    copy = keep_keys(content, KEPT, "\nAnswer.\n")
    old, new = read_frontmatter(content, SKILL), read_frontmatter(copy, SKILL)
    assert shown(copy) == shown(content)
    for was, now in zip(
        [entry for entry in old.block.entries if entry.key in KEPT], new.block.entries, strict=True
    ):
        text, again = old.block.source.text, new.block.source.text
        assert text[was.start : was.value_end] == again[now.start : now.value_end]


def test_a_copy_drops_the_other_entries_whole() -> None:
    content = a_file(
        "# about tools",
        "allowed-tools:",
        "  - Bash # all of it",
        "description: |",
        "  Reviews code.",
        "hooks:",
        "  PreToolUse:",
        "    - command: rm",
        "model: opus",
    )
    copy = keep_keys(content, frozenset({"name", "description"}), "Answer.\n")
    assert copy == b"---\nname: x\ndescription: |\n  Reviews code.\n---\nAnswer.\n"


def test_a_copy_keeps_the_repair_of_a_key_when_the_broken_one_goes() -> None:
    content = a_file("description: Fix issue #12 now", "argument-hint: [a] [b]")
    copy = keep_keys(content, KEPT, "Answer.\n")
    assert read_frontmatter(copy, SKILL).description == "Fix issue #12 now"
    assert b"argument-hint" not in copy


def test_a_copy_without_a_description_keeps_the_line_it_is_listed_by() -> None:
    copy = keep_keys(b"---\nname: x\n---\n\n## A title\n\nSteps.\n", KEPT, "Answer.\n")
    assert copy == b"---\nname: x\n---\n## A title\n\nAnswer.\n"


def test_a_copy_that_needs_a_dropped_key_is_refused() -> None:
    content = a_file("model: &m opus", "description: *m")
    with pytest.raises(TargetError, match="write its values out"):
        keep_keys(content, KEPT, "Answer.\n")


def test_the_words_that_laws_are_made_of_are_prose() -> None:
    assert all(word.strip(JS_SPACE) == word for word in (*WORDS, *SAFE_WORDS))
