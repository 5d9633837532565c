"""What the improver may know of the history: train results only, by construction."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from skillwalker.datatypes.improver import Brief, EarlierCandidate, TrainCase
from skillwalker.datatypes.inputs import Target, TriggerCase
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Operator
from skillwalker.intervals import compare
from skillwalker.search.belief import Belief, Column, believe
from skillwalker.search.gate import pair
from skillwalker.search.protocol import Tally
from skillwalker.steps.step_5_score import score

RESOLVED_P = 0.9
"""A difference to the original is called real from this probability on, either way."""
CONFIRMED = 0.5
"""Posterior mean under which a case that ran twice is a failure."""
DOUBTFUL = 0.8
MOST_DOUBTFUL = 3
"""Source: the recommended algorithm of Skillwalker's simulation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRecord:
    """A candidate with its train results; holdout and confirm results cannot be put in."""

    description: str
    results: tuple[CaseResult, ...]


def train_only(iteration: Iteration) -> TrainRecord:
    """Leave everything but the train results behind."""
    return TrainRecord(
        description=iteration.description,
        results=tuple(result for result in iteration.results if result.set is CaseSet.TRAIN),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What the trials of the parent say, and how every candidate did."""

    failures: tuple[TrainCase, ...]
    successes: tuple[TrainCase, ...]
    history: tuple[EarlierCandidate, ...]


def write_brief(
    target: Target,
    *,
    parent: TrainRecord,
    history: Sequence[TrainRecord],
    siblings: Sequence[Target],
    operator: Operator,
    max_units: int,
    when_to_use: str | None,
    adaptive: bool = False,
    unmovable: Collection[TriggerCase] = (),
) -> Brief:
    """Gather what the improver is told.

    Args:
        target: the file as it is; its body says what the description must promise.
        parent: the candidate to start from; one of the history.
        history: every candidate so far, the original first.
        siblings: the rivals that a model could choose instead.
        operator: how the child is to be made.
        max_units: UTF-16 units the answer may have.
        when_to_use: the part of the listed text that stays.
        adaptive: the texts ran on different cases, some often: failures and scores are then taken
            from the posterior, else from majority votes.
        unmovable: cases that no description can move; they are told as neither.
    """
    parent = _without(parent, unmovable)
    history = [_without(record, unmovable) for record in history]
    evidence = _by_belief(parent, history) if adaptive else _by_votes(parent, history)
    return Brief(
        kind=target.kind,
        name=target.name,
        body=target.body,
        current=parent.description,
        operator=operator,
        failures=evidence.failures,
        successes=evidence.successes,
        history=evidence.history,
        siblings=tuple((rival.name, rival.description) for rival in siblings),
        max_chars=max_units,
        when_to_use=when_to_use,
    )


def _without(record: TrainRecord, cases: Collection[TriggerCase]) -> TrainRecord:
    """Leave the results of some cases out."""
    if not cases:
        return record
    left_out = {(case.name, case.model) for case in cases}
    return replace(record, results=tuple(r for r in record.results if _key(r) not in left_out))


def _by_votes(parent: TrainRecord, history: Sequence[TrainRecord]) -> _Evidence:
    """Tell what the majority of each case's runs says."""
    told = tuple((_train_case(result), result.passed) for result in parent.results)
    return _Evidence(
        failures=tuple(case for case, passed in told if passed is False),
        successes=tuple(case for case, passed in told if passed),
        history=tuple(_attempt(record, history[0]) for record in history),
    )


def _attempt(record: TrainRecord, original: TrainRecord) -> EarlierCandidate:
    """Score a candidate and say whether its difference to the original is more than noise."""
    return EarlierCandidate(
        description=record.description,
        score=score(record.results, CaseSet.TRAIN),
        resolved=_is_resolved(compare(pair(original.results, record.results)).p_better),
    )


def _is_resolved(p_better: float | None) -> bool:
    """Whether one is better than the other, or worse, by more than noise."""
    return p_better is not None and not 1 - RESOLVED_P < p_better < RESOLVED_P


def _by_belief(parent: TrainRecord, history: Sequence[TrainRecord]) -> _Evidence:
    """Tell what is likely of each case, all candidates' trials considered.

    A failure is confirmed when it is more likely than not after two runs or more. Where there is
    none, the least certain cases that failed at all are told, at most three.
    """
    belief = _train_belief(history)
    place = history.index(parent)
    seen = _cells(history)
    likely = dict(zip(seen, belief.means[place], strict=True))
    told = [(likely[_key(result)], result) for result in parent.results]
    worst_first = sorted(told, key=lambda cell: cell[0])
    failed = [result for mean, result in worst_first if mean < CONFIRMED and _runs(result) > 1]
    if not failed:
        doubtful = (r for mean, r in worst_first if mean < DOUBTFUL and r.correct < _runs(r))
        failed = list(islice(doubtful, MOST_DOUBTFUL))
    works = [r for mean, r in told if mean >= CONFIRMED and 2 * r.correct > _runs(r)]
    return _Evidence(
        failures=tuple(map(_train_case, failed)),
        successes=tuple(_train_case(result) for result in works if result not in failed),
        history=tuple(
            EarlierCandidate(
                description=record.description,
                score=score(record.results, CaseSet.TRAIN),
                resolved=_is_resolved(belief.p_better(at)),
                estimate=round(belief.scores[at].mean, 2),
            )
            for at, record in enumerate(history)
        ),
    )


def _train_belief(history: Sequence[TrainRecord]) -> Belief:
    """Make the posterior of every candidate on every train case."""
    cells = _cells(history)
    columns = [Column(r.case.should_trigger, r.group or r.case.name) for r in cells.values()]
    found = [{_key(result): result for result in record.results} for record in history]
    tallies = [
        [_tally(results[key]) if key in results else Tally() for key in cells] for results in found
    ]
    return believe(columns, tallies)


def _cells(history: Sequence[TrainRecord]) -> dict[tuple[str, str], CaseResult]:
    """List every train case that any candidate ran on."""
    return {_key(result): result for record in reversed(history) for result in record.results}


def _key(result: CaseResult) -> tuple[str, str]:
    """Name a case under one model."""
    return result.case.name, result.case.model


def _runs(result: CaseResult) -> int:
    """Count the decided runs."""
    return result.triggered + result.not_triggered


def _tally(result: CaseResult) -> Tally:
    """Count the trials of a case."""
    return Tally(correct=result.correct, decided=_runs(result), runs=len(result.trials))


def _train_case(result: CaseResult) -> TrainCase:
    """Tell a case with its rate and what fired in its place."""
    fired = Counter(name for trial in result.trials for name in trial.also_fired)
    return TrainCase(
        prompt=result.case.prompt,
        should_trigger=result.case.should_trigger,
        triggered=result.triggered,
        decided=_runs(result),
        instead=tuple(name for name, _ in sorted(fired.items(), key=lambda i: (-i[1], i[0]))),
    )
