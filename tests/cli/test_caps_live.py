"""Budgets and nights with the real CLI against the stand-in: they go on, and stay simulated."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from skillwalker.recording.lock_file import read_lock
from skillwalker.recording.night_files import NIGHT_REPORT
from skillwalker.report.wording import SIMULATED
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.server import serve
from tests.bench import NEGATIVES, POSITIVES, call_cases, make_bench_project, write_cases
from tests.catalogues import FIRST, make_catalogue
from tests.clis import VERSIONS, need_cli
from tests.user_runs import User

pytestmark = pytest.mark.cli

AMPLE = 20.0
FEW = call_cases(positives=POSITIVES[:3], negatives=NEGATIVES[:3])
FAST = ("--concurrency", "4", "--no-html", "--json", "--max-cost-usd", str(AMPLE))
SHORT = ("--max-iterations", "2", "--search", "phases", "--confirm-runs", "1")


LOCAL = ("--engine", "local", "--improver", "cli", "--claude")


def spent(record: dict[str, Any]) -> float:
    return math.fsum(part["cost_usd"] for part in record["usage"].values())


def test_a_search_proposes_and_ends_within_its_budget(tmp_path: Path) -> None:
    claude = str(need_cli(VERSIONS[0]))
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(make_bench_project(tmp_path, cases=FEW), standin.url)
        ran = user.run("scil", "run", *LOCAL, claude, *SHORT, *FAST)
    assert ran.code in {0, 4}, ran.said
    summary = ran.summary
    assert summary["stopped_because"] != "budget", ran.said
    assert summary["usage"]["improver"]["calls"] > 0
    assert len(user.rows(summary, "scil-iteration.jsonl")) > 1
    assert 0 < spent(summary) <= AMPLE


def test_a_night_spends_within_its_budget_and_what_a_stand_in_answered_stays_simulated(
    tmp_path: Path,
) -> None:
    claude = str(need_cli(VERSIONS[0]))
    project = make_catalogue(tmp_path, 1)
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(project, standin.url)
        ran = user.run("overnight", *LOCAL, claude, *SHORT, *FAST, "--apply")
        again = user.run("overnight", *LOCAL, claude, "--dry-run")
    night = ran.summary
    assert (ran.code, night["stopped_because"]) == (0, "done"), ran.said
    assert night["counts"]["left"] == 0
    assert 0 < night["cost_usd"] <= AMPLE
    # Nothing of it counts as real, whatever the engine is called.
    assert night["simulated"] is True
    assert night["counts"]["improved"] == 1, ran.said
    (skill,) = project.glob("plugins/*/skills/*/SKILL.md")
    assert FIRST in skill.read_text()
    assert SIMULATED in ran.said
    assert "nobody is billed" in ran.said
    assert "$" not in ran.said
    assert "nothing was written: the results are simulated" in ran.said
    assert "apply" in ran.said
    assert "--allow-simulated" in ran.said
    assert SIMULATED in (project / "output" / night["night_id"] / NIGHT_REPORT).read_text("utf-8")
    assert [key.simulated for key in read_lock(project)] == [True]
    assert "1 fresh" in again.out
    real = User(project, "http://127.0.0.1:9").run("overnight", *LOCAL, claude, "--dry-run")
    assert "1 fresh" not in real.out
    assert "measure" in real.out, real.said


def test_a_run_goes_on_with_the_limit_that_it_names(tmp_path: Path) -> None:
    claude = str(need_cli(VERSIONS[0]))
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(make_bench_project(tmp_path, cases=FEW), standin.url)
        cut = user.measure(claude, "--max-cost-usd", "0.25", "--no-html")
        assert cut.summary["stopped_because"] == "budget", cut.said
        named = re.search(r"--max-cost-usd N   \(N: ([\d.]+) for one more call\)", cut.said)
        assert named is not None, cut.said
        words = ("--resume", cut.summary["run_id"], "--max-cost-usd", named[1], "--json")
        more = user.run("measure", *words)
    assert more.summary["trials"] > cut.summary["trials"], more.said
    assert spent(more.summary) <= float(named[1]) + 0.001


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
