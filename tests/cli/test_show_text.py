from pathlib import Path

import pytest

from skillwalker.cli.show_text import diff_text, plain, short_path, wrapped
from skillwalker.datatypes.edits import WrittenFile


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b]0;owned\x07", "\\u001b]0;owned\\u0007"),
        ("\x9b31m", "\\u009b31m"),
        ("\ud800", "\\ud800"),
        ("レビュー 👩‍💻", "レビュー 👩‍💻"),
    ],
    ids=["lines", "title", "csi", "half", "scripts"],
)
def test_what_would_steer_a_terminal_is_escaped(text: str, printed: str) -> None:
    assert plain(text) == printed


def test_a_change_is_shown_with_its_lines_around_it() -> None:
    written = WrittenFile(
        path=Path("/p/SKILL.md"),
        before=b"---\r\nname: \xff\r\ndescription: old \x1b\r\n---\r\n",
        after=b"---\r\nname: \xff\r\ndescription: new\r\n---\r\n",
    )
    assert diff_text(written, "SKILL.md").splitlines() == [
        "--- a/SKILL.md",
        "+++ b/SKILL.md",
        "@@ -1,5 +1,5 @@",
        " ---",
        " name: \\xff",
        "-description: old \\u001b",
        "+description: new",
        " ---",
        " ",
    ]
    assert diff_text(WrittenFile(path=Path("x"), before=b"a", after=b"a"), "x") == ""


def test_a_path_is_short_inside_the_project_only() -> None:
    project = Path("/p")
    assert short_path(Path("/p/a/b.md"), project) == "a/b.md"
    assert short_path(Path("/q/b.md"), project) == "/q/b.md"


def test_a_change_outside_the_project_has_heads_that_patch_reads() -> None:
    written = WrittenFile(path=Path("/far/x.md"), before=b"a\n", after=b"b\n")
    assert diff_text(written, "/far/x.md").startswith("--- a/far/x.md\n+++ b/far/x.md\n")


def test_off_a_terminal_a_line_is_as_long_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "    by name only: " + "word " * 40
    for columns in (40, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        rows = wrapped(line).split("\n")
        assert max(map(len, rows)) <= columns < max(map(len, rows)) + 6
        assert rows[1].startswith("      word")
