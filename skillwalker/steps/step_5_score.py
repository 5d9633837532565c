"""Counts, rates and the choice of the best iteration.

Step 5: takes the case results of a candidate, gives its score by votes and its rates by runs.
An undecided trial enters neither; what was not measured is None.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from skillwalker.datatypes.scores import CaseResult, Iteration, Rate, Rates, SetScore
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.intervals import mean_of_two, over_cases


def score(results: Sequence[CaseResult], case_set: CaseSet) -> SetScore:
    """Count the votes of one set's cases."""
    votes = [result.passed for result in results if result.set is case_set]
    return SetScore(
        passed=votes.count(True), failed=votes.count(False), undecided=votes.count(None)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRuns:
    """Correct of decided runs of one case."""

    positive: bool
    """Whether the target should trigger."""
    correct: int
    decided: int
    group: str | None = None
    """Joins near-duplicates, and a case on several models: one draw together; None is alone."""


def count_runs(results: Sequence[CaseResult]) -> dict[tuple[str, str], CaseRuns]:
    """Sum the runs of each case and model, in order of first appearance.

    Results of the same case, as from several confirm rounds, become one. A case on several models
    is one draw, whatever it is run on.
    """
    runs: dict[tuple[str, str], CaseRuns] = {}
    for result in results:
        key = (result.case.name, result.case.model)
        before = runs.get(key)
        runs[key] = CaseRuns(
            positive=result.case.should_trigger,
            correct=result.correct + (before.correct if before else 0),
            decided=result.triggered + result.not_triggered + (before.decided if before else 0),
            group=result.group or result.case.name,
        )
    return runs


def rates(results: Sequence[CaseResult]) -> Rates:
    """Make the four rates of one description, from decided runs alone.

    `rate` is the mean over cases of the case's share of correct runs, so that a case that was
    run more often weighs no more; it equals k / n when all had the same number of runs. The
    intervals are over groups: near-duplicates, or one case on several models, say little more
    than one case does.

    Source: `intervals.over_cases` for the intervals; `intervals.mean_of_two` for `balanced`.
    """
    return rates_of(tuple(count_runs(results).values()))


def rates_of(runs: Sequence[CaseRuns]) -> Rates:
    """Make the four rates from the runs of each case; see `rates`."""
    recall = _rate([case for case in runs if case.positive])
    specificity = _rate([case for case in runs if not case.positive])
    return Rates(
        accuracy=_rate(runs),
        recall=recall,
        specificity=specificity,
        balanced=_balanced(recall, specificity),
    )


def _rate(runs: Sequence[CaseRuns]) -> Rate:
    """Make a rate of cases; one without a decided run leaves it."""
    decided = [case for case in runs if case.decided]
    if not decided:
        return Rate(k=0, n=0, rate=None, low=None, high=None)
    shares = [case.correct / case.decided for case in decided]
    n = sum(case.decided for case in decided)
    low, high = over_cases(shares, n, groups=[case.group for case in decided])
    return Rate(
        k=sum(case.correct for case in decided), n=n, rate=fmean(shares), low=low, high=high
    )


def _balanced(recall: Rate, specificity: Rate) -> Rate:
    """Make the mean of both classes; no rate when one of them was not measured."""
    k, n = recall.k + specificity.k, recall.n + specificity.n
    first, second = _limits(recall), _limits(specificity)
    if first is None or second is None:
        return Rate(k=k, n=n, rate=None, low=None, high=None)
    rate, low, high = mean_of_two(first, second)
    return Rate(k=k, n=n, rate=rate, low=low, high=high)


def _limits(rate: Rate) -> tuple[float, float, float] | None:
    """Give rate, low and high of a rate that was measured."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return None
    return rate.rate, rate.low, rate.high


def select_best(iterations: Sequence[Iteration]) -> Iteration:
    """Choose the iteration with the highest holdout accuracy, then train, then the earliest.

    Where several models were asked, the mean over them decides, and of equals the text whose
    weakest model does better goes before the earlier one.

    An accuracy that was not measured ranks below every other. An iteration that passes fewer
    holdout cases than the first is no choice: its accuracy may be high only because the cases
    that it would have failed stayed undecided.

    Args:
        iterations: at least one, the original first.
    """
    least = score(iterations[0].results, CaseSet.HOLDOUT).passed
    eligible = [
        iteration
        for iteration in iterations
        if score(iteration.results, CaseSet.HOLDOUT).passed >= least
    ]
    return max(eligible, key=_rank)


def _rank(iteration: Iteration) -> tuple[float, float, float, int]:
    """Say how good an iteration is, the earliest of equals highest."""
    holdout = score(iteration.results, CaseSet.HOLDOUT).accuracy
    train = score(iteration.results, CaseSet.TRAIN).accuracy
    several = len({result.case.model for result in iteration.results}) > 1
    worst = weakest(iteration.results) if several else None
    return (_known(holdout), _known(train), _known(worst and worst[1]), -iteration.number)


def rates_by_model(results: Sequence[CaseResult]) -> dict[str, Rates]:
    """Make the rates of each model that was asked, in order of their names."""
    models = sorted({result.case.model for result in results})
    return {
        model: rates([result for result in results if result.case.model == model])
        for model in models
    }


def weakest(results: Sequence[CaseResult]) -> tuple[str, float] | None:
    """Name the model under which a description does worst, and its rate.

    The rate is balanced accuracy where a model has cases of both kinds, else accuracy.

    Returns:
        None when no model has a decided run.
    """
    found = (
        (model, rate)
        for model, own in rates_by_model(results).items()
        if (rate := own.balanced.rate if own.balanced.rate is not None else own.accuracy.rate)
        is not None
    )
    return min(found, key=lambda pair: pair[1], default=None)


def _known(accuracy: float | None) -> float:
    """Put an unknown accuracy below 0."""
    return -1.0 if accuracy is None else accuracy
