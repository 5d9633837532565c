"""What descriptions ask for and what they exclude."""

import pytest

from skillwalker.simulation.lexical.statements import read_statements


@pytest.mark.parametrize(
    ("description", "wanted", "excluded"),
    [
        pytest.param("Reviews code. Not for tests.", "Reviews", "tests", id="not for"),
        pytest.param(
            "Reviews code, but not for tests.", "Reviews", "tests", id="within a sentence"
        ),
        pytest.param("Do not use it for tests. Reviews.", "Reviews", "tests", id="do not use"),
        pytest.param("Don’t use for tests. Reviews.", "Reviews", "tests", id="don't"),
        pytest.param("Reviews. For tests use other instead.", "Reviews", "tests", id="instead"),
        pytest.param("Not for tests; use when reviewing.", "reviewing", "tests", id="asks again"),
        pytest.param("Reviews. Skip for tests, e.g. unit.", "Reviews", "unit", id="abbreviation"),
        pytest.param("Prüft Code. Nicht für Tests.", "Prüft", "Tests", id="German"),
        pytest.param("Prüft. Tests stattdessen mit x.", "Prüft", "Tests", id="German instead"),
        pytest.param("コードを確認する。テストには使用しない。", "確認", "テスト", id="Japanese"),
        pytest.param("用于代码审查。不用于测试。", "审查", "测试", id="Chinese"),
        pytest.param("Revoit le code. Pas pour tests.", "Revoit", "tests", id="French"),
    ],
)
def test_boundaries_are_told_from_the_rest(description: str, wanted: str, excluded: str) -> None:
    statements = read_statements(description)
    asked = f"{statements.says} {statements.asks}"
    assert wanted in asked
    assert excluded in statements.excludes
    assert excluded not in asked
    assert wanted not in statements.excludes


@pytest.mark.parametrize(
    "description",
    [
        pytest.param("Not just for tests.", id="not just"),
        pytest.param("Use instead of plain git log.", id="instead of"),
        pytest.param("Use when you are not sure about tests.", id="not sure"),
        pytest.param("", id="empty"),
    ],
)
def test_what_only_looks_like_a_boundary_is_none(description: str) -> None:
    assert read_statements(description).excludes == ""


def test_a_trigger_sentence_is_told_from_a_statement() -> None:
    statements = read_statements("Reviews code. Use when the user asks about a diff.")
    assert (statements.says, "diff" in statements.asks) == ("Reviews code.", True)


@pytest.mark.parametrize(
    ("description", "claims"),
    [
        pytest.param("Use for any request and every question, always.", 3, id="English"),
        pytest.param("Für alle Anfragen, immer.", 2, id="German"),
        pytest.param("すべての質問に常に使う", 2, id="Japanese"),
        pytest.param("Use before any schema change.", 0, id="an honest any"),
        pytest.param("Use for SQL. Not for every question.", 0, id="excluded"),
    ],
)
def test_claims_on_everything_are_counted(description: str, claims: int) -> None:
    assert read_statements(description).catch_alls == claims
