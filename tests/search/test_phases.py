from collections.abc import Sequence

import pytest

from skillwalker.datatypes.inputs import SplitCase
from skillwalker.datatypes.scores import Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Phase, StopReason
from skillwalker.search.phases import Phases, operator_of, phase_of
from skillwalker.search.protocol import History, Measure, Propose, Refusal, Stop, Strategy, Work
from tests.measured import iteration, results, trigger_case

LETTER = {Phase.EXPLORE: "e", Phase.TRANSITION: "t", Phase.CONVERGE: "c"}
CASES = (SplitCase(case=trigger_case("one"), set=CaseSet.TRAIN, group="one"),)


@pytest.mark.parametrize(
    ("most", "phases"),
    [
        (1, "e"),
        (2, "ec"),
        (3, "eec"),
        (4, "eecc"),
        (5, "eeecc"),
        (6, "eettcc"),
        (7, "eeettcc"),
        (8, "eeetttcc"),
        (9, "eeetttccc"),
    ],
)
def test_phase_table(most: int, phases: str) -> None:
    assert "".join(LETTER[phase_of(n, most)] for n in range(1, most + 1)) == phases


@pytest.mark.parametrize(
    ("phase", "operator"),
    [
        (Phase.EXPLORE, Operator.REWRITE),
        (Phase.TRANSITION, Operator.COMBINE),
        (Phase.CONVERGE, Operator.EDIT),
    ],
)
def test_operator_of(phase: Phase, operator: Operator) -> None:
    assert operator_of(phase) is operator


def history(most: int, rows: Sequence[str | None], *, holdout: str | None = None) -> History:
    """Events by the letters of their train cases, None for a refusal."""
    events: list[Iteration | Refusal] = []
    for place, row in enumerate(rows, start=1):
        if row is None:
            events.append(Refusal(parent=1))
            continue
        measured = results(list(row))
        if holdout is not None:
            measured += results([holdout], side=CaseSet.HOLDOUT)
        number = 1 + sum(isinstance(event, Iteration) for event in events)
        events.append(iteration(number, measured, phase=phase_of(place, most)))
    return History.begin(CASES, "the original", events)


def next_work(most: int, rows: Sequence[str | None], *, holdout: str | None = None) -> Work:
    strategy: Strategy = Phases(max_iterations=most, runs=3)
    return strategy.next_work(history(most, rows, holdout=holdout))


def test_the_original_is_measured_first() -> None:
    assert next_work(5, []) == Measure(description="the original", phase=Phase.EXPLORE, runs=3)


@pytest.mark.parametrize(
    ("most", "rows", "work"),
    [
        pytest.param(5, ["n"], (1, Operator.REWRITE, Phase.EXPLORE), id="rewrite in explore"),
        pytest.param(5, ["t", "n"], (2, Operator.REWRITE, Phase.EXPLORE), id="from the last"),
        pytest.param(
            5, ["n", "t", "n"], (3, Operator.REWRITE, Phase.CONVERGE), id="explore always rewrites"
        ),
        pytest.param(
            5, ["tn", "nn", "tn", "nn"], (4, Operator.EDIT, Phase.CONVERGE), id="edit in converge"
        ),
        pytest.param(6, ["n", "t"], (2, Operator.REWRITE, Phase.TRANSITION), id="the last rewrite"),
        pytest.param(
            6, ["n", "t", "n"], (3, Operator.COMBINE, Phase.TRANSITION), id="combine in transition"
        ),
        pytest.param(5, ["n", None], (1, Operator.REWRITE, Phase.EXPLORE), id="after a refusal"),
        pytest.param(
            5, ["n", None, "n"], (2, Operator.REWRITE, Phase.CONVERGE), id="a refusal uses one up"
        ),
        pytest.param(5, ["n", None, "n", None], (2, Operator.EDIT, Phase.CONVERGE), id="two apart"),
    ],
)
def test_propose(most: int, rows: list[str | None], work: tuple[int, Operator, Phase]) -> None:
    parent, operator, phase = work
    assert next_work(most, rows) == Propose(parent=parent, operator=operator, phase=phase, runs=3)


@pytest.mark.parametrize(
    ("most", "rows", "holdout", "reason"),
    [
        pytest.param(5, ["tt"], None, None, id="perfect original goes on"),
        pytest.param(5, ["tt", "tt", "tt"], None, None, id="perfect in explore goes on"),
        pytest.param(5, ["tn", "tn", "tn", "tt"], None, StopReason.PERFECT, id="perfect"),
        pytest.param(
            5, ["tt", "tn", "tn", "tn"], None, StopReason.PERFECT, id="an earlier one is perfect"
        ),
        pytest.param(5, ["nt", "nn", "tn", "tu"], None, None, id="undecided is not perfect"),
        pytest.param(5, ["nt", "nn", "tn", "tt"], "n", None, id="holdout fails"),
        pytest.param(5, ["nt", "nn", "tn", "tt"], "u", None, id="holdout undecided"),
        pytest.param(5, ["tn", "tn", "tn", "tt"], "t", StopReason.PERFECT, id="holdout passes"),
        pytest.param(3, ["tn", "nt", "tt"], None, StopReason.PERFECT, id="perfect at the end"),
        pytest.param(3, ["nn", "tn", "nn"], None, StopReason.ITERATIONS, id="used up"),
        pytest.param(1, ["t"], None, StopReason.ITERATIONS, id="one and perfect"),
        pytest.param(3, ["n", None, "n"], None, StopReason.ITERATIONS, id="used up by a refusal"),
        pytest.param(6, ["n", None, None], None, StopReason.IMPROVER, id="two refusals in a row"),
        pytest.param(3, ["n", None, None], None, StopReason.IMPROVER, id="two refusals at the end"),
        pytest.param(5, ["tn"] * 4, None, StopReason.CONVERGED, id="all alike in converge"),
        pytest.param(5, ["tn"] * 3, None, None, id="all alike in explore"),
        pytest.param(5, ["nt", "tn", "tn", "tn"], None, None, id="the original differs"),
        pytest.param(
            5, ["tn", None, "tn", "tn"], None, StopReason.CONVERGED, id="three alike and a refusal"
        ),
        pytest.param(5, [""] * 4, None, StopReason.CONVERGED, id="nothing is not perfect"),
        pytest.param(4, ["tn", None, "tn"], None, None, id="two alike are too few"),
    ],
)
def test_stop(
    most: int, rows: list[str | None], holdout: str | None, reason: StopReason | None
) -> None:
    work = next_work(most, rows, holdout=holdout)
    assert (work.reason if isinstance(work, Stop) else None) is reason


@pytest.mark.parametrize("most", range(1, 10))
def test_never_more_than_the_iterations(most: int) -> None:
    rows: list[str | None] = []
    while not isinstance(work := next_work(most, rows), Stop):
        rows.append("tn" if len(rows) % 2 else "nt")
    assert len(rows) == most
    assert work.reason is StopReason.ITERATIONS


@pytest.mark.parametrize(
    ("most", "operators"),
    [(2, "r"), (3, "rr"), (4, "rre"), (5, "rrre"), (6, "rrcce"), (7, "rrrcce"), (9, "rrrcccee")],
)
def test_operators_of_a_whole_search(most: int, operators: str) -> None:
    rows: list[str | None] = ["nn"]
    made = ""
    while isinstance(work := next_work(most, rows), Propose):
        made += work.operator.value[0]
        rows.append("tn" if len(rows) % 2 else "nt")
    assert made == operators


def test_best_is_that_of_step_5() -> None:
    strategy = Phases(max_iterations=5, runs=1)
    assert strategy.best(history(5, ["nn", "tn", "tt", "tt"])).number == 3
