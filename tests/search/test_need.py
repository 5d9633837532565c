from collections.abc import Sequence
from dataclasses import replace

import pytest

from skillwalker.intervals import PairedCase, compare
from skillwalker.search.gate import pair
from skillwalker.search.need import Need, to_decide
from tests.measured import results

Sides = tuple[Sequence[str], Sequence[str]]
"""Letters of the positive and of the negative cases."""


def rows(before: Sides, after: Sides) -> tuple[PairedCase, ...]:
    return pair(results(*before), results(*after))


def test_more_rounds_where_the_draws_are_the_doubt() -> None:
    noisy = rows((["tn"] * 12, ["tn"] * 12), (["tn"] * 8 + ["tt"] * 4, ["tn"] * 10 + ["nn"] * 2))
    need = to_decide(noisy, 0.99, 2)
    assert need.rounds is not None
    assert need.rounds > 2
    assert need.trials == 2 * 24 * need.rounds
    assert need.cases is None


def test_more_cases_where_the_cases_are_the_doubt() -> None:
    split = rows(
        (["nnnnn"] * 3 + ["ttttt"] * 3, ["nnnnn"] * 6),
        (["ttttt"] * 3 + ["nnnnn"] * 2 + ["ttttt"], ["nnnnn"] * 6),
    )
    need = to_decide(split, 0.9, 5)
    assert need.rounds is None
    assert need.trials is None
    assert need.cases is not None
    assert need.cases > 12


def test_a_case_on_several_models_is_asked_for_once() -> None:
    split = rows(
        (["nnnnn"] * 3 + ["ttttt"] * 3, ["nnnnn"] * 6),
        (["ttttt"] * 3 + ["nnnnn"] * 2 + ["ttttt"], ["nnnnn"] * 6),
    )
    alone, together = to_decide(split, 0.9, 5).cases, to_decide((*split, *split), 0.9, 5).cases
    assert alone is not None
    assert together == alone


def test_the_advice_is_never_to_stop_where_one_is() -> None:
    clear = rows((["nnn"] * 6, ["nnn"] * 6), (["ttt"] * 6, ["nnn"] * 6))
    assert to_decide(clear, 0.6, 3).rounds == 4


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param((), id="nothing"),
        pytest.param(rows((["tt"], ["nn"]), (["tn"], ["nn"])), id="worse"),
        pytest.param(rows((["tt"], []), (["tt"], [])), id="one class"),
    ],
)
def test_no_advice_without_a_gain(cases: tuple[PairedCase, ...]) -> None:
    assert to_decide(cases, 0.9, 3) == Need(rounds=None, trials=None, cases=None)


def in_groups(runs: int, *, groups: int, cases: int, gained: int) -> tuple[PairedCase, ...]:
    """Give the change of groups of near-duplicates, some of which gain in every run."""
    return tuple(
        PairedCase(
            positive=positive,
            k0=0 if positive else runs,
            n0=runs,
            k1=runs if group < gained or not positive else 0,
            n1=runs,
            group=f"{positive} {group}",
        )
        for positive in (True, False)
        for group in range(groups)
        for _ in range(cases)
    )


def one_question(runs: int) -> list[PairedCase]:
    """Give a class whose near-duplicates gain, but for one that was right before."""
    first, *others = in_groups(runs, groups=1, cases=8, gained=1)
    return [replace(first, k0=runs), *others]


def test_a_class_of_one_group_is_not_decided_by_more_rounds() -> None:
    """The gate takes a fixed spread for it, however often its cases are run."""
    once = one_question(1)
    for runs in (3, 50, 1000):
        assert compare(one_question(runs)).p_better == pytest.approx(compare(once).p_better)
    assert to_decide(once, 0.975, 1) == Need(rounds=None, trials=None, cases=6)


@pytest.mark.parametrize(
    ("runs", "groups", "cases", "threshold"),
    [(2, 6, 2, 0.9), (2, 4, 4, 0.95), (2, 3, 5, 0.95), (3, 8, 2, 0.9), (5, 4, 4, 0.9)],
)
def test_near_duplicates_that_go_together_are_not_taken_for_draws(
    runs: int, groups: int, cases: int, threshold: float
) -> None:
    """What keeps P(better) down is how few questions they are, which more runs do not change."""
    measured = in_groups(runs, groups=groups, cases=cases, gained=1)
    later = in_groups(50, groups=groups, cases=cases, gained=1)
    assert (compare(later).p_better or 0.0) < threshold
    need = to_decide(measured, threshold, runs)
    assert need.rounds is None
    assert need.cases is not None
    assert need.cases > 2 * groups


def test_near_duplicates_ask_for_no_fewer_rounds_than_their_question_alone() -> None:
    once = rows((["tn"] * 12, ["tn"] * 12), (["tn"] * 8 + ["tt"] * 4, ["tn"] * 12))
    alone = [replace(one, group=f"{at}") for at, one in enumerate(once)]
    twice = (*alone, *alone)
    first, doubled = to_decide(alone, 0.99, 2), to_decide(twice, 0.99, 2)
    assert first.rounds is not None
    assert doubled.rounds is None or doubled.rounds >= first.rounds


def test_a_threshold_that_is_all_but_certain_has_a_number() -> None:
    assert to_decide(in_groups(5, groups=6, cases=1, gained=1), 1.0, 5).cases == 555
