from dataclasses import replace

import pytest

from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import SplitCase
from skillwalker.errors import ConfigError
from skillwalker.search.choice import (
    choose_strategy,
    search_meant,
    settle_search,
    warn_of_choice,
    warn_of_own_runs,
)
from skillwalker.search.phases import Phases
from skillwalker.search.race import Race
from tests.search.racing import split_cases

CASES = split_cases(12)


@pytest.mark.parametrize(
    ("trials", "search"),
    [
        pytest.param(None, "race", id="nobody limits it"),
        pytest.param(48, "race", id="four a case"),
        pytest.param(47, "phases", id="less"),
        pytest.param(0, "phases", id="nothing"),
    ],
)
def test_the_search_is_a_race_where_there_is_room(trials: int | None, search: str) -> None:
    assert settle_search(LoopConfig(race_trials=trials), 12).search == search


@pytest.mark.parametrize("search", ["phases", "race"])
def test_a_search_that_was_named_stays(search: str) -> None:
    assert settle_search(LoopConfig(search=search, race_trials=1), 12).search == search


@pytest.mark.parametrize(
    ("given", "search"),
    [
        pytest.param([], "auto", id="nothing"),
        pytest.param(["seed", "gate"], "auto", id="what both know"),
        pytest.param(["max_iterations"], "phases", id="iterations"),
        pytest.param(["holdout", "seed"], "phases", id="holdout"),
    ],
)
def test_an_option_of_the_phases_asks_for_them(given: list[str], search: str) -> None:
    assert search_meant(given) == search


def test_the_phases_take_their_settings() -> None:
    config = LoopConfig(search="phases", max_iterations=7, runs_per_query=3, confirm_runs=2)
    assert choose_strategy(config, CASES, controls=8) == Phases(
        max_iterations=7, runs=3, confirm_rounds=2
    )


@pytest.mark.parametrize(
    ("trials", "budget", "kept_back"),
    [
        pytest.param(None, 120, 0, id="ten a case, nothing is capped"),
        pytest.param(300, 300, 14, id="room for controls and retries under a cap"),
        pytest.param(0, 0, 8, id="nothing"),
    ],
)
def test_a_race_plans_with_its_own_number(trials: int | None, budget: int, kept_back: int) -> None:
    config = LoopConfig(search="race", race_trials=trials, seed=4, max_loss=0.1, max_trials=7)
    assert choose_strategy(config, CASES, controls=8) == Race(
        cases=12, budget=budget, kept_back=kept_back, seed=4, max_loss=0.1
    )


@pytest.mark.parametrize("search", ["phases", "race"])
def test_a_measurement_measures_the_original_only(search: str) -> None:
    config = LoopConfig(search=search, runs_per_query=5)
    chosen = choose_strategy(config, CASES, controls=4, measure_only=True)
    assert isinstance(chosen, Phases)
    assert (chosen.max_iterations, chosen.runs) == (1, 5)


def test_an_unknown_search_is_refused() -> None:
    with pytest.raises(ConfigError, match="--search must be phases or race; got random"):
        LoopConfig(search="random")


@pytest.mark.parametrize(
    ("config", "warnings"),
    [
        pytest.param(
            LoopConfig(search="phases", runs_per_query=3), [], id="phases ignores nothing"
        ),
        pytest.param(LoopConfig(search="race", race_trials=48), [], id="enough"),
        pytest.param(
            LoopConfig(search="phases", race_trials=83),
            ["--max-trials 83 may end the search before a better text is confirmed: 84"],
            id="no room to confirm",
        ),
        pytest.param(LoopConfig(search="phases", race_trials=84), [], id="room to confirm"),
        pytest.param(
            LoopConfig(search="race", runs_per_query=3, max_iterations=9),
            ["--runs-per-query is ignored", "--max-iterations is ignored"],
            id="ignored",
        ),
        pytest.param(
            LoopConfig(search="race", race_trials=47),
            ["--max-trials 47 is too few for --search race: 12 cases need 48"],
            id="too few",
        ),
    ],
)
def test_warnings(config: LoopConfig, warnings: list[str]) -> None:
    found = warn_of_choice(config, 12)
    assert len(found) == len(warnings)
    assert all(told.startswith(start) for told, start in zip(found, warnings, strict=True))


def with_runs(*own: int | None) -> tuple[SplitCase, ...]:
    """Cases of which each says how often it is run."""
    return tuple(
        replace(split, case=replace(split.case, runs=runs))
        for split, runs in zip(split_cases(len(own)), own, strict=True)
    )


@pytest.mark.parametrize(
    ("config", "cases", "warnings"),
    [
        pytest.param(LoopConfig(), with_runs(None, None), [], id="none says"),
        pytest.param(
            LoopConfig(),
            with_runs(None, 3),
            ['`runs` of case "case 01" is ignored: --search race'],
            id="race is taken by itself",
        ),
        pytest.param(
            LoopConfig(search="race"),
            with_runs(5, None, 1, 3),
            ['`runs` of case "case 00" and of 2 more are ignored: --search race'],
            id="told once",
        ),
        pytest.param(
            LoopConfig(search="race"),
            tuple(
                replace(split, case=replace(split.case, model=model))
                for split in with_runs(3)
                for model in ("opus", "haiku")
            ),
            ['`runs` of case "case 00" is ignored: --search race'],
            id="a case of two models is one",
        ),
        pytest.param(LoopConfig(search="phases"), with_runs(5), [], id="phases heeds it"),
        pytest.param(LoopConfig(race_trials=3), with_runs(5), [], id="too few for a race"),
    ],
)
def test_a_race_says_that_it_heeds_no_runs_of_a_case(
    config: LoopConfig, cases: tuple[SplitCase, ...], warnings: list[str]
) -> None:
    found = warn_of_own_runs(config, cases)
    assert len(found) == len(warnings)
    assert all(told.startswith(start) for told, start in zip(found, warnings, strict=True))
    assert all("--search phases" in told for told in found)
