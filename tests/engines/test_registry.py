"""Engines are opened by name, and one is chosen by what there is."""

from pathlib import Path

import anyio
import pytest

from skillwalker.config import Login
from skillwalker.engines.registry import EngineSettings, choose_engine, is_simulated, open_engine
from skillwalker.errors import ConfigError, EngineUnavailableError
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.clis import VERSIONS
from tests.docker_daemon import docker_host, need_docker

NOWHERE = "unix:///nowhere/docker.sock"
KEY = Login(api_key="sk-ant-dummy")


def settings(login: Login, host: str | None = NOWHERE, image: str | None = None) -> EngineSettings:
    return EngineSettings(
        login=login,
        temporary=Path("/nowhere"),
        path="/nowhere",
        docker_host=host,
        sandbox_image=image,
    )


def test_the_simulated_engine_says_that_it_is_one() -> None:
    async def look() -> tuple[str, bool, str]:
        async with open_engine("simulated", seed=0) as engine:
            return engine.facts.name, engine.facts.simulated, engine.facts.headline

    name, simulated, headline = anyio.run(look)
    assert (name, simulated) == ("simulated", True)
    assert "simulated" in headline


def test_what_a_stand_in_answers_is_simulated_whatever_the_engine() -> None:
    with serve(RoutedBehaviour(seed=0)) as standin:
        at_standin = Login(api_key="k", base_url=standin.url)
        assert is_simulated("local", at_standin)
        assert is_simulated("docker", at_standin)
    assert not is_simulated("local", at_standin)
    assert not is_simulated("local", Login(api_key="k"))
    assert is_simulated("simulated", Login())


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no engine 'dokcer'.*docker, local, simulated"):
        open_engine("dokcer", seed=0)


@pytest.mark.parametrize("name", ["docker", "local"])
def test_a_real_engine_is_opened_with_its_settings(name: str) -> None:
    async def open_it(given: EngineSettings | None) -> None:
        async with open_engine(name, seed=0, settings=given):
            pass

    with pytest.raises(EngineUnavailableError, match=f"engine {name}: there is no login"):
        anyio.run(open_it, settings(Login()))
    with pytest.raises(EngineUnavailableError, match=f"engine {name}: (?!there is no login)"):
        anyio.run(open_it, settings(KEY))
    with pytest.raises(ConfigError, match=f"engine {name} needs settings"):
        anyio.run(open_it, None)


@pytest.mark.parametrize("asked", ["local", "docker", "simulated"])
def test_what_is_asked_for_is_taken(asked: str) -> None:
    choice = choose_engine(settings(KEY), asked=asked)
    assert (choice.name, choice.why) == (asked, "as asked")


@pytest.mark.parametrize(
    ("login", "why"),
    [
        pytest.param(Login(), "no API key is set", id="no login"),
        pytest.param(Login(oauth_token="t"), "no API key is set", id="subscription"),
        pytest.param(KEY, "no Docker daemon answers", id="no daemon"),
    ],
)
def test_local_is_chosen_where_docker_is_not_ready(login: Login, why: str) -> None:
    choice = choose_engine(settings(login))
    assert choice.name == "local"
    assert why in choice.explain("engine local: …")


@pytest.mark.docker
def test_docker_is_chosen_where_it_is_ready() -> None:
    image = need_docker(VERSIONS[1])
    assert choose_engine(settings(KEY, docker_host(), image)).name == "docker"
    without = choose_engine(settings(KEY, docker_host(), "no-such-image"))
    assert without.name == "local"
    assert "sandbox build" in without.why
