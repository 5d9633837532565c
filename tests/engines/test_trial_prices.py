"""Trials are priced by the project's own prices, whatever the table or the CLI says."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from skillwalker import run_evals
from skillwalker.cli.engines import engine_settings
from skillwalker.cli.options import Project
from skillwalker.config import Login
from skillwalker.engines.protocol import Engine
from skillwalker.engines.registry import EngineSettings, open_engine
from skillwalker.paths import open_places
from skillwalker.settings import PriceSettings, load_settings
from tests.engines.test_local import RESULT, fake_cli
from tests.engines.worlds import World
from tests.eval_world import make_eval_project
from tests.projects import call_case

OWN = PriceSettings(
    model="claude-sonnet-4-5", input=1000.0, output=0.0, cache_write=0.0, cache_read=0.0
)
BILLED = RESULT.replace("num_turns=1", "num_turns=1, total_cost_usd=99")


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        pytest.param((), 1000 * 3e-6 + 2 * 15e-6, id="table"),
        pytest.param((OWN,), 1.0, id="own"),
    ],
)
def test_a_finished_trial_is_priced_by_the_table_or_the_settings(
    tmp_path: Path, prices: tuple[PriceSettings, ...], cost: float
) -> None:
    claude = fake_cli(tmp_path, BILLED)

    @asynccontextmanager
    async def opener(world: World) -> AsyncIterator[Engine]:
        settings = EngineSettings(
            login=Login(api_key="sk-ant-dummy", base_url=world.url),
            temporary=tmp_path,
            path=os.defpath,
            claude=claude,
            concurrency=1,
            prices=prices,
        )
        async with open_engine("local", seed=0, settings=settings) as engine:
            yield engine

    world = World("local-9.9.9", tmp_path, opener)
    (transcript,) = world.run(world.invocation("hello"))
    assert transcript.usage.cost_usd == pytest.approx(cost)


def test_the_prices_of_the_settings_file_reach_the_engine(tmp_path: Path) -> None:
    (tmp_path / "skillwalker.toml").write_text(
        '[prices."claude-sonnet-4-5"]\n'
        "input = 1000.0\noutput = 0.0\ncache-write = 0.0\ncache-read = 0.0\n"
    )
    settings = load_settings(tmp_path)
    opened = Project(places=open_places(tmp_path, settings, tmp_path), settings=settings)
    assert engine_settings(opened, concurrency=1).prices == (OWN,)


def test_the_prices_of_a_call_reach_its_trials(tmp_path: Path) -> None:
    case = call_case("a", model="claude-sonnet-4-5")
    project = make_eval_project(tmp_path / "p", case).project
    told = EngineSettings(
        login=Login(api_key="sk-ant-dummy", base_url="http://127.0.0.1:9"),
        temporary=tmp_path,
        path=os.defpath,
        claude=fake_cli(tmp_path, BILLED),
        concurrency=1,
    )

    async def run(*prices: PriceSettings) -> float:
        summary = await run_evals(
            engine="local",
            tests_dir=project,
            output_dir=project / "output",
            engine_settings=told,
            prices=prices,
        )
        return dict(summary.usage)["trial"].cost_usd

    assert anyio.run(run) == pytest.approx(1000 * 3e-6 + 2 * 15e-6)
    assert anyio.run(run, OWN) == pytest.approx(1.0)
