import pytest

from skillwalker.config import Login


@pytest.mark.parametrize(
    ("login", "secrets"),
    [
        pytest.param(Login(api_key="sk-ant-1234"), ("sk-ant-1234",), id="key"),
        pytest.param(Login(auth_token="a" * 8, oauth_token="b" * 8), ("a" * 8, "b" * 8), id="two"),
        pytest.param(Login(api_key="x"), (), id="a placeholder stands in every word"),
        pytest.param(Login(api_key=""), (), id="empty"),
        pytest.param(Login(), (), id="none"),
    ],
)
def test_what_must_not_stand_in_a_file(login: Login, secrets: tuple[str, ...]) -> None:
    assert login.secrets == secrets


def test_no_secret_stands_in_a_login_that_is_printed() -> None:
    assert "sk-ant-1234" not in repr(Login(api_key="sk-ant-1234"))
