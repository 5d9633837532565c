import pytest

from skillwalker.cli.show_text import plain
from skillwalker.faults import BIDI
from skillwalker.report.plain import one_line, printable


@pytest.mark.parametrize("mark", sorted(BIDI), ids=ascii)
def test_a_mark_that_turns_a_name_around_is_seen(mark: str) -> None:
    name = f"demo:{mark}live"
    assert printable(name) == one_line(name) == "demo:�live"
    assert plain(name) == f"demo:\\u{ord(mark):04x}live"


@pytest.mark.parametrize("text", ["مراجعة", "עברית", "a\u200db"])
def test_scripts_from_right_to_left_stay(text: str) -> None:
    assert printable(text) == plain(text) == text
