"""Bytes are cut into lines, whatever the pieces they come in."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.claude_code.lines import LineCutter


@given(
    text=st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\xff"]), max_size=30).map(b"".join),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
@settings(max_examples=200, deadline=None)
def test_the_pieces_do_not_matter(text: bytes, cuts: list[int]) -> None:
    cutter = LineCutter()
    marks = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    lines = [line for begin, end in pairwise(marks) for line in cutter.cut(text[begin:end])]
    assert [*lines, cutter.last()] == text.split(b"\n")


def test_a_line_that_is_too_long_is_dropped_and_the_next_is_whole() -> None:
    cutter = LineCutter(longest=10)
    lines = [
        line
        for chunk in (b"one\n" + b"x" * 8, b"x" * 8, b"x" * 8 + b"\ntwo", b"\nrest")
        for line in cutter.cut(chunk)
    ]
    assert (lines, cutter.last()) == ([b"one", b"two"], b"rest")


def test_a_last_line_that_is_too_long_is_nothing() -> None:
    cutter = LineCutter(longest=3)
    assert list(cutter.cut(b"abcdef")) == []
    assert cutter.last() == b""
