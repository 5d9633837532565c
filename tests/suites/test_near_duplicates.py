from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.suites.near_duplicates import group_near_duplicates, is_rewording, normalise


def alike(left: str, right: str) -> bool:
    return group_near_duplicates([left, right]) == (0, 0)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("Review my code", "Review my code", id="equal"),
        pytest.param("Review  my\ncode", "review MY code", id="case and spaces"),
        pytest.param("Ｒｅｖｉｅｗ ｔｈｉｓ", "review this", id="full width"),
        pytest.param("review my code, please!", "Please review my code", id="order of words"),
        pytest.param("a b c d e", "a b c d f", id="four of five words"),
        pytest.param("refactorings", "refactoring", id="half of the sequences"),
        pytest.param("このコードをレビューして", "このコードをレビューしてね", id="japanese"),
        pytest.param("请检查这段代码的安全问题", "请检查这段代码的安全问题吗", id="chinese"),
        pytest.param("ช่วยตรวจโค้ดนี้", "ช่วยตรวจโค้ดนี้ที", id="thai"),
        pytest.param("مراجعة هذا الكود", "مراجعة هذا  الكود", id="arabic"),
        pytest.param("", "  ", id="empty"),
        pytest.param("🧪", "🧪", id="no word at all"),
    ],
)
def test_near_duplicates(left: str, right: str) -> None:
    assert alike(left, right)
    assert alike(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("Review my code", "Write a poem", id="other words"),
        pytest.param("alpha beta gamma delta", "alpha beta other words", id="half of the words"),
        pytest.param("レビューしてください", "テストしてください", id="japanese"),
        pytest.param("コードをレビューして", "天気を教えて", id="japanese, nothing shared"),
        pytest.param("हिन्दी में लिखो", "मौसम कैसा है आज", id="hindi: marks belong to words"),
        pytest.param("go", "ok", id="short"),
        pytest.param("🧪", "🚀", id="no word at all"),
    ],
)
def test_different_prompts(left: str, right: str) -> None:
    assert not alike(left, right)


def test_groups_join_by_single_linkage() -> None:
    chain = ["one two three four five", "one two three four six", "seven two three four six"]
    assert not alike(chain[0], chain[2])
    assert group_near_duplicates(["elsewhere", *chain, "entirely"]) == (0, 1, 1, 1, 4)


def test_the_limits_are_met_exactly() -> None:
    assert alike("aa bb cc dd ee", "zz dd bb aa cc")  # cosine 0.8
    assert not alike("aa bb cc dd", "cc aa zz bb")  # 0.75
    assert alike("abcdefg", "abcdefz")  # Jaccard 0.5
    assert not alike("abcdef", "abcdez")  # one third


def sequences(text: str) -> set[str]:
    return {text[at : at + 5] for at in range(max(1, len(text) - 4))}


def alike_by_definition(left: str, right: str) -> bool:
    words = set(left.split()) or {left}, set(right.split()) or {right}
    grams = sequences(left), sequences(right)
    cosine = len(words[0] & words[1]) ** 2 * 25 >= 16 * len(words[0]) * len(words[1])
    return cosine or 2 * len(grams[0] & grams[1]) >= len(grams[0] | grams[1])


WORDS = st.sampled_from(["aa", "bb", "cc", "dd", "ee", "ff", "gg", "longer", "longest", "word"])
PROMPTS = st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12)


@settings(max_examples=300, deadline=None)
@given(prompts=PROMPTS)
def test_no_pair_is_missed_or_made_up(prompts: list[str]) -> None:
    """The search for candidates only saves time: comparing all pairs gives the same groups."""
    groups = list(range(len(prompts)))
    for left, right in combinations(range(len(prompts)), 2):
        if alike_by_definition(prompts[left], prompts[right]):
            low, high = sorted((groups[left], groups[right]))
            groups = [low if group == high else group for group in groups]
    assert group_near_duplicates(prompts) == tuple(groups)


@given(st.text())
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert alike(text, normalise(text))


def test_pasted_data_counts_as_one_word() -> None:
    blob = "".join(f"{number:x}" for number in range(200_000))
    one, other, another = f"check this {blob}", f"Check this: {blob}", f"check this {blob}1"
    assert group_near_duplicates([one, other, another, "bake"]) == (0, 0, 2, 3)
    marks = "a" + "\u0301\u0316" * 100_000
    assert group_near_duplicates([marks, marks.upper()]) == (0, 0)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("look for mistakes in my branch", "Please look for mistakes in my branch!", True),
        ("检查我的代码中的错误", "请检查我的代码中的错误", True),
        ("check what I changed since yesterday", "check what I changed since Christmas", False),
        ("review this file", "review this film", False),
        ("review my code", "explain to a friend of mine how to review my code", False),
        ("one", "two", False),
    ],
)
def test_a_rewording_adds_words_and_replaces_none(left: str, right: str, expected: bool) -> None:
    assert is_rewording(left, right) is expected
    assert is_rewording(right, left) is expected
