"""The simulated world: what is drawn, what is true, and what an improver makes of a text."""

from math import exp
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.strategies.improver import Way, improve
from bench.strategies.scenarios import SCENARIOS
from bench.strategies.world import Setting, Skill


@given(st.integers(0, 10_000), st.sampled_from(sorted(SCENARIOS)))
@settings(max_examples=15, deadline=None)
def test_a_seed_gives_the_same_skill(seed: int, scenario: str) -> None:
    one, other = Skill(seed, SCENARIOS[scenario]), Skill(seed, SCENARIOS[scenario])
    assert one.queries == other.queries
    assert one.original == other.original
    assert one.truth(one.original) == other.truth(other.original)


def test_another_seed_gives_another_skill() -> None:
    assert Skill(1, Setting()).original != Skill(2, Setting()).original


@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_a_suite_is_balanced_and_has_the_size_that_the_scenario_says(scenario: str) -> None:
    setting = SCENARIOS[scenario]
    for seed in range(20):
        queries = Skill(seed, setting).queries
        assert setting.fewest_cases <= len(queries) <= setting.most_cases
        assert sum(query.positive for query in queries) * 2 == len(queries)
        for at, query in enumerate(queries):
            twin = queries[query.group]
            assert (twin.positive, twin.cluster, query.group <= at) == (
                query.positive,
                query.cluster,
                True,
            )


def test_near_duplicates_are_there_only_where_they_are_asked_for() -> None:
    copied = [Skill(seed, SCENARIOS["40 % near-duplicates, copied"]) for seed in range(10)]
    base = [Skill(seed, Setting()) for seed in range(10)]
    assert all(q.group == at for skill in base for at, q in enumerate(skill.queries))
    shares = [fmean(q.group != at for at, q in enumerate(skill.queries)) for skill in copied]
    assert 0.25 < fmean(shares) < 0.5
    assert all(
        skill.original.chances[at] == skill.original.chances[query.group]
        for skill in copied
        for at, query in enumerate(skill.queries)
    )


def test_the_base_world_is_as_its_page_says() -> None:
    skills = [Skill(seed, Setting()) for seed in range(300)]
    assert fmean(skill.truth(skill.original) for skill in skills) == pytest.approx(0.76, abs=0.015)
    chances = [chance for skill in skills for chance in skill.original.chances]
    assert fmean(2 * p * (1 - p) for p in chances) == pytest.approx(0.21, abs=0.02)


def test_the_truth_is_what_fresh_queries_would_show() -> None:
    setting = Setting()
    skill = Skill(7, setting)
    weights, text = skill.weights[True], skill.original
    draw = Random(1)  # noqa: S311 (a simulation, no secret)
    shown = []
    for _ in range(20_000):
        cluster = draw.choices(range(len(weights)), weights)[0]
        spread = draw.gauss(0.0, setting.difficulty_sd) + draw.gauss(0.0, setting.quirk_sd)
        logit = setting.level + text.eagerness + text.cover[cluster] + spread
        shown.append(1 / (1 + exp(-setting.sharpness * logit)))
    assert skill.class_truth(text, True) == pytest.approx(fmean(shown), abs=0.01)


def test_a_trial_goes_right_as_often_as_its_chance_says() -> None:
    skill = Skill(3, Setting())
    for query in (0, len(skill.queries) - 1):
        rate = fmean(skill.trial(skill.original, query) for _ in range(4000))
        assert rate == pytest.approx(skill.original.chances[query], abs=0.03)
    assert skill.calls == 8000


def test_real_failures_help_and_bad_luck_does_harm() -> None:
    gains: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(300):
        skill = Skill(seed, Setting(jitter=0.0, eagerness_jitter=0.0, swing=0.0))
        order = sorted(range(len(skill.queries)), key=skill.original.chances.__getitem__)
        for real, shown in ((True, order[:5]), (False, order[-5:])):
            child = improve(skill, skill.original, shown, Way.EDIT)
            gains[real].append(skill.truth(child) - skill.truth(skill.original))
    assert fmean(gains[True]) > 0.01
    assert fmean(gains[False]) < 0


@pytest.mark.parametrize("way", Way)
def test_asking_costs_one_call_and_leaves_the_parent_alone(way: Way) -> None:
    skill = Skill(4, Setting())
    before = skill.original
    child = improve(skill, before, (0, 1), way)
    assert (skill.calls, skill.original) == (1, before)
    assert child != before


def test_a_copied_query_is_helped_without_the_truth() -> None:
    setting = Setting(
        copying=1.0, strength=0.0, jitter=0.0, drift=0.0, swing=0.0, eagerness_jitter=0.0,
        dilution=0.0, quirk_sd=0.0,
    )  # fmt: skip
    skill = Skill(5, setting)
    child = improve(skill, skill.original, (0,), Way.EDIT)
    assert child.chances[0] > skill.original.chances[0]
    assert child.chances[1:] == skill.original.chances[1:]
    assert skill.truth(child) == pytest.approx(skill.truth(skill.original))
