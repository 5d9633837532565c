from dataclasses import replace

import pytest

from skillwalker.search.protocol import History
from skillwalker.search.stuck import stuck_cases
from tests.measured import iteration, result
from tests.search.racing import split_cases


@pytest.mark.parametrize(
    ("rows", "stuck"),
    [
        pytest.param(["n", "n", "n"], True, id="two have left it"),
        pytest.param(["n", "n"], False, id="one alone says little"),
        pytest.param(["nn", "n", "nnn"], True, id="however often each was run"),
        pytest.param(["n", "n", "n", "t"], False, id="one has moved it"),
        pytest.param(["n", "n", "", "n"], True, id="one was not run on it"),
        pytest.param(["n", "u", "n"], False, id="one was not decided"),
        pytest.param(["t", "t", "t"], False, id="it goes right"),
        pytest.param(["tn", "tn", "tn"], False, id="half and half"),
        pytest.param(["tnn", "tnn", "ntn"], True, id="a third each time"),
        pytest.param(["tnn", "n", "n"], False, id="they did worse"),
        pytest.param([], False, id="nothing yet"),
    ],
)
def test_stuck(rows: list[str], stuck: bool) -> None:
    cases = split_cases(1)
    split = cases[0]
    measured = [replace(result(split.case.name, row), case=split.case) for row in rows]
    events = [
        iteration(number, (found,) if found.trials else ())
        for number, found in enumerate(measured, start=1)
    ]
    assert stuck_cases(History.begin(cases, "text 1", events)) == ((0,) if stuck else ())


@pytest.mark.parametrize(
    ("at", "holdout"), [pytest.param(1, (), id="a negative"), pytest.param(0, (0,), id="held out")]
)
def test_only_train_cases_that_should_trigger_are_looked_into(
    at: int, holdout: tuple[int, ...]
) -> None:
    split = split_cases(2, holdout=holdout)[at]
    letter = "n" if split.case.should_trigger else "t"
    found = replace(result(split.case.name, letter), case=split.case, set=split.set)
    events = [iteration(number, (found,)) for number in (1, 2, 3)]
    assert stuck_cases(History.begin((split,), "text 1", events)) == ()
