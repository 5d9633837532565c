"""Who takes part spends what it may, and the same seeds give the same figures."""

from statistics import fmean

import pytest

from bench.strategies.__main__ import main
from bench.strategies.entrants import ENTRANTS
from bench.strategies.peers import creator_loop, seed_loop
from bench.strategies.run import Job, compete, improve_all
from bench.strategies.scenarios import BASE
from bench.strategies.world import Setting, Skill


@pytest.mark.parametrize("entrant", sorted(ENTRANTS))
def test_a_budget_is_kept_and_the_same_seeds_give_the_same_results(entrant: str) -> None:
    for budget in (0, 25, 60, 150, 300):
        job = Job(scenario=BASE, entrant=entrant, budget=budget, seeds=(1, 2))
        results = improve_all(job)
        assert results == improve_all(job)
        for result in results:
            assert result.calls <= budget
            assert result.applied or result.gain == 0.0


def test_each_shipped_strategy_takes_part_under_its_own_name() -> None:
    """The phases stop after five texts, however much is left; a race goes on."""
    scored = {
        entrant: [ENTRANTS[entrant](Skill(seed, Setting()), 900).scored for seed in range(3)]
        for entrant in ("phases", "race")
    }
    assert max(scored["phases"]) <= 5 < max(scored["race"])


def test_the_seed_is_drawn_on_from_the_last_text_and_applies_the_best_vote() -> None:
    skill = Skill(2, Setting(sharpness=50.0))
    ending = seed_loop(skill, 10_000, runs=1, holdout=0.0, most=5)
    assert ending.scored <= 5
    right = sum(chance > 0.5 for chance in ending.applied.chances)
    assert right >= sum(chance > 0.5 for chance in skill.original.chances)


def test_the_rivals_pay_for_whole_votes() -> None:
    skill = Skill(1, Setting(fewest_cases=20, most_cases=20))
    assert seed_loop(skill, 1000, runs=3, holdout=0.4, most=2).scored == 2
    assert skill.calls == 2 * 60 + 1
    skill = Skill(1, Setting(fewest_cases=20, most_cases=20))
    assert creator_loop(skill, 130).scored == 2
    assert skill.calls == 2 * 60 + 1


def test_figures_sum_up_the_results() -> None:
    figures = list(
        compete(scenarios=[BASE], entrants=["seed, 1 run", "phases"], budgets=[150], seeds=range(4))
    )
    assert [row.entrant for row in figures] == ["seed, 1 run", "phases"]
    results = improve_all(Job(scenario=BASE, entrant="phases", budget=150, seeds=tuple(range(4))))
    assert figures[1].gain == pytest.approx(fmean(result.gain for result in results))
    assert figures[1].worse == sum(result.gain < 0 for result in results) / 4
    assert figures[1].worse_error > 0


def test_the_table_is_said_to_be_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--skills", "2", "--budgets", "60", "--entrant", "seed, 1 run", "--jobs", "1"])
    printed = capsys.readouterr().out
    assert printed.startswith("Simulated; 2 skills")
    assert "| base | seed, 1 run | 60 |" in printed


def test_the_matrix_has_a_column_for_each_strategy(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["seed, 1 run", "race"]
    main(["--skills", "2", "--budgets", "60", "80", "--entrant", *names, "--jobs", "1", "--matrix"])
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Simulated; 2 skills")
    assert "| world | budget | seed, 1 run | race |" in printed
    assert sum(line.startswith("| base |") for line in printed) == 2
