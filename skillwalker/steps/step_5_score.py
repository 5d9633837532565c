"""Counts, rates and the choice of the best iteration.

Step 5: takes the case results of a candidate, gives its score by votes and its rates by runs.
An undecided trial enters neither; what was not measured is None.
"""

from collections.abc import Sequence
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


def rates(results: Sequence[CaseResult]) -> Rates:
    """Make the four rates of one description, from decided runs alone.

    `rate` is the mean over cases of the case's share of correct runs, so that a case that was
    run more often weighs no more; it equals k / n when all had the same number of runs. Results
    of the same case and model, as from several rounds, count as one case.

    Source: `intervals.over_cases` for the intervals; `intervals.mean_of_two` for `balanced`.
    """
    counts = tuple(_by_case(results))
    recall = _rate([(k, n) for positive, k, n in counts if positive])
    specificity = _rate([(k, n) for positive, k, n in counts if not positive])
    return Rates(
        accuracy=_rate([(k, n) for _, k, n in counts]),
        recall=recall,
        specificity=specificity,
        balanced=_balanced(recall, specificity),
    )


def _by_case(results: Sequence[CaseResult]) -> Sequence[tuple[bool, int, int]]:
    """Sum correct and decided runs by case and model, in order of first appearance."""
    sums: dict[tuple[str, str], tuple[bool, int, int]] = {}
    for result in results:
        key = (result.case.name, result.case.model)
        positive, k, n = sums.get(key, (result.case.should_trigger, 0, 0))
        decided = result.triggered + result.not_triggered
        sums[key] = (positive, k + result.correct, n + decided)
    return tuple(sums.values())


def _rate(counts: Sequence[tuple[int, int]]) -> Rate:
    """Make a rate of the (correct, decided) runs of cases."""
    k, n = sum(k for k, _ in counts), sum(n for _, n in counts)
    shares = [correct / decided for correct, decided in counts if decided]
    if not shares:
        return Rate(k=0, n=0, rate=None, low=None, high=None)
    low, high = over_cases(shares, n)
    return Rate(k=k, n=n, rate=fmean(shares), low=low, high=high)


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


def _rank(iteration: Iteration) -> tuple[float, float, int]:
    """Say how good an iteration is, the earliest of equals highest."""
    holdout = score(iteration.results, CaseSet.HOLDOUT).accuracy
    train = score(iteration.results, CaseSet.TRAIN).accuracy
    return (_known(holdout), _known(train), -iteration.number)


def _known(accuracy: float | None) -> float:
    """Put an unknown accuracy below 0."""
    return -1.0 if accuracy is None else accuracy
