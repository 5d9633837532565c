"""How pages are read, and how what is printed is compared with what a page shows."""

import pytest

from tests.docs.pages import blocks_of, files_of, stray_commands, without_remark
from tests.docs.reader import missing_lines

PAGE = """\
<!-- not run: login -->
```console
$ first one   # remark
says this
  and that
$ second \\
    --goes on
```
```text
$ no command
```
<!-- file: a/b.md -->
```markdown
# Heading
```
"""


def test_commands_output_and_marks_are_read() -> None:
    (block,) = blocks_of(PAGE, "page.md")
    first, second = block.commands
    assert block.marks == {"not run": "login"}
    assert (first.command, first.output, first.line) == (
        "first one",
        ("says this", "  and that"),
        3,
    )
    assert (second.command, second.output) == ("second --goes on", ())


def test_files_and_stray_commands_are_read() -> None:
    assert files_of(PAGE) == {"a/b.md": "# Heading\n"}
    assert stray_commands(PAGE) == ["$ no command"]
    assert stray_commands("```bash\nls\n```\n") == ["```bash"]


@pytest.mark.parametrize(
    "text",
    ["```console\noutput first\n```\n", "<!-- skipped -->\n```console\n$ a\n```\n"],
    ids=["output before a command", "a mark that is none"],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"page\.md:"):
        blocks_of(text, "page.md")


@pytest.mark.parametrize(
    ("line", "command"),
    [("a b   # c", "a b"), ("a '#b'", "a '#b'"), ("a#b", "a#b"), ("a", "a")],
    ids=["remark", "quoted", "within a word", "none"],
)
def test_a_remark_is_no_part_of_a_command(line: str, command: str) -> None:
    assert without_remark(line) == command


@pytest.mark.parametrize(
    ("expected", "said", "missing"),
    [
        (("a  b 12",), "x\n a b 3.5\n", []),
        (("a", "b"), "b\na\n", ["b"]),
        (("start of…",), "start of it\n", []),
        (("start of…",), "the start of it\n", ["start of…"]),
        (("…", "b"), "a\nb\n", []),
        (("a in 20261130T162146",), "a in 20270101T000000-2\n", []),
        (("a",), "ab\n", ["a"]),
    ],
    ids=["blanks and numbers", "order", "rest", "not the rest", "any lines", "run ids", "whole"],
)
def test_output_is_compared_loosely(
    expected: tuple[str, ...], said: str, missing: list[str]
) -> None:
    assert missing_lines(expected, said) == missing
