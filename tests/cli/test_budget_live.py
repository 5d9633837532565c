"""Budgets and rate limits with the real CLI against the stand-in."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply
from skillwalker.standin.server import MessageRequest, serve
from tests.bench import make_bench_project
from tests.clis import VERSIONS, need_cli
from tests.user_runs import Ran, User

pytestmark = pytest.mark.cli


class Limited:
    """Refuses the fifth request and those that come while it does, with a wait in seconds."""

    def __init__(self, *, wait: float, times: int) -> None:
        self._routed = RoutedBehaviour(seed=0)
        self._fault = InjectedFault(kind=FaultKind.STATUS, status=429, retry_after=wait)
        self._lock = threading.Lock()
        self._asked = 0
        self._times = times

    def __call__(self, asked: MessageRequest) -> Reply:
        """Answer, or refuse."""
        reply = self._routed(asked)
        with self._lock:
            self._asked += 1
            refuses = 4 < self._asked <= 4 + self._times
        return replace(reply, fault=self._fault) if refuses else reply


Measured = tuple[User, Ran]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Measured]]]:
    """Start a measurement under a rate limit with each version at once: they mostly wait."""

    def measure(claude: Path, root: Path) -> Measured:
        with serve(Limited(wait=21, times=1)) as standin:
            user = User(make_bench_project(root), standin.url)
            return user, user.measure(claude, "--max-trials", "16", "--no-html")

    with ThreadPoolExecutor(len(VERSIONS)) as pool:
        yield {
            version: pool.submit(measure, need_cli(version), tmp_path_factory.mktemp("limited"))
            for version in VERSIONS
        }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_rate_limit_of_the_api_pauses_all_and_loses_no_trial(
    limited: dict[str, Future[Measured]], version: str
) -> None:
    user, ran = limited[version].result()
    assert ran.code == 0, ran.said
    assert "rate limit: nothing starts before" in ran.said
    summary = ran.summary
    assert (summary["stopped_because"], summary["trials"], summary["undecided"]) == (
        "iterations",
        16,
        0,
    )
    refused = user.rows(summary, "trials.rate-limited.jsonl")
    assert [(row["outcome"], row["reason"]) for row in refused] == [("undecided", "rate")]
    assert summary["usage"]["trial"]["calls"] == 17


def test_a_rate_limit_that_outlasts_the_pause_ends_the_run_and_resumes(tmp_path: Path) -> None:
    claude = need_cli(VERSIONS[0])
    with serve(Limited(wait=7200, times=4)) as standin:
        user = User(make_bench_project(tmp_path), standin.url)
        cut = user.measure(claude, "--max-pause", "20s", "--no-html")
        assert cut.code == 3, cut.said
        assert cut.summary["stopped_because"] == "rate_limit"
        assert "--max-pause allows 20s in all" in cut.said
        run_id = cut.summary["run_id"]
        assert f"measure --resume {run_id}" in cut.said
        whole = user.run("measure", "--resume", run_id, "--max-pause", "5m", "--json")
    assert whole.code == 0, whole.said
    assert whole.summary["trials"] == 16


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("most", [0.25, 0.6])
def test_a_budget_in_dollars_is_kept_by_real_trials(
    tmp_path: Path, version: str, most: float
) -> None:
    """Whatever the version sends: four at once, none of which has said yet what it costs."""
    claude = need_cli(version)
    with serve(RoutedBehaviour(seed=0)) as standin:
        user = User(make_bench_project(tmp_path), standin.url)
        ran = user.measure(claude, "--max-cost-usd", str(most), "--no-html")
    summary = ran.summary
    spent = [row["cost_usd"] for row in user.rows(summary, "trials.jsonl")]
    assert sum(spent) == pytest.approx(summary["usage"]["trial"]["cost_usd"])
    assert 0 < sum(spent) < most + max(spent)
    assert (summary["stopped_because"] == "budget") is (len(spent) < 16), ran.said
    # Less is left than a trial of two turns was thought to cost with nothing in the cache.
    if summary["stopped_because"] == "budget":
        assert most - sum(spent) < 3 * max(spent)
