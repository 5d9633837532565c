"""Normal forms: Unicode's own, save for what no script writes."""

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from skillwalker.normal_form import MOST_MARKS, normal_form


@given(st.text(max_size=30))
def test_short_texts_are_in_unicodes_form(text: str) -> None:
    assert normal_form("NFKC", text) == unicodedata.normalize("NFKC", text)
    assert normal_form("NFC", text) == unicodedata.normalize("NFC", text)


def test_no_letter_keeps_more_marks_than_any_script_has() -> None:
    many = "a" + "\u0316\u0301" * 100_000
    assert len(normal_form("NFD", many)) <= 1 + MOST_MARKS
    assert normal_form("NFD", many * 2) == normal_form("NFD", many) * 2


def test_every_character_that_hides_a_mark_is_known() -> None:
    hidden = [
        char
        for char in map(chr, range(sys.maxunicode + 1))
        if not unicodedata.combining(char)
        and unicodedata.combining(unicodedata.normalize("NFKD", char)[0])
    ]
    # a mark that its neighbours could be sorted around: each of them counts as one
    assert all(len(normal_form("NFKC", char * 1_000)) <= 3 * MOST_MARKS for char in hidden)
