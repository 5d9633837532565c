import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillwalker.listing.shown_text import columns, cut, flattened, utf16_units


# Each as the request of Claude Code 2.1.332 holds it.
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a\nb\n\nc\td\r\ne", "a b c d e", id="breaks and tabs"),
        pytest.param("a  b", "a  b", id="two spaces stay"),
        pytest.param("a \u200b b", "a   b", id="hidden between spaces"),
        pytest.param("a\u200e\u200fb", "a b", id="a run is one space"),
        pytest.param("a\u00a0b\u3000c", "a\u00a0b\u3000c", id="other spaces stay"),
        pytest.param("<b>&amp;</b>", "&lt;b&gt;&amp;&lt;/b&gt;", id="tags"),
        pytest.param("\x1b[1mbold\x1b[0m", "bold", id="terminal codes"),
        pytest.param("a\x07b", "a b", id="control"),
        pytest.param("⚠️ 👨\u200d👩\u200d👧 ❤️", "⚠️ 👨\u200d👩\u200d👧 ❤️", id="emoji stay whole"),
        pytest.param("⌚\ufe0f ℹ️ ™️", "⌚  ℹ️ ™️", id="styled where that means something"),
        pytest.param(
            "🏴\U000e0067\U000e0062\U000e007f a\U000e0067b",
            "🏴\U000e0067\U000e0062\U000e007f a b",
            id="flags of regions",
        ),
        pytest.param("1\ufe0f\u20e3 x\ufe0f y", "1\ufe0f\u20e3 x  y", id="style selectors"),
        pytest.param("क\u094d\u200dष a\u200db", "क\u094d\u200dष a b", id="joiners that spell"),
        pytest.param("می\u200cخواهم", "می\u200cخواهم", id="non-joiner in Persian"),
        pytest.param("日本語 שלום é", "日本語 שלום é", id="any script"),
    ],
)
def test_a_text_is_shown_on_one_line(text: str, shown: str) -> None:
    assert flattened(text) == shown


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("a\nb", 2),
        ("語", 2),
        ("é", 1),
        ("e\u0301", 1),
        ("🎉", 2),
        ("⚠️", 2),
        ("👨\u200d👩\u200d👧", 2),
        ("👍🏽", 2),
        ("—…", 2),
        ("한국어", 6),
        ("a\u200bb", 2),
    ],
)
def test_the_width_of_a_text(text: str, width: int) -> None:
    assert columns(text) == width


@given(text=st.text(), most=st.integers(1, 40))
def test_a_cut_text_is_never_longer(text: str, most: int) -> None:
    short = cut(text.encode("utf-8", "replace").decode(), most)
    assert utf16_units(short) <= max(most, 1)


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert cut("🎉🎉", 4) == "🎉🎉"
    assert cut("🎉🎉x", 4) == "🎉\ufffd…"
