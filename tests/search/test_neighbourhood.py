import pytest

from skillwalker.datatypes.inputs import NeighbourCase
from skillwalker.datatypes.scores import CaseResult, GateResult, NeighbourChange
from skillwalker.search.gate import judge
from skillwalker.search.neighbourhood import compare_neighbours
from tests.measured import result, results, trigger_case

OWNERS = {"a1": "demo:a", "a2": "demo:a", "b1": "demo:b"}
NEIGHBOURS = tuple(
    NeighbourCase(owner=owner, case=trigger_case(name, positive=False), group=name)
    for name, owner in OWNERS.items()
)


def rows(**letters: str) -> tuple[CaseResult, ...]:
    """Results of requests that are not the target's."""
    return tuple(result(name, row, positive=False) for name, row in letters.items())


def test_each_neighbour_is_counted_for_itself() -> None:
    before = rows(a1="nnn", a2="nnt", b1="nnn")
    after = rows(a1="ttt", a2="ntn", b1="nnu")
    first, second = compare_neighbours(NEIGHBOURS, before, after)
    assert (first.target, second.target) == ("demo:a", "demo:b")
    assert (first.kept_before, first.runs_before) == (5, 6)
    assert (first.kept_after, first.runs_after) == (2, 6)
    assert first.change == pytest.approx(-0.5)
    assert first.cases == ("a1",)
    assert -0.5 < first.lasting < 0
    assert (second.kept_before, second.runs_before, second.runs_after) == (3, 3, 2)
    assert (second.change, second.lasting, second.cases) == (0.0, 0.0, ())


def test_nothing_decided_is_no_change() -> None:
    (only,) = compare_neighbours(NEIGHBOURS, rows(b1="nn"), rows(b1="uu"))
    assert (only.change, only.lasting, only.runs_before) == (None, 0.0, 0)


def test_nobody_is_nothing() -> None:
    assert compare_neighbours((), (), ()) == ()


def judged(lasting: float) -> GateResult:
    change = NeighbourChange(
        target="demo:a",
        kept_before=6,
        runs_before=6,
        kept_after=2,
        runs_after=6,
        change=-0.7,
        lasting=lasting,
        cases=("a1", "a2"),
    )
    return judge(
        results(["nnn"] * 10, ["nnn"] * 10),
        results(["ttt"] * 10, ["nnn"] * 10),
        threshold=0.9,
        max_loss=0.05,
        rounds=3,
        neighbours=(change,),
    )


@pytest.mark.parametrize(("lasting", "passed"), [(-0.05, True), (-0.051, False), (0.2, True)])
def test_a_neighbours_loss_is_held_to_the_same_limit(lasting: float, passed: bool) -> None:
    result = judged(lasting)
    assert result.passed is passed
    assert result.neighbours[0].target == "demo:a"
    if not passed:
        assert result.reason == (
            "it takes requests of its neighbours: demo:a keeps 2 of 6 instead of 6 of 6 (a1, a2)"
        )
