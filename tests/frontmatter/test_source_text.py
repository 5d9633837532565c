import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillwalker.frontmatter.source_text import decode


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(b"", "", id="empty"),
        pytest.param(b"\xef\xbb\xbfa", "a", id="one mark is dropped"),
        pytest.param(b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa", id="a second stays"),
        pytest.param(b"caf\xe9!", "caf\ufffd!", id="Latin-1"),
        pytest.param(b"\xe2\x82a", "\ufffda", id="a torn character is one mark"),
        pytest.param(b"\xff\xfe", "\ufffd\ufffd", id="each wrong byte is one"),
        pytest.param("日🎉".encode(), "日🎉", id="long characters"),
    ],
)
def test_bytes_are_decoded_as_claude_code_decodes_them(content: bytes, text: str) -> None:
    assert decode(content).text == text


@given(content=st.binary() | st.text().map(lambda text: text.encode("utf-8", "replace")))
def test_each_character_knows_its_place(content: bytes) -> None:
    source = decode(content)
    for place in range(len(source.text)):
        start, end = source.byte_offset(place), source.byte_offset(place + 1)
        assert decode(b"x" + content[start:end]).text == "x" + source.text[place]
    assert source.byte_offset(len(source.text)) == len(content)


def test_lines_are_counted_from_one() -> None:
    source = decode(b"a\nb\r\nc")
    assert [source.line(place) for place in (0, 1, 2, 5)] == [1, 1, 2, 3]
