"""Terms of texts: stems, n-grams, weights and meanings."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.simulation.lexical.spelling import Speller
from skillwalker.simulation.lexical.stems import near_keys, stem
from skillwalker.simulation.lexical.thesaurus import concepts_of_run, concepts_of_stem
from skillwalker.simulation.lexical.words import match, terms, weights


@pytest.mark.parametrize(
    "forms",
    [
        pytest.param(("review", "reviews", "reviewing", "reviewer", "reviewed"), id="review"),
        pytest.param(("query", "queries"), id="query"),
        pytest.param(("migrate", "migration", "migrations"), id="migration"),
        pytest.param(("prüfen", "prüfe", "prüfung"), id="German"),
        pytest.param(("abfrage", "abfragen"), id="German plural"),
        pytest.param(("status",), id="no plural"),
    ],
)
def test_inflections_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        pytest.param("Review my UserService, please!", ["review", "service"], id="camel case"),
        pytest.param("このPRをレビューして", ["pr", "レビュー"], id="mixed scripts"),
        pytest.param("데이터베이스 설명", ["데이터베이스", "설명"], id="Korean"),
        pytest.param("ฐานข้อมูล", ["ฐานข้อมูล"], id="Thai"),
        pytest.param("हिन्दी अनुवाद", ["हिन्दी", "अनुवाद"], id="Devanagari keeps its marks"),
        pytest.param("обзор кода", ["обзор", "кода"], id="Cyrillic"),
        pytest.param("a b 1 22 !?", [], id="nothing to go by"),
        pytest.param("", [], id="empty"),
    ],
)
def test_a_text_is_cut_into_terms(text: str, surfaces: list[str]) -> None:
    assert [term.surface for term in terms(text)] == surfaces


def test_runs_without_spaces_are_compared_by_ngrams() -> None:
    assert terms("請求書")[0].keys == ("請求", "求書")
    assert match(terms("請求書")[0], weights("請求書の確認")) > 1


def test_a_generic_word_weighs_less_than_a_topic() -> None:
    assert weights("changelog file")["file"] < weights("changelog file")["changelog"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param("changelog", "chagnelog", id="swapped"),
        pytest.param("changelog", "changelg", id="missing"),
        pytest.param("changelog", "channgelog", id="doubled"),
        pytest.param("changelog", "chamgelog", id="wrong"),
    ],
)
def test_a_typing_slip_meets_its_word(left: str, right: str) -> None:
    assert near_keys(left) & near_keys(right)


def test_short_words_do_not_meet() -> None:
    assert not near_keys("test") & near_keys("text")


@pytest.mark.parametrize(
    ("word", "like"),
    [
        pytest.param("langsam", "slow", id="German"),
        pytest.param("datenbankabfrage", "database", id="compound"),
        pytest.param("releese", "release", id="typing slip"),
    ],
)
def test_words_of_near_meaning_share_a_concept(word: str, like: str) -> None:
    assert concepts_of_stem(stem(word)) & concepts_of_stem(stem(like))


def test_a_japanese_word_shares_its_concept_inside_a_run() -> None:
    assert concepts_of_run("最新変更履歴一覧") & concepts_of_stem(stem("changelog"))


def test_an_unlisted_word_has_no_concept() -> None:
    assert concepts_of_stem(stem("norway")) == frozenset()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        pytest.param("invocie", "invoice", id="listed in the thesaurus"),
        pytest.param("hedgehg", "hedgehog", id="in the trusted text"),
        pytest.param("xylophone", "xylophone", id="unknown stays"),
    ],
)
def test_the_speller_puts_slips_right(written: str, meant: str) -> None:
    assert Speller("hedgehog").put_right(terms(written)[0]).surface == meant


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_can_be_cut(text: str) -> None:
    for term in terms(text):
        assert term.keys
        assert 0 < term.weight <= 1


def test_hash_randomisation_changes_nothing() -> None:
    program = (
        "from skillwalker.simulation.lexical.words import weights\n"
        "from skillwalker.simulation.lexical.spelling import Speller\n"
        "from skillwalker.simulation.lexical.words import terms\n"
        "print(sorted(weights('databse migrations langsam 請求書').items()))\n"
        "print(Speller('rows').put_right(terms('relasee')[0]).surface)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
