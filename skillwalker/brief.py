"""What the improver may know of the history: train results only, by construction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.improver import Attempt, Brief, TrainCase
from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.vocabulary import CaseSet, Operator
from skillwalker.intervals import compare
from skillwalker.search.gate import pair
from skillwalker.steps.step_5_score import score

RESOLVED_P = 0.9
"""A difference to the original is called real from this probability on, either way."""


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


def write_brief(
    target: Target,
    *,
    parent: TrainRecord,
    history: Sequence[TrainRecord],
    siblings: Sequence[Target],
    operator: Operator,
    max_units: int,
    when_to_use: str | None,
) -> Brief:
    """Gather what the improver is told.

    Args:
        target: the file as it is; its body says what the description must promise.
        parent: the candidate to start from.
        history: every candidate so far, the original first.
        siblings: the rivals that a model could choose instead.
        operator: how the child is to be made.
        max_units: UTF-16 units the answer may have.
        when_to_use: the part of the listed text that stays.
    """
    cases = tuple(_train_case(result) for result in parent.results)
    verdicts = tuple(result.passed for result in parent.results)
    return Brief(
        kind=target.kind,
        name=target.name,
        body=target.body,
        current=parent.description,
        operator=operator,
        failures=tuple(c for c, passed in zip(cases, verdicts, strict=True) if passed is False),
        successes=tuple(c for c, passed in zip(cases, verdicts, strict=True) if passed),
        history=tuple(_attempt(record, history[0]) for record in history),
        siblings=tuple((rival.name, rival.description) for rival in siblings),
        max_chars=max_units,
        when_to_use=when_to_use,
    )


def _train_case(result: CaseResult) -> TrainCase:
    """Tell a case with its rate and what fired in its place."""
    fired = Counter(name for trial in result.trials for name in trial.also_fired)
    return TrainCase(
        prompt=result.case.prompt,
        should_trigger=result.case.should_trigger,
        triggered=result.triggered,
        decided=result.triggered + result.not_triggered,
        instead=tuple(name for name, _ in sorted(fired.items(), key=lambda i: (-i[1], i[0]))),
    )


def _attempt(record: TrainRecord, original: TrainRecord) -> Attempt:
    """Score a candidate and say whether its difference to the original is more than noise."""
    p_better = compare(pair(original.results, record.results)).p_better
    return Attempt(
        description=record.description,
        score=score(record.results, CaseSet.TRAIN),
        resolved=p_better is not None and not 1 - RESOLVED_P < p_better < RESOLVED_P,
    )
