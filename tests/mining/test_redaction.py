import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.mining.redaction import redact

RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD"


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("my key sk-ant-api03-abcDEF123456_x please", "sk-ant", "key"),
        ("OPENAI sk-proj-abcdefghij0123456789", "abcdefghij", "key"),
        ("gh: ghp_abcdefghijklmnopqrst1234", "ghp_", "key"),
        ("github_pat_11ABCDEFG0abcdefghij_xyz", "11ABC", "key"),
        ("glpat-abcdefghij1234567890", "abcdef", "key"),
        ("xoxb-123456789012-abcdef", "123456789012", "key"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIA", "key"),
        ("AIza" + "x" * 35, "xxxx", "key"),
        ("sk_live_abcdefghij0123456789", "abcdefghij", "key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-123", "eyJ", "key"),
        (f"here: {RANDOM}", RANDOM, "key"),
        ("Authorization: Bearer abc.def-123456", "abc.def", "login in a header"),
        ("curl -u x -H 'Authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz", "login in a header"),
        ("postgres://me:hunter2@db.test/x", "hunter2", "password in a URL"),
        ("https://x.test/a?token=abc123&b=1", "abc123", "secret in a URL"),
        ("DB_PASSWORD=hunter2 npm start", "hunter2", "password"),
        ('{"password": "hunter 2"}', "hunter 2", "password"),
        ("api_key: 'abcd'", "abcd", "password"),
        ("my password is hunter2!", "hunter2", "password"),
        ("das Passwort lautet geheim-7", "geheim-7", "password"),
        ("write to jane.doe+x@mail.example.co.uk now", "jane.doe", "e-mail"),
        ("sha " + "0123456789abcdef" * 2, "0123456789abcdef", "long number"),
        ("card 4111 1111 1111 1111 ok", "4111", "card number"),
        ("open /home/jane/work/a.py", "jane", "user name"),
        (r"open C:\Users\jane\a.py", "jane", "user name"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "MIIE",
            "private key",
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\ntorn", "torn", "private key"),
    ],
)
def test_a_secret_is_taken_out(text: str, secret: str, kind: str) -> None:
    clean, kinds = redact(text)
    assert secret not in clean
    assert kind in kinds


@pytest.mark.parametrize(
    "text",
    [
        "Reset the password of the test user in the login form",
        "the token is expired, why?",
        "Explain src/components/authentication/LoginFormValidation.tsx",
        "Why does https://example.test/docs?page=2#top give 404?",
        "commit 3f2a9c1 broke the build on 2026-11-30 at 10:15:00",
        "the id is 1234567890123",
        "my_very_long_function_name_that_goes_on_and_on_for_ever()",
        "レビューをお願いします。パスワード変更の画面です。",
        "scikit-learn, sk-learn and sk-ip",
        "npm install @scope/package@1.2.3",
    ],
)
def test_what_is_no_secret_stays_letter_by_letter(text: str) -> None:
    assert redact(text) == (text, ())


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_what_was_redacted_is_not_redacted_again(text: str) -> None:
    once, _ = redact(text)
    twice, _ = redact(once)
    assert redact(twice)[0] == twice


@pytest.mark.parametrize(
    "text", ["a" * 4000, "password" * 500, "a@" * 2000, "://" * 1300, "1 " * 2000]
)
def test_no_text_takes_long(text: str) -> None:
    begun = time.process_time()
    redact(text)
    assert time.process_time() - begun < 1
