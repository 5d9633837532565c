"""The sentences of each language."""

import pytest

from skillwalker.simulation.lexical import frames
from skillwalker.simulation.lexical.frames import Frame, frame_for, join_words
from skillwalker.simulation.lexical.statements import read_statements

ALL = [
    pytest.param(frames.ENGLISH, id="English"),
    pytest.param(frames.GERMAN, id="German"),
    pytest.param(frames.JAPANESE, id="Japanese"),
    pytest.param(frames.CHINESE, id="Chinese"),
]


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        pytest.param("Helps with code review", frames.ENGLISH, id="English"),
        pytest.param("Database stuff", frames.ENGLISH, id="no small words"),
        pytest.param("Hilft bei der Prüfung von Code", frames.GERMAN, id="German"),
        pytest.param("コードレビューを手伝う", frames.JAPANESE, id="Japanese"),
        pytest.param("代码审查", frames.CHINESE, id="Chinese"),
        pytest.param("Helps with code, also レビュー", frames.ENGLISH, id="a foreign word"),
        pytest.param("Обзор кода", frames.BARE, id="Russian"),
    ],
)
def test_the_language_is_kept(text: str, frame: Frame) -> None:
    assert frame_for(text) is frame


@pytest.mark.parametrize("frame", ALL)
def test_the_router_reads_what_a_frame_says(frame: Frame) -> None:
    for pattern in (*frame.asks, *frame.also):
        read = read_statements(pattern.format(words="zebra"))
        assert "zebra" in read.asks, pattern
        assert read.excludes == ""
    excluded = frame.excludes.format(words="zebra") + frame.points_to.format(name="x")
    assert "zebra" in read_statements(excluded).excludes


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        pytest.param((), "", id="none"),
        pytest.param(("a",), "a", id="one"),
        pytest.param(("a", "b", "c"), "a, b or c", id="three"),
    ],
)
def test_words_are_joined(words: tuple[str, ...], joined: str) -> None:
    assert join_words(words, frames.ENGLISH) == joined
