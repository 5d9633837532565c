"""Engines are opened by name."""

import anyio
import pytest

from skillwalker.engines.registry import open_engine
from skillwalker.errors import ConfigError


def test_the_simulated_engine_says_that_it_is_one() -> None:
    async def look() -> tuple[str, bool, str]:
        async with open_engine("simulated", seed=0) as engine:
            return engine.facts.name, engine.facts.simulated, engine.facts.headline

    name, simulated, headline = anyio.run(look)
    assert (name, simulated) == ("simulated", True)
    assert "simulated" in headline


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no engine 'dokcer'.*simulated"):
        open_engine("dokcer", seed=0)
