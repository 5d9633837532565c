"""Verbatim runs of a prompt in a text."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.quotes import find_quote

PROMPT = "please have a look at the diff in my last pull request before the release"


@pytest.mark.parametrize(
    ("text", "query", "quote"),
    [
        pytest.param(
            "Use to have a look at the diff in a branch.",
            PROMPT,
            "have a look at the diff in",
            id="seven words",
        ),
        pytest.param("Use to have a look at the diff of a branch.", PROMPT, None, id="six words"),
        pytest.param(
            "HAVE a Look, at the (diff) in!",
            PROMPT,
            "HAVE a Look, at the (diff) in",
            id="case and punctuation make no difference",
        ),
        pytest.param(
            "Runs when you say: fix my flaky tests.",
            "Fix my flaky tests!",
            "fix my flaky tests",
            id="a whole query of four words",
        ),
        pytest.param("Fixes flaky tests.", "flaky tests", None, id="a whole query of two words"),
        pytest.param(
            "Fix my flaky integration tests.", "fix my flaky tests", None, id="in another order"
        ),
        pytest.param(
            "It's what you don't want users' eyes to see",
            "it’s what you don’t want users’ eyes to meet",
            "It's what you don't want users' eyes",
            id="an apostrophe makes no word",
        ),
        pytest.param(
            "Prüft, ob die Größe der Bilder im Ordner stimmt",
            "ob die GRÖSSE der Bilder im Ordner",
            "ob die Größe der Bilder im Ordner",
            id="German",
        ),
        pytest.param(
            "このプルリクエストの変更点を確認してから問題を報告する",
            "昨日のプルリクエストの変更点を確認してから問題があれば",
            "のプルリクエストの変更点を確認してから問題",
            id="Japanese, 20 letters and more",
        ),
        pytest.param(
            "変更点を確認してから問題を報告する",
            "変更点を確認してから問題があれば",
            None,
            id="Japanese, 13 letters",
        ),
        pytest.param(
            "使い方: ﾌﾟﾙﾘｸｴｽﾄの変更点を確認してから問題をまとめて報告",
            "プルリクエストの変更点を確認してから問題をまとめて",
            "プルリクエストの変更点を確認してから問題を",
            id="half-width letters",
        ),
        pytest.param(
            "检查合并请求里的代码改动并且在发布之前找出其中的所有问题",
            "请检查合并请求里的代码改动并且在发布之前找出其中的漏洞",
            "检查合并请求里的代码改动并且在发布之前找出",
            id="Chinese",
        ),
        pytest.param(
            "ตรวจสอบโค้ดที่เปลี่ยนแปลงก่อนปล่อยรุ่นใหม่ทุกครั้ง",
            "ช่วยตรวจสอบโค้ดที่เปลี่ยนแปลงก่อนปล่อยรุ่นใหม่",
            "ตรวจสอบโค้ดที่เปลี่ยนแปลงก",
            id="Thai, whose marks are no letters",
        ),
        pytest.param(
            "코드 변경 사항을 검토하고 문제를 찾아 보고서를 작성",
            "오늘 코드 변경 사항을 검토하고 문제를 찾아 보고서를 써줘",
            "코드 변경 사항을 검토하고 문제를 찾아 보고서를",
            id="Korean has spaces: eight words",
        ),
        pytest.param(
            "कोड की समीक्षा करके सभी गलतियाँ खोजें और बताएं",
            "मेरे कोड की समीक्षा करके सभी गलतियाँ खोजें और बताएं अभी",
            "कोड की समीक्षा करके सभी गलतियाँ खोजें",
            id="Hindi, whose marks stand inside words",
        ),
        pytest.param(
            "Checks pull request の変更点を確認して報告する 前に",
            "この pull request の変更点を確認して報告するように",
            None,
            id="mixed, below the limit",
        ),
        pytest.param(
            "Checks pull request の変更点を確認して全員に報告する前に",
            "この pull request の変更点を確認して全員に報告する",
            "pull request の変更点を確認して全員に報告",
            id="mixed, above the limit",
        ),
        pytest.param("", PROMPT, None, id="empty text"),
        pytest.param("Reviews code.", "", None, id="empty query"),
        pytest.param("!!! ???", "... !!!", None, id="no words at all"),
    ],
)
def test_quotes(text: str, query: str, quote: str | None) -> None:
    assert find_quote(text, ["something else", query]) == quote


letters = "abcdefgäßあ漢ถ코"
words = st.text(alphabet=letters, min_size=1, max_size=6)
texts = st.lists(words, max_size=30).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(before=texts, run=st.lists(words, min_size=7, max_size=7), after=texts, other=texts)
def test_a_run_of_seven_words_is_found_wherever_it_stands(
    before: str, run: list[str], after: str, other: str
) -> None:
    spoken = [word.translate({ord("あ"): "a", ord("漢"): "b", ord("ถ"): "c"}) for word in run]
    text = " ".join([before, *spoken, after])
    query = " ".join([other, *spoken, before])
    assert find_quote(text, [query]) is not None


@settings(max_examples=60, deadline=None)
@given(text=texts, query=texts)
def test_what_is_found_stands_in_both(text: str, query: str) -> None:
    quote = find_quote(text, [query])
    normal = unicodedata.normalize("NFKC", text)
    assert quote is None or (quote in normal and find_quote(query, [quote]) is not None)


@settings(max_examples=30, deadline=None)
@given(query=st.text(max_size=200))
def test_no_prompt_makes_an_error(query: str) -> None:
    find_quote("Reviews code for faults before a release.", [query])
    find_quote(query, [query])


@pytest.mark.parametrize(
    "blob",
    [
        pytest.param("x" * 500_000, id="one word"),
        pytest.param("a" + "\u0301\u0316" * 100_000, id="marks on one letter"),
        pytest.param("one two " * 50_000, id="a text and a query of many words"),
    ],
)
def test_long_texts_cost_no_more_than_reading_them(blob: str) -> None:
    half = blob[: len(blob) // 2]
    assert find_quote(blob, [f"three {half} three"]) == find_quote(half, [blob])
