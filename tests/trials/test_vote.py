from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.trials.vote import Vote
from tests.measured import cell, trial


@given(
    st.lists(st.sampled_from(list(Outcome)), min_size=9, max_size=9),
    st.sampled_from([1, 3, 5, 7, 9]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=200, deadline=None)
def test_a_curtailed_vote_has_the_verdict_of_the_whole_one(
    outcomes: list[Outcome], runs: int, order: Random
) -> None:
    vote = Vote(cell("case", runs=runs))
    whole = Vote(cell("case", runs=runs))
    for index in range(runs):
        whole.settle(trial("case", outcomes[index], run_index=index))
    waiting = list(vote.first_runs())
    while waiting:
        order.shuffle(waiting)
        index = waiting.pop()
        vote.settle(trial("case", outcomes[index], run_index=index))
        if (due := vote.next_run()) is not None:
            waiting.append(due)
    assert vote.result().passed is whole.result().passed
    assert vote.settled <= runs


def test_a_reopened_run_is_waited_for_and_counts_once() -> None:
    vote = Vote(cell("case", runs=3))
    assert list(vote.first_runs()) == [0, 1]
    for index in range(2):
        vote.settle(trial("case", Outcome.UNDECIDED, run_index=index))
    vote.reopen(0)
    assert vote.next_run() is None
    vote.settle(trial("case", Outcome.TRIGGERED, attempt=2))
    assert vote.settled == 2
    assert vote.next_run() == 2
