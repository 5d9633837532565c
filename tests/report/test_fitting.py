import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from skillwalker.report.fitting import fitted

WORDS = st.lists(st.sampled_from(["a", "lorem", "ipsum-dolor", "日本", "—", "(x)"]), min_size=1)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        pytest.param("short", ["short"], id="short"),
        pytest.param(
            "  one two three four five", ["  one two three four", "    five"], id="indent"
        ),
        pytest.param(
            "ok     area: one two three", ["ok     area: one two", "       three"], id="label"
        ),
        pytest.param("  -> one two three four", ["  -> one two three", "     four"], id="remedy"),
        pytest.param("x" * 25, ["x" * 25], id="one long word"),
        pytest.param(
            "next: scil run --eval some-suite   (the weakest)",
            ["next:", "  scil run --eval some-suite", "  (the weakest)"],
            id="a command stays whole",
        ),
        pytest.param(
            "a thing; or skillwalker apply 12345678   (writes)",
            ["a thing; or", "  skillwalker apply 12345678", "  (writes)"],
            id="a second command too",
        ),
        pytest.param(
            "next: acil run x   (the weakest)",
            ["next: acil run x", "  (the weakest)"],
            id="a command takes its columns",
        ),
        pytest.param("one two three four five\nsix", ["one two three four", "  five", "six"]),
    ],
)
def test_a_line_is_broken_between_words_under_its_own_text(line: str, rows: list[str]) -> None:
    assert fitted(line, 20).split("\n") == rows


@settings(max_examples=80, deadline=None)
@given(words=WORDS, indent=st.integers(0, 6), width=st.integers(20, 60))
def test_nothing_is_lost_and_nothing_stands_out(words: list[str], indent: int, width: int) -> None:
    line = " " * indent + " ".join(words)
    rows = fitted(line, width).split("\n")
    assert " ".join(rows).split() == words
    assert all(cell_len(row) <= width for row in rows)
    assert not any(row.endswith(" ") for row in rows)
    assert all(row.startswith(" " * indent) for row in rows)
