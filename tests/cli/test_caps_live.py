"""A budget in dollars that is ample, with the real CLI: searches, nights and catalogues go on."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.bench import NEGATIVES, POSITIVES, call_cases, make_bench_project, write_cases
from tests.clis import VERSIONS, need_cli
from tests.user_runs import User

pytestmark = pytest.mark.cli

AMPLE = 20.0
FEW = call_cases(positives=POSITIVES[:3], negatives=NEGATIVES[:3])
FAST = ("--concurrency", "4", "--no-html", "--json", "--max-cost-usd", str(AMPLE))
SHORT = ("--max-iterations", "2", "--search", "phases", "--confirm-runs", "1")


def spent(record: dict[str, Any]) -> float:
    return math.fsum(part["cost_usd"] for part in record["usage"].values())


def test_a_search_proposes_and_ends_within_its_budget(tmp_path: Path) -> None:
    claude = str(need_cli(VERSIONS[0]))
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(make_bench_project(tmp_path, cases=FEW), standin.url)
        words = ("--engine", "local", "--claude", claude, "--improver", "cli", *SHORT, *FAST)
        ran = user.run("scil", "run", *words)
    assert ran.code in {0, 4}, ran.said
    summary = ran.summary
    assert summary["stopped_because"] != "budget", ran.said
    assert summary["usage"]["improver"]["calls"] > 0
    assert len(user.rows(summary, "scil-iteration.jsonl")) > 1
    assert 0 < spent(summary) <= AMPLE


def test_a_night_runs_trials_and_ends_within_its_budget(tmp_path: Path) -> None:
    claude = str(need_cli(VERSIONS[0]))
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(make_bench_project(tmp_path, cases=FEW), standin.url)
        words = ("--engine", "local", "--claude", claude, "--improver", "cli", *SHORT, *FAST)
        ran = user.run("overnight", *words)
    night = ran.summary
    assert (ran.code, night["stopped_because"]) == (0, "done"), ran.said
    assert night["trials"] > 0
    assert night["counts"]["left"] == 0
    assert 0 < night["cost_usd"] <= AMPLE


def test_a_catalogue_is_measured_within_its_budget(tmp_path: Path) -> None:
    claude = str(need_cli(VERSIONS[0]))
    project = make_bench_project(tmp_path, cases=FEW)
    write_cases(
        project, "sky", call_cases("demo:weather", positives=["rain?"], negatives=NEGATIVES[:1])
    )
    with serve(RoutedBehaviour(seed=0)) as standin:
        ran = User(project, standin.url).run(
            "measure", "--all", "--engine", "local", "--claude", claude, *FAST
        )
    assert "a limit came first" not in ran.said
    runs = json.loads(ran.out)["runs"]
    assert [run["stopped_because"] for run in runs] == ["iterations", "iterations"], ran.said
    assert 0 < sum(map(spent, runs)) <= AMPLE
