"""Who is asked for better descriptions: by name, with what each needs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillwalker.completers.api import AnthropicCompleter
from skillwalker.completers.cli import CliCompleter
from skillwalker.completers.protocol import Completer
from skillwalker.completers.registry import open_completer
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.config import Login
from skillwalker.engines.registry import EngineSettings
from skillwalker.errors import ConfigError
from skillwalker.settings import PriceSettings
from tests.fake_claude import fake_claude

LOGIN = Login(api_key="sk-ant-x", auth_token="t", oauth_token="o", base_url="http://127.0.0.1:9")
PRICE = PriceSettings(model="m", input=1.0, output=2.0, cache_write=3.0, cache_read=4.0)


def settings_of(folder: Path, claude: str) -> EngineSettings:
    return EngineSettings(
        login=Login(), temporary=folder, path="/usr/bin:/bin", claude=claude, engine_env={"A": "b"}
    )


def completer(name: str, **changes: object) -> Completer:
    build: Callable[..., Completer] = open_completer
    return build(name, **{"model": "opus", "login": LOGIN, "prices": (PRICE,), **changes})


def test_the_simulated_one_needs_nothing() -> None:
    assert isinstance(completer("simulated", login=Login()), SimulatedCompleter)


def test_the_api_gets_login_address_and_prices() -> None:
    opened = completer("api", max_pause=7.0)
    assert isinstance(opened, AnthropicCompleter)
    assert (opened.api_key, opened.auth_token, opened.base_url) == ("sk-ant-x", "t", LOGIN.base_url)
    assert (opened.model, opened.prices["m"].cache_read) == ("opus", 4.0)
    assert opened.max_pause == 7.0


def test_the_cli_gets_login_program_place_and_prices(tmp_path: Path) -> None:
    claude = fake_claude(tmp_path / "fake")
    opened = completer("cli", settings=settings_of(tmp_path, claude.path))
    assert isinstance(opened, CliCompleter)
    access = opened.access
    assert (access.api_key, access.auth_token, access.oauth_token) == ("sk-ant-x", "t", "o")
    assert (access.base_url, opened.claude) == (LOGIN.base_url, claude.path)
    assert (opened.temp_root, opened.path) == (tmp_path, "/usr/bin:/bin")
    assert (opened.extra_env, opened.prices["m"].input) == ({"A": "b"}, 1.0)


WRONG = [
    pytest.param("api", {"login": Login()}, "no login", id="api without a login"),
    pytest.param("cli", {}, "engine settings", id="cli without settings"),
    pytest.param("oracle", {}, "choose one of: api, cli, simulated", id="unknown"),
]


@pytest.mark.parametrize(("name", "changes", "words"), WRONG)
def test_what_cannot_be_asked_is_wrong_settings(
    name: str, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        completer(name, **changes)


def test_a_missing_program_or_login_is_found_before_the_run(tmp_path: Path) -> None:
    missing = settings_of(tmp_path, "no-such-claude")
    with pytest.raises(ConfigError, match="'no-such-claude' was not found"):
        completer("cli", settings=missing)
    claude = fake_claude(tmp_path / "fake")
    with pytest.raises(ConfigError, match="no login"):
        completer("cli", login=Login(), settings=settings_of(tmp_path, claude.path))
    assert isinstance(completer("cli", settings=missing, checked=False), CliCompleter)
