"""Money, time and the cache in words."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skillwalker.datatypes.scores import UsageTotal
from skillwalker.datatypes.summary import Forecast, Summary
from skillwalker.loop import improve
from skillwalker.report import money_text
from skillwalker.verdict import summarise
from tests.bench import Bench, make_bench_project, plan_of
from tests.fakes import engine_facts


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    folder: Path = tmp_path_factory.mktemp("money")
    plan = plan_of(make_bench_project(folder), kind="measure")
    measured = anyio.run(improve, plan, Bench(workdir=folder / "w", max_iterations=1).tools())
    return summarise(plan, measured, run_id="r", facts=engine_facts())


def with_tokens(summary: Summary, *, read: int, other: int) -> Summary:
    total = UsageTotal(calls=1, input_tokens=other, cache_read_tokens=read)
    return replace(summary, usage=(("trial", total),), simulated=False)


@pytest.mark.parametrize(
    ("read", "other", "text"),
    [
        (90, 10, "90 % of the trials' prompts came from the cache"),
        (60, 40, "60 % of the trials' prompts came from the cache"),
        (59, 41, "warning: only 59 % of the trials' prompts came from the cache, 60 % is usual"),
        (0, 10, "warning: only 0 %"),
    ],
)
def test_the_share_of_the_cache_is_said_and_a_small_one_is_a_warning(
    summary: Summary, read: int, other: int, text: str
) -> None:
    said = money_text.cached(with_tokens(summary, read=read, other=other))
    assert said is not None
    assert said.startswith(text)


def test_nothing_is_said_of_a_cache_that_was_not_used(summary: Summary) -> None:
    simulated = replace(with_tokens(summary, read=0, other=9), simulated=True)
    assert money_text.cached(simulated) is None
    assert money_text.cached(with_tokens(summary, read=0, other=0)) is None


def test_what_is_left_names_trials_money_and_time() -> None:
    left = Forecast(trials=120, cost_usd=1.234, seconds=1500.0)
    assert money_text.forecast(left) == (
        "by the trials so far, at most 120 more, $1.23 and 25m are left"
    )
    assert money_text.left(left) == "at most $1.23 and 25m left"
    assert money_text.left(replace(left, cost_usd=None)) == "at most 25m left"
    soon = replace(left, seconds=0.3, cost_usd=None)
    assert money_text.forecast(soon) == "by the trials so far, at most 120 more are left"
    assert money_text.left(soon) == ""
    assert money_text.left(replace(left, trials=0)) == ""


def test_a_pause_says_until_when() -> None:
    assert money_text.paused(1_796_042_443.0).startswith("rate limit: nothing starts before 2026-")
