from collections.abc import Callable
from dataclasses import fields
from math import inf, nan

import pytest

from skillwalker.config import EvalConfig, Login, LoopConfig
from skillwalker.errors import ConfigError


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


@pytest.mark.parametrize("settings", [LoopConfig, EvalConfig])
@pytest.mark.parametrize("value", [inf, -inf, nan], ids=str)
@pytest.mark.parametrize("name", ["timeout", "max_pause", "max_cost_usd", "max_undecided"])
def test_what_no_record_could_hold_is_no_setting(
    settings: Callable[..., object], name: str, value: float
) -> None:
    with pytest.raises(ConfigError, match=name.replace("_", ".")):
        settings(**{name: value})


@pytest.mark.parametrize("value", [inf, -inf, nan], ids=str)
@pytest.mark.parametrize("name", ["holdout", "gate", "max_loss"])
def test_a_share_is_a_number(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=name.replace("_", ".")):
        LoopConfig(**{name: value})  # type: ignore[arg-type]  # every one of them takes a float


@pytest.mark.parametrize("settings", [LoopConfig, EvalConfig])
def test_every_trial_may_stay_undecided_where_that_is_said(
    settings: type[LoopConfig] | type[EvalConfig],
) -> None:
    assert settings(max_undecided=1.0, max_pause=0.0, timeout=0.5).timeout == 0.5


def numeric(settings: type[LoopConfig] | type[EvalConfig]) -> list[str]:
    return [
        each.name
        for each in fields(settings)
        if each.type in (int, float, int | None, float | None)
    ]


@pytest.mark.parametrize("value", ["x", "0.9", (), True, 1j], ids=repr)
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        pytest.param(settings, name, id=f"{settings.__name__}-{name}")
        for settings in (LoopConfig, EvalConfig)
        for name in numeric(settings)
    ],
)
def test_what_is_no_number_is_named(
    settings: Callable[..., object], name: str, value: object
) -> None:
    with pytest.raises(ConfigError) as raised:
        settings(**{name: value})
    flag, _, rest = str(raised.value).partition(" must be a ")
    assert flag.removeprefix("--").replace("-", "_") == name
    assert rest.endswith(f"number; got {value!r}")


def test_a_share_of_a_trial_is_none() -> None:
    with pytest.raises(ConfigError, match=r"^--max-turns must be a whole number; got 4\.5$"):
        LoopConfig(max_turns=4.5)  # type: ignore[arg-type]  # that is what is refused


def test_there_are_numbers_to_check() -> None:
    assert {"gate", "max_trials", "seed", "timeout"} <= set(numeric(LoopConfig))
    assert {"repeats", "max_turns", "max_undecided"} <= set(numeric(EvalConfig))
