import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.checking.overlap import OVERLAP, find_overlaps

HOUSE = "Creates {} from notes. Use when the user asks for {} or wants one improved."
THINGS = ["an invoice", "a chart", "a recipe", "the changelog", "a quiz", "this itinerary"]
PAIRS = {
    "English": (
        "Reviews code changes for bugs, security problems and style. "
        "Use when the user asks for a code review.",
        "Reviews code for bugs, security issues and bad style. "
        "Use when someone wants a review of their code.",
    ),
    "Chinese": (
        "审查代码中的错误和安全问题。当用户要求代码审查时使用。",
        "检查代码的错误与安全问题。当用户请求代码审查时使用。",
    ),
    "Russian": (
        "Проверяет код на ошибки и уязвимости. Применять, когда просят ревью кода.",
        "Проверяет код на уязвимости и ошибки. Применять, если просят ревью.",
    ),
}


def pairs(texts: list[str]) -> list[tuple[int, int]]:
    return [(pair.first, pair.second) for pair in find_overlaps(texts)]


@pytest.mark.parametrize("language", PAIRS)
def test_rewordings_overlap_among_others_of_the_house(language: str) -> None:
    house = [HOUSE.format(thing, thing) for thing in THINGS]
    assert pairs([*house, *PAIRS[language]]) == [(len(house), len(house) + 1)]


def test_a_phrase_of_the_house_is_no_overlap() -> None:
    assert pairs([HOUSE.format(thing, thing) for thing in THINGS]) == []


def test_many_copies_are_all_found_though_they_share_every_sequence() -> None:
    assert pairs(["the very same text"] * 8) == [(0, at) for at in range(1, 8)]


def test_nothing_is_nothing() -> None:
    assert pairs([]) == []
    assert pairs(["", "", "a"]) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(string.ascii_lowercase + " ", max_size=12), max_size=7))
def test_a_share_is_between_the_threshold_and_one_and_pairs_come_once(texts: list[str]) -> None:
    found = list(find_overlaps(texts))
    assert all(OVERLAP <= pair.share <= 1 and pair.first < pair.second for pair in found)
    assert len({(pair.first, pair.second) for pair in found}) == len(found)
