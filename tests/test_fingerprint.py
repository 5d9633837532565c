"""What makes a recorded rate stale, and what does not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.config import LoopConfig
from skillwalker.fingerprint import cases_fingerprint, search_fingerprint, target_fingerprint
from skillwalker.plan import Plan
from tests.bench import make_bench_project, plan_of


def with_case(plan: Plan, **changes: object) -> Plan:
    first, *rest = plan.cases
    case = replace(first.case, **changes)  # type: ignore[arg-type]  # a row of the table
    return replace(plan, cases=(replace(first, case=case), *rest))


def with_sibling(plan: Plan, description: str) -> Plan:
    first, *rest = plan.rivals
    return replace(plan, rivals=(replace(first, description=description), *rest))


def edited(plan: Plan, text: str) -> Plan:
    return replace(plan, target=replace(plan.target, description=text))


MAKES_STALE: dict[str, Callable[[Plan], Plan]] = {
    "description": lambda plan: edited(plan, "Another text"),
    "prompt": lambda plan: with_case(plan, prompt="another prompt"),
    "polarity": lambda plan: with_case(plan, should_trigger=not plan.cases[0].case.should_trigger),
    "model": lambda plan: with_case(plan, model="haiku"),
    "turns": lambda plan: with_case(plan, max_turns=9),
    "one case less": lambda plan: replace(plan, cases=plan.cases[1:]),
    "a sibling": lambda plan: with_sibling(plan, "Something else"),
    "no sibling": lambda plan: replace(plan, rivals=()),
    "the CLI": lambda plan: replace(plan, cli_version="9.9.9"),
    "roomy": lambda plan: replace(plan, listing_budget=10**6),
}
ONLY_MEASURED = {"a sibling", "no sibling", "the CLI"}
LEAVES_FRESH: dict[str, Callable[[Plan], Plan]] = {
    "seed": lambda plan: replace(plan, config=replace(plan.config, seed=5)),
    "more runs": lambda plan: replace(plan, config=replace(plan.config, runs_per_query=5)),
    "holdout": lambda plan: replace(plan, config=replace(plan.config, holdout=0.3)),
    "the body": lambda plan: replace(plan, target=replace(plan.target, body="other")),
    "order of cases": lambda plan: replace(plan, cases=plan.cases[::-1]),
    "order of siblings": lambda plan: replace(plan, rivals=plan.rivals[::-1]),
}


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(make_bench_project(tmp_path))


@pytest.mark.parametrize("change", MAKES_STALE.values(), ids=MAKES_STALE)
def test_what_a_rate_depends_on_makes_it_stale(plan: Plan, change: Callable[[Plan], Plan]) -> None:
    old = target_fingerprint(plan, engine="docker")
    assert target_fingerprint(change(plan), engine="docker") != old


@pytest.mark.parametrize("change", LEAVES_FRESH.values(), ids=LEAVES_FRESH)
def test_what_a_rate_does_not_depend_on_leaves_it_fresh(
    plan: Plan, change: Callable[[Plan], Plan]
) -> None:
    old = target_fingerprint(plan, engine="docker")
    assert target_fingerprint(change(plan), engine="docker") == old


def test_another_engine_makes_a_rate_stale(plan: Plan) -> None:
    docker, local = (target_fingerprint(plan, engine=name) for name in ("docker", "local"))
    assert docker != local


def test_a_text_takes_the_place_of_the_targets_own(plan: Plan) -> None:
    written = edited(plan, "Another text")
    ahead = target_fingerprint(plan, engine="docker", text="Another text")
    assert ahead == target_fingerprint(written, engine="docker")


def test_the_cases_alone_do_not_know_the_description(plan: Plan) -> None:
    assert cases_fingerprint(edited(plan, "Another text")) == cases_fingerprint(plan)
    assert cases_fingerprint(with_case(plan, prompt="other")) != cases_fingerprint(plan)


def test_a_cases_own_turns_are_those_of_the_run_where_it_has_none(tmp_path: Path) -> None:
    plans = [
        plan_of(make_bench_project(tmp_path / str(turns)), LoopConfig(max_turns=turns))
        for turns in (2, 4)
    ]
    assert cases_fingerprint(plans[0]) != cases_fingerprint(plans[1])


@pytest.mark.parametrize("what", sorted(MAKES_STALE.keys() - ONLY_MEASURED))
def test_what_asks_for_another_search(plan: Plan, what: str) -> None:
    old = search_fingerprint(plan, engine="docker")
    assert search_fingerprint(MAKES_STALE[what](plan), engine="docker") != old


@pytest.mark.parametrize("what", sorted(ONLY_MEASURED))
def test_siblings_and_claude_codes_version_ask_for_a_measurement_only(
    plan: Plan, what: str
) -> None:
    old = search_fingerprint(plan, engine="docker")
    assert search_fingerprint(MAKES_STALE[what](plan), engine="docker") == old
