"""Trials that two runs share, because one took them over from the other or both from a third.

A trial that stands on both sides of a comparison says nothing of a difference: it would only make
the interval narrower than the runs can bear.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from skillwalker.datatypes.comparison import CaseOutcomes, ComparedRun, TakenTrial
from skillwalker.datatypes.vocabulary import Outcome


def without_shared(a: ComparedRun, b: ComparedRun) -> tuple[ComparedRun, ComparedRun]:
    """Leave out what stands on both sides: one run's own trials stay with that run alone."""
    return _trimmed(a, beside=b), _trimmed(b, beside=a)


def _trimmed(run: ComparedRun, *, beside: ComparedRun) -> ComparedRun:
    """Leave out of a run what it took from the other, and what both took from one run."""
    outcomes, shared = dict(run.outcomes), 0
    for key, taken in run.taken.items():
        others = {(one.run_id, one.run_index) for one in beside.taken.get(key, ())}
        common = [
            one
            for one in taken
            if one.run_id == beside.run_id or (one.run_id, one.run_index) in others
        ]
        if common and key in outcomes:
            outcomes[key] = _less(outcomes[key], common)
            shared += len(common)
    return replace(run, outcomes=outcomes, shared_trials=shared)


def _less(counted: CaseOutcomes, common: Iterable[TakenTrial]) -> CaseOutcomes:
    """Take trials out of a count that they are in."""
    out = Counter(one.outcome for one in common)
    return CaseOutcomes(
        triggered=counted.triggered - out[Outcome.TRIGGERED],
        not_triggered=counted.not_triggered - out[Outcome.NOT_TRIGGERED],
        undecided=counted.undecided - out[Outcome.UNDECIDED],
    )
