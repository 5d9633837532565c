"""Each real engine shows what it lists, and the API that would be paid is not asked."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from skillwalker.config import Login
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.engines.registry import EngineSettings
from skillwalker.plan import Plan, for_version
from skillwalker.recorder import open_recorder
from skillwalker.sent_listing import check_shown
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.request import ListedEntry
from skillwalker.standin.server import serve
from skillwalker.steps.step_3_build_plugin import build_plugin
from tests.bench import DESCRIPTION, make_bench_project, plan_of
from tests.clis import VERSIONS, need_cli
from tests.docker_daemon import docker_host, need_docker

BETTER = "Reviews <b>diffs</b> & patches. Use when asked: is it safe to merge? 変更"


def local(version: str) -> dict[str, object]:
    return {"claude": str(need_cli(version))}


def docker(version: str) -> dict[str, object]:
    return {"docker_host": docker_host(), "sandbox_image": need_docker(version)}


ENGINES = [
    *(pytest.param("local", local, one, marks=pytest.mark.cli) for one in VERSIONS),
    *(pytest.param("docker", docker, one, marks=pytest.mark.docker) for one in VERSIONS),
]


async def look(
    engine: str, settings: EngineSettings, plan: Plan, into: Path
) -> tuple[ListedEntry, ...]:
    async with open_recorder(engine, settings) as probe:
        original, better = (
            build_plugin(plan.target, text, rivals=plan.rivals, into=into)
            for text in (DESCRIPTION, BETTER)
        )
        await check_shown(plan, DESCRIPTION, original, probe)
        await check_shown(plan, BETTER, better, probe)
        return await probe(better, plan.models[0])


@pytest.mark.parametrize(("engine", "facts", "version"), ENGINES)
def test_what_an_engine_lists_is_what_was_computed_and_nobody_pays(
    tmp_path: Path, engine: str, facts: Callable[[str], dict[str, object]], version: str
) -> None:
    build: Callable[..., EngineSettings] = EngineSettings
    (tmp_path / "t").mkdir()
    plan = for_version(plan_of(make_bench_project(tmp_path)), version)
    with serve(RoutedBehaviour()) as api:
        settings = build(
            login=Login(api_key="sk-ant-real", base_url=api.url),
            temporary=tmp_path / "t",
            path="/usr/local/bin:/usr/bin:/bin",
            **facts(version),
        )
        sent = anyio.run(look, engine, settings, plan, tmp_path)
        assert not api.requests, "the API of the run was asked"
    names = {line.name: line.kind for line in sent}
    assert names["demo:weather"] is TargetKind.SKILL
    assert names["demo:gap-analyzer"] is TargetKind.AGENT
    assert list((tmp_path / "t").iterdir()) == []
