import pytest

from skillwalker.claude_code.endpoint import split_endpoint

NO_ADDRESS = [
    "",
    "api.example",
    "ftp://api.example",
    "http://",
    "http://[",
    "http://a:b",
    "http://a b",
]


@pytest.mark.parametrize("url", [*NO_ADDRESS, "http://a\x07", "http://a\nb"], ids=repr)
def test_what_cannot_be_asked_is_no_endpoint(url: str) -> None:
    assert split_endpoint(url) is None


def test_an_endpoint_holds_no_login_and_no_query() -> None:
    parts = split_endpoint("https://me:secret@api.example:8443/v9?key=secret#secret")
    assert parts is not None
    assert parts.geturl() == "https://api.example:8443/v9"
