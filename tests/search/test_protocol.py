from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.vocabulary import Phase
from skillwalker.search.protocol import Event, History, Refusal, Sampled, Tally
from tests.measured import iteration, result
from tests.search.racing import split_cases

CASES = split_cases(4)
LAW = settings(max_examples=50, deadline=None)


def found(at: int, letters: str) -> CaseResult:
    split = CASES[at]
    row = result(split.case.name, letters, positive=split.case.should_trigger)
    return CaseResult(case=split.case, set=split.set, trials=row.trials, group=split.group)


def history(*events: Event) -> History:
    return History.begin(CASES, "the original", events)


def test_further_trials_are_laid_on_those_of_before() -> None:
    first = iteration(1, (found(0, "t"), found(1, "n")))
    after = history(first, Sampled(parts=((1, (found(2, "u"), found(0, "nt"))),)))
    told = [(r.case.name, r.triggered, len(r.trials)) for r in after.iterations[0].results]
    assert told == [("case 00", 2, 3), ("case 01", 0, 1), ("case 02", 0, 1)]
    assert after.tallies == ((Tally(2, 3, 3), Tally(1, 1, 1), Tally(0, 0, 1), Tally()),)
    assert after.events[0] == first


def test_refusals_are_events_without_trials() -> None:
    after = history(iteration(1, (found(0, "t"),)), Refusal(parent=1))
    assert len(after.events) == 2
    assert len(after.iterations) == len(after.tallies) == 1


def test_a_case_that_left_the_suite_is_in_no_tally() -> None:
    gone = result("an old case", "t")
    after = history(iteration(1, (gone, found(0, "t"))), Sampled(parts=((1, (found(1, "n"),)),)))
    assert sum(tally.runs for tally in after.tallies[0]) == 2
    assert after.iterations[0].results[-1].case.name == "an old case"


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(0, 3), st.text("tnu", min_size=1))))
@LAW
def test_the_fold_is_the_sum_of_all_events(steps: list[tuple[int, int, str]]) -> None:
    starts: list[Event] = [
        Iteration(number=number, phase=Phase.EXPLORE, candidate="", description="", results=())
        for number in (1, 2)
    ]
    further = [Sampled(parts=((number, (found(at, row),)),)) for number, at, row in steps]
    after = history(*starts, *further)
    for number, row in enumerate(after.tallies, start=1):
        for at, tally in enumerate(row):
            letters = "".join(s for n, where, s in steps if (n, where) == (number, at))
            right = letters.count("t" if at % 2 == 0 else "n")
            assert tally == Tally(right, len(letters) - letters.count("u"), len(letters))
