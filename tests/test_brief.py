"""What the improver is told: train results only, confirmed where the texts ran unequally."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.brief import TrainRecord, train_only, write_brief
from skillwalker.datatypes.improver import Brief
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import CaseSet, Operator, Position, TargetKind
from tests.measured import iteration, result

LAW = settings(max_examples=60, deadline=None)
TARGET = Target(
    kind=TargetKind.SKILL,
    position=Position.PLUGIN,
    plugin="demo",
    name="review",
    alias=None,
    path=Path("skills/review/SKILL.md"),
    content=b"",
    description="text 1",
    body="Reviews.",
)


def record(number: int, rows: Mapping[str, str]) -> TrainRecord:
    """A candidate by the letters of each case, wanted to trigger unless its name begins with n."""
    return TrainRecord(
        description=f"text {number}",
        results=tuple(
            result(name, letters, positive=not name.startswith("n"))
            for name, letters in rows.items()
        ),
    )


def brief(
    parent: TrainRecord, *others: TrainRecord, adaptive: bool, siblings: Sequence[Target] = ()
) -> Brief:
    return write_brief(
        TARGET,
        parent=parent,
        history=(*others, parent),
        siblings=siblings,
        operator=Operator.EDIT,
        max_units=500,
        when_to_use=None,
        adaptive=adaptive,
    )


def names(brief: Brief) -> tuple[list[str], list[str]]:
    """Failures and successes, by the case."""
    told = (brief.failures, brief.successes)
    failures, successes = ([case.prompt.removeprefix("please ") for case in c] for c in told)
    return failures, successes


ROWS = {"p1": "nn", "p2": "tn", "p3": "tt", "p4": "n", "p5": "u", "n1": "tt", "n2": "nn"}


def test_votes_tell_every_lost_majority() -> None:
    told = brief(record(1, ROWS), adaptive=False)
    assert names(told) == (["p1", "p4", "n1"], ["p3", "n2"])
    assert [attempt.estimate for attempt in told.history] == [None]


def test_a_race_tells_confirmed_failures_first_and_what_works() -> None:
    told = brief(record(1, ROWS), adaptive=True)
    assert names(told) == (["p1", "n1"], ["p3", "n2"])
    assert [(case.triggered, case.decided) for case in told.failures] == [(0, 2), (2, 2)]


@pytest.mark.parametrize(
    ("rows", "failures"),
    [
        pytest.param({"p1": "n", "n1": "n"}, ["p1"], id="one that failed once"),
        pytest.param(
            {"p1": "n", "p2": "n", "p3": "n", "p4": "n", "n1": "n"},
            ["p1", "p2", "p3"],
            id="at most three",
        ),
        pytest.param({"p1": "tttn", "p2": "tttttttttn"}, ["p1"], id="those under 0.8"),
        pytest.param({"p1": "t", "p2": "u", "n1": "n"}, [], id="none that never failed"),
        pytest.param({"p1": "nn", "p2": "n"}, ["p1"], id="none beside a confirmed one"),
    ],
)
def test_without_a_confirmed_failure_the_doubtful_are_told(
    rows: dict[str, str], failures: list[str]
) -> None:
    assert names(brief(record(1, rows), adaptive=True))[0] == failures


def test_what_other_texts_did_on_a_case_counts_a_little() -> None:
    """A half is a failure where every text fails, and one that can do without where none does."""
    other = {"p2": "nn", "n1": "n"}
    hard, easy = record(1, {"p1": "nnnn", **other}), record(1, {"p1": "tttt", **other})
    half = record(2, {"p1": "tn", "p2": "nn"})
    assert names(brief(half, hard, adaptive=True))[0] == ["p2", "p1"]
    assert names(brief(half, easy, adaptive=True))[0] == ["p2"]


def test_a_race_tells_estimates_and_which_differences_are_more_than_noise() -> None:
    original = record(1, {f"{kind}{at}": "nn" for kind in "p" for at in range(8)} | {"n1": "nn"})
    better = record(2, {f"p{at}": "tt" for at in range(8)})
    alike = record(3, {"p1": "n"})
    told = brief(alike, original, better, adaptive=True)
    estimates = [attempt.estimate for attempt in told.history]
    assert all(estimate is not None and 0 < estimate < 1 for estimate in estimates)
    assert [attempt.resolved for attempt in told.history] == [False, True, False]


@pytest.mark.parametrize("adaptive", [False, True])
def test_what_fired_instead_is_told(adaptive: bool) -> None:
    lost = record(1, {"p1": "nn", "n1": "n"})
    first = lost.results[0]
    trials = tuple(replace(t, also_fired=("demo:other",)) for t in first.trials)
    results = (replace(first, trials=trials), *lost.results[1:])
    told = brief(replace(lost, results=results), adaptive=adaptive)
    assert told.failures[0].instead == ("demo:other",)


@given(
    st.dictionaries(st.sampled_from(["p1", "p2", "n1", "n2"]), st.text("tnu", max_size=4)),
    st.dictionaries(st.sampled_from(["p1", "p2", "n1", "n2"]), st.text("tnu", max_size=4)),
    st.booleans(),
)
@LAW
def test_nothing_is_a_failure_and_a_success(
    first: dict[str, str], second: dict[str, str], adaptive: bool
) -> None:
    told = brief(record(2, second), record(1, first), adaptive=adaptive)
    failures, successes = names(told)
    assert not set(failures) & set(successes)
    assert set(failures) | set(successes) <= {name for name, row in second.items() if row}


@pytest.mark.parametrize("side", [side for side in CaseSet if side is not CaseSet.TRAIN])
def test_only_train_results_are_kept(side: CaseSet) -> None:
    measured = iteration(1, (result("seen", "t"), result("hidden", "n", side=side)))
    assert [r.case.name for r in train_only(measured).results] == ["seen"]
