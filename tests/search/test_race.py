from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Phase, StopReason
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Propose,
    Refusal,
    Sample,
    Sampled,
    Stop,
    Strategy,
    Work,
)
from skillwalker.search.race import BATCH, Race, default_budget
from tests.search.racing import World, drive, split_cases, used

LAW = settings(max_examples=25, deadline=None)


def even(_number: int, _case: TriggerCase) -> float:
    return 0.7


def growing(number: int, _case: TriggerCase) -> float:
    return min(0.95, 0.5 + 0.1 * number)


def race(cases: int = 12, **settings: int) -> Race:
    return Race(cases=cases, **{"budget": default_budget(cases), **settings})


def asked(named: list[Work]) -> list[Propose]:
    return [work for work in named if isinstance(work, Propose)]


# --- a whole search ----------------------------------------------------------------------------


def test_the_original_is_measured_once_on_every_case_first() -> None:
    strategy: Strategy = race()
    work = strategy.next_work(History.begin(split_cases(12), "the original"))
    every = tuple(CellRuns(at=at, runs=1) for at in range(12))
    assert work == Measure(description="the original", phase=Phase.EXPLORE, runs=1, cells=every)


@given(
    st.integers(2, 30),
    st.integers(0, 20),
    st.integers(0, 30),
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.2, 1.0]),
)
@LAW
def test_a_search_ends_within_its_budget(
    cases: int, factor: int, kept_back: int, seed: int, undecided: float
) -> None:
    strategy = race(cases, budget=cases * factor, kept_back=kept_back, seed=seed)
    world = World(growing, seed=seed, undecided=undecided)
    history, named = drive(strategy, split_cases(cases), world)
    assert used(history) <= max(cases, strategy.search_budget)
    assert isinstance(named[-1], Stop)
    rounds = 2 * cases * strategy.confirm_rounds
    if factor >= 4 and used(history) > cases:
        assert used(history) + rounds + kept_back <= cases * factor


@pytest.mark.parametrize(
    ("cases", "budget", "rounds"),
    [(30, 300, 1), (30, 599, 1), (30, 600, 2), (30, 3000, 10), (30, 120, 1), (12, 0, 1)],
)
def test_a_fifth_of_the_budget_is_kept_for_whole_rounds(
    cases: int, budget: int, rounds: int
) -> None:
    assert race(cases, budget=budget).confirm_rounds == rounds


def test_the_neighbours_requests_are_part_of_each_round() -> None:
    strategy = race(12, neighbours=8)
    assert (strategy.confirm_rounds, strategy.search_budget) == (1, 80)


@pytest.mark.parametrize(("budget", "measures_only"), [(47, True), (48, False)])
def test_below_four_trials_a_case_it_only_measures(budget: int, measures_only: bool) -> None:
    _, named = drive(race(budget=budget), split_cases(12), World(even))
    assert (len(named) == 2) is measures_only
    if measures_only:
        assert named[-1] == Stop(reason=StopReason.UNRESOLVED)


def test_the_first_three_proposals_rewrite_and_the_others_edit() -> None:
    _, named = drive(race(budget=600), split_cases(12), World(growing))
    operators = [work.operator for work in asked(named)]
    assert len(operators) > 4
    assert operators == [Operator.REWRITE] * 3 + [Operator.EDIT] * (len(operators) - 3)
    phases = {work.operator: work.phase for work in asked(named)}
    assert phases == {Operator.REWRITE: Phase.EXPLORE, Operator.EDIT: Phase.CONVERGE}


def test_the_parent_is_the_leader() -> None:
    def second_is_best(number: int, _case: TriggerCase) -> float:
        return 1.0 if number == 2 else 0.3

    history, named = drive(race(budget=400), split_cases(20), World(second_is_best))
    assert race().best(history).number == 2
    assert [work.parent for work in asked(named)][:2] == [1, 2]


def test_as_many_runs_as_cases_lie_between_two_proposals() -> None:
    strategy, world, cases = race(20), World(even), split_cases(20)
    history, since = History.begin(cases, "the original"), 20
    while not isinstance(work := strategy.next_work(history), Stop):
        if isinstance(work, Propose):
            assert since >= 20
            since = 0
        elif isinstance(work, Sample) and len(history.iterations) > 1:
            since += sum(cell.runs for part in work.parts for cell in part.cells)
        history = history.then(world.do(history, work))
    assert len(history.iterations) > 3


def test_a_child_gets_a_first_look_at_a_third_of_the_cases() -> None:
    _, named = drive(race(30), split_cases(30), World(even))
    looks = [sum(cell.runs for cell in work.cells or ()) for work in asked(named)]
    assert set(looks) == {10}


def test_leader_and_challenger_get_a_batch_each_in_one_step() -> None:
    _, named = drive(race(30), split_cases(30), World(even))
    sizes = [
        [sum(cell.runs for cell in part.cells) for part in work.parts]
        for work in named
        if isinstance(work, Sample) and len(work.parts) == 2
    ]
    assert len(sizes) > 5
    assert all(size == [BATCH, BATCH] for size in sizes)
    pairs = [{part.number for part in w.parts} for w in named if isinstance(w, Sample)]
    assert all(pairs)


def test_what_failed_once_is_run_again_before_the_improver_is_told() -> None:
    strategy, world, cases = race(20), World(even), split_cases(20, holdout=range(10, 20))
    history = History.begin(cases, "the original")
    proposals = 0
    while not isinstance(work := strategy.next_work(history), Stop):
        if isinstance(work, Propose):
            proposals += 1
            row = history.tallies[work.parent - 1]
            once = [at for at, t in enumerate(row) if t.correct < t.decided and t.runs == 1]
            assert all(cases[at].set is CaseSet.HOLDOUT for at in once)
        if isinstance(work, Sample) and len(history.iterations) == 1:
            again = [cases[at].set for part in work.parts for at, _ in part.cells]
            assert set(again) == {CaseSet.TRAIN}
        history = history.then(world.do(history, work))
    assert proposals > 2


# --- how it ends -------------------------------------------------------------------------------


def test_an_original_without_a_fault_needs_no_search() -> None:
    _, named = drive(race(), split_cases(12), World(lambda _n, _c: 1.0))
    assert named[1:] == [Stop(reason=StopReason.PERFECT)]


def test_a_case_that_was_never_decided_is_not_perfect() -> None:
    _, named = drive(race(), split_cases(12), World(lambda _n, _c: 1.0, undecided=0.5))
    assert len(named) > 2


def test_a_clear_winner_ends_the_search_early() -> None:
    def second_is_best(number: int, _case: TriggerCase) -> float:
        return 0.97 if number == 2 else 0.3

    strategy = race(40, budget=800)
    history, named = drive(strategy, split_cases(40), World(second_is_best))
    assert named[-1] == Stop(reason=StopReason.CONVERGED)
    assert strategy.best(history).number == 2


@pytest.mark.parametrize(
    ("before", "after", "room", "reason"),
    [
        pytest.param(0.0, 1.0, 14, StopReason.CONVERGED, id="surely better"),
        pytest.param(1.0, 0.0, 14, StopReason.UNRESOLVED, id="hardly better"),
        pytest.param(0.7, 0.72, 14, None, id="open, and there is room"),
        pytest.param(0.7, 0.72, 11, StopReason.UNRESOLVED, id="open, and there is none"),
        pytest.param(0.0, 1.0, 20, None, id="another child fits in"),
    ],
)
def test_the_end_of_a_search(
    before: float, after: float, room: int, reason: StopReason | None
) -> None:
    cases = split_cases(40)
    world = World(lambda number, _case: before if number == 1 else after)
    history = History.begin(cases, "the original")
    for text in ("the original", "text 2"):
        work = Measure(description=text, phase=Phase.EXPLORE, runs=4)
        history = history.then(world.do(history, work))
    strategy = race(40, budget=used(history) + room + 80)
    assert strategy.search_budget == used(history) + room
    named = strategy.next_work(history)
    assert (named.reason if isinstance(named, Stop) else None) is reason


def test_children_that_are_worse_leave_it_unresolved() -> None:
    def original_is_best(number: int, _case: TriggerCase) -> float:
        return 0.9 if number == 1 else 0.3

    strategy = race(40)
    history, named = drive(strategy, split_cases(40), World(original_is_best))
    assert named[-1] == Stop(reason=StopReason.UNRESOLVED)
    assert strategy.best(history).number == 1


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        pytest.param({1, 2}, StopReason.IMPROVER, id="at once"),
        pytest.param({2, 3}, StopReason.IMPROVER, id="in a row, with runs between"),
        pytest.param({1, 3}, None, id="apart"),
    ],
)
def test_two_refusals_in_a_row_end_it(refused: set[int], reason: StopReason | None) -> None:
    world = World(even, refused=frozenset(refused))
    history, named = drive(race(20, budget=400), split_cases(20), world)
    assert isinstance(named[-1], Stop)
    assert (named[-1].reason is StopReason.IMPROVER) is (reason is not None)
    refusals = sum(isinstance(event, Refusal) for event in history.events)
    assert refusals == len(refused)


# --- a pure function ---------------------------------------------------------------------------


@given(st.integers(0, 1000), st.permutations(range(12)))
@LAW
def test_the_order_of_the_cases_changes_nothing(seed: int, order: list[int]) -> None:
    cases = split_cases(12)
    moved = tuple(cases[at] for at in order)
    one, _ = drive(race(seed=seed), cases, World(growing, seed=seed))
    other, _ = drive(race(seed=seed), moved, World(growing, seed=seed))
    for before, after in zip(one.iterations, other.iterations, strict=True):
        names = {result.case.name: result.trials for result in before.results}
        assert names == {result.case.name: result.trials for result in after.results}


def test_the_same_history_has_the_same_answer_and_a_seed_is_another_search() -> None:
    one, named = drive(race(seed=1), split_cases(12), World(even))
    again, named_again = drive(race(seed=1), split_cases(12), World(even))
    assert (one, named) == (again, named_again)
    assert named != drive(race(seed=2), split_cases(12), World(even))[1]


def test_near_duplicates_share_their_runs() -> None:
    """Nine paraphrases of one question get no more of the search than three other cases."""
    groups = ["one" if at % 2 == 0 and at < 18 else f"{at}" for at in range(24)]
    history, _ = drive(race(24), split_cases(24, groups=groups), World(even))
    further = [event for event in history.events if isinstance(event, Sampled)]
    runs = [
        (result.case.name, len(result.trials), groups[int(result.case.name[-2:])])
        for event in further
        for number, results in event.parts
        for result in results
        if number > 1 and result.case.should_trigger
    ]
    alone = sum(count for _, count, group in runs if group != "one")
    assert alone > 2 * sum(count for _, count, group in runs if group == "one")


def test_best_is_that_of_the_posterior_not_of_the_raw_rate() -> None:
    """One lucky run of a new text does not beat many good ones."""
    cases = split_cases(6)
    world = World(lambda number, _c: 1.0 if number == 3 else 0.9)
    history = History.begin(cases, "the original")
    strategy = race(6, budget=600)
    for work in (
        Measure(description="the original", phase=Phase.EXPLORE, runs=9),
        Measure(description="text 2", phase=Phase.EXPLORE, runs=1, cells=()),
    ):
        history = history.then(world.do(history, work))
    assert strategy.best(history).number == 1
    assert strategy.best(replace(history)).number == 1


@pytest.mark.parametrize(
    ("chances", "best"),
    [
        pytest.param(((1.0, 0.0), (0.5, 0.5)), 2, id="the later does better where it is weakest"),
        pytest.param(((0.5, 0.5), (1.0, 0.0)), 1, id="the earlier does"),
        pytest.param(((0.5, 0.5), (1.0, 0.5)), 2, id="the mean decides first"),
    ],
)
def test_of_equals_the_text_whose_weakest_model_does_better_is_best(
    chances: tuple[tuple[float, float], ...], best: int
) -> None:
    """Two models with two cases of each class; a chance is the share of a model's runs."""
    cases = tuple(
        replace(split, case=replace(split.case, model="haiku" if at < 4 else "opus"))
        for at, split in enumerate(split_cases(8))
    )

    def chance(number: int, case: TriggerCase) -> float:
        at = int(case.name[-2:])
        share = chances[number - 1][at // 4]
        return 1.0 if at % 4 < 4 * share else 0.0

    history, world = History.begin(cases, "the original"), World(chance)
    for number in (1, 2):
        work = Measure(description=f"text {number}", phase=Phase.EXPLORE, runs=2)
        history = history.then(world.do(history, work))
    assert race(8, budget=800).best(history).number == best
