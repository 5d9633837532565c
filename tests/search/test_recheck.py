"""A measurement against an earlier one, and two given texts side by side."""

from dataclasses import replace

import pytest

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.scores import CaseResult
from skillwalker.datatypes.vocabulary import CaseSet, Phase, StopReason
from skillwalker.search.duel import Duel
from skillwalker.search.protocol import (
    CellRuns,
    History,
    Measure,
    Part,
    Sample,
    Sampled,
    Stop,
    Strategy,
)
from skillwalker.search.recheck import EXTRA_RUNS, Recheck, flips
from tests.measured import iteration, results

NOW = results(["t", "n", "u"], ["n", "t"])
NAMES = tuple(result.case.name for result in NOW)
CASES = tuple(SplitCase(case=r.case, set=CaseSet.TRAIN, group=r.case.name) for r in NOW)
PASSED = (True, False, None, True, False)


def earlier(*verdicts: bool | None) -> dict[tuple[str, str], bool | None]:
    return {(name, "sonnet"): v for name, v in zip(NAMES, verdicts, strict=True)}


def begun(*events: object) -> History:
    return History.begin(CASES, "text 1", events)  # type: ignore[arg-type]  # events of any kind


@pytest.mark.parametrize(
    ("before", "flipped"),
    [
        ((True, False, True, True, False), set()),
        ((False, False, True, True, False), {NAMES[0]}),
        ((True, True, False, False, True), {NAMES[1], NAMES[3], NAMES[4]}),
        ((None, None, None, None, None), set()),
    ],
    ids=["as before", "one better", "both ways", "nothing was known"],
)
def test_a_case_flips_either_way_and_never_without_two_verdicts(
    before: tuple[bool | None, ...], flipped: set[str]
) -> None:
    found = flips(earlier(*before), iteration(1, NOW))
    assert found == {(name, "sonnet") for name in flipped}


def test_the_same_case_under_another_model_is_no_flip() -> None:
    assert flips({(NAMES[0], "opus"): False}, iteration(1, NOW)) == set()


def test_only_flipped_cases_are_run_again_and_only_once() -> None:
    strategy: Strategy = Recheck(earlier=earlier(False, False, None, True, True), runs=1)
    first = strategy.next_work(begun())
    assert first == Measure(description="text 1", phase=Phase.EXPLORE, runs=1)
    one = iteration(1, NOW)
    cells = (CellRuns(0, EXTRA_RUNS), CellRuns(4, EXTRA_RUNS))
    assert strategy.next_work(begun(one)) == Sample(parts=(Part(number=1, cells=cells),))
    again: tuple[CaseResult, ...] = (replace(NOW[0]), replace(NOW[4]))
    done = begun(one, Sampled(parts=((1, again),)))
    assert strategy.next_work(done) == Stop(reason=StopReason.ITERATIONS)
    assert strategy.best(done).number == 1


def test_nothing_is_run_again_where_nothing_flipped() -> None:
    strategy = Recheck(earlier=earlier(*PASSED), runs=1)
    assert strategy.next_work(begun(iteration(1, NOW))) == Stop(reason=StopReason.ITERATIONS)


def test_a_duel_measures_both_texts_and_leaves_the_choice_to_the_confirm_rounds() -> None:
    strategy: Strategy = Duel(challenger="text 2", runs=1, confirm_rounds=3)
    one, two = iteration(1, NOW), iteration(2, NOW)
    assert strategy.next_work(begun()) == Measure(
        description="text 1", phase=Phase.CONVERGE, runs=1
    )
    assert strategy.next_work(begun(one)) == Measure(
        description="text 2", phase=Phase.CONVERGE, runs=1
    )
    assert strategy.next_work(begun(one, two)) == Stop(reason=StopReason.ITERATIONS)
    assert strategy.best(begun(one, two)) is two
    assert strategy.confirm_rounds == 3
