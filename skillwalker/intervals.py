"""Intervals for rates and for the change between two descriptions, over cases.

The cases of a suite are a sample of what users type, so every interval is about more cases of the
same kind: the runs of one case are never counted as independent of each other.

Source: Evan Miller, "Adding Error Bars to Evals", https://arxiv.org/abs/2411.00640 (paired by
question, clustered by question).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, inf, sqrt
from statistics import fmean

from skillwalker.distributions import CONFIDENCE, normal_cdf, normal_quantile, t_quantile

VARIANCE_FLOOR = 0.02
"""Added to the variance of a case's change: few cases that agree prove no agreement.

Source: Skillwalker's simulation of 600 skills, in which the gate was calibrated with it.
"""
LONE_VARIANCE = 0.25
"""Variance of a change when its class has one group, so that none can be seen: that of a coin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCase:
    """Correct runs (k) of decided runs (n) of one case before (0) and after (1)."""

    positive: bool
    """Whether the target should trigger."""
    k0: int
    n0: int
    k1: int
    n1: int
    group: str | None = None
    """Joins near-duplicates, whose changes are one draw together; None stands alone."""


def said_probability(value: float, *, decimals: int = 2) -> str:
    """Write a probability so that it never looks certain."""
    text, least = f"{value:.{decimals}f}", 10**-decimals
    if float(text) >= 1:
        return f"> {1 - least:.{decimals}f}"
    return f"< {least:.{decimals}f}" if float(text) <= 0 else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a second description differs from a first on the cases that both decided."""

    p_better: float | None
    """Chance that the true balanced accuracy is higher; None when a class has no paired case."""
    change: float | None
    """Of balanced accuracy."""
    interval: tuple[float, float] | None
    """90 % interval of `change` over cases."""
    recall_change: float | None
    specificity_change: float | None
    recall_error: float | None = None
    """Standard error of `recall_change` over cases."""
    specificity_error: float | None = None
    recall_interval: tuple[float, float] | None = None
    """Likewise of `recall_change`, over the cases of its class; None where it has under two."""
    specificity_interval: tuple[float, float] | None = None


def wilson(k: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Give Wilson's interval of k successes in n trials; n may be a fraction.

    Source: E. B. Wilson, "Probable inference", JASA 22 (1927).
    """
    if n <= 0:
        return 0.0, 1.0
    rate = k / n
    square = normal_quantile(confidence) ** 2
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = sqrt(square * (rate * (1 - rate) / n + square / (4 * n * n))) / (1 + square / n)
    return max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half))


def over_cases(
    shares: Sequence[float],
    runs: int,
    confidence: float = CONFIDENCE,
    *,
    groups: Sequence[str | None] | None = None,
) -> tuple[float, float]:
    """Give the interval of a mean over cases, however many runs each case had.

    Wilson's interval of as many trials as the cases are worth: their number when each had one run
    or when runs of a case agree, up to `runs` when they vary as if independent. So many runs of
    few cases stay a small sample, and cases that all agree get no interval of width 0. Few cases
    show badly how their runs vary, for which t corrects; that never makes them worth less than one
    run each, since all other runs could be left out. Cases of one group count as the runs of one
    case do: together they are worth one when they agree.

    Args:
        shares: each case's share of correct runs, at least one.
        runs: decided runs of all cases.
        confidence: of the two-sided interval.
        groups: joins near-duplicates and one case on several models, share by share; None, or a
            None in it, stands alone.

    Source: effective sample size with the t correction of Korn and Graubard, "Confidence
        intervals for proportions with small expected number of positive counts", Survey
        Methodology 24 (1998); in Wilson's interval as in Dean and Pagano, JSSAM 3 (2015).
    """
    rate = fmean(shares)
    seen = _in_groups([share - rate for share in shares], groups or (None,) * len(shares))
    worth = seen.draws
    if seen.groups > 1 and runs > seen.groups:
        chance = rate * (1 - rate)
        free = chance / seen.between if seen.between > 0 else (inf if chance > 0 else 0.0)
        loss = (normal_quantile(confidence) / t_quantile(seen.groups - 1, confidence)) ** 2
        worth = max(worth, min(float(runs), free) * loss)
    return wilson(rate * worth, worth, confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grouped:
    """What a mean over cases is worth where some of them are one draw together."""

    groups: int
    draws: float
    """Independent cases that the mean is worth when each group agrees; fewer than the groups
    where these differ in size."""
    between: float
    """Variance of the mean, as the groups show it; 0 of a single one."""


def _in_groups(errors: Sequence[float], groups: Sequence[str | None]) -> _Grouped:
    """Lay the deviations of cases from their mean together by group.

    Source: the clustered standard error of Miller (see the module), with the correction
        G / (G - 1) for few groups; the effective number of draws is Kish's, Survey Sampling (1965).
    """
    found: dict[object, list[float]] = {}
    for at, (error, group) in enumerate(zip(errors, groups, strict=True)):
        found.setdefault(at if group is None else group, []).append(error)
    count, cases = len(found), len(errors)
    sums = fsum(fsum(group) ** 2 for group in found.values()) / cases**2
    return _Grouped(
        groups=count,
        draws=cases**2 / sum(len(group) ** 2 for group in found.values()),
        between=sums * count / (count - 1) if count > 1 else 0.0,
    )


def mean_of_two(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Give rate and interval of the mean of two independent rates.

    Args:
        first: rate, low and high.
        second: likewise.

    Source: Zou and Donner, "Construction of confidence limits about effect measures", Statistics
        in Medicine 27 (2008): the limits' distances add like standard errors.
    """
    rate = (first[0] + second[0]) / 2
    down = sqrt((first[0] - first[1]) ** 2 + (second[0] - second[1]) ** 2) / 2
    up = sqrt((first[2] - first[0]) ** 2 + (second[2] - second[0]) ** 2) / 2
    return rate, max(0.0, rate - down), min(1.0, rate + up)


def compare(pairs: Sequence[PairedCase], confidence: float = CONFIDENCE) -> Change:
    """Compare two descriptions by the cases that both decided, each class weighing half.

    `p_better` is normal with rates smoothed to (k + 1/2) / (n + 1), the mean change made unbiased
    again by the mean of (n + 1) / n, and a variance by class over cases. The interval is Student's
    over the plain differences of the rates; that of a class is the same over its cases alone.

    Source: Miller (see the module); the smoothing and the floor as in Skillwalker's simulation.
    """
    shared = tuple(pair for pair in pairs if pair.n0 > 0 and pair.n1 > 0)
    positive = tuple(pair for pair in shared if pair.positive)
    negative = tuple(pair for pair in shared if not pair.positive)
    by_class = Change(
        p_better=None,
        change=None,
        interval=None,
        recall_change=_mean_change(positive),
        specificity_change=_mean_change(negative),
        recall_interval=_class_interval(positive, confidence),
        specificity_interval=_class_interval(negative, confidence),
    )
    return _over_both(by_class, positive, negative, confidence)


def _over_both(
    by_class: Change,
    positive: Sequence[PairedCase],
    negative: Sequence[PairedCase],
    confidence: float,
) -> Change:
    """Add what the classes say together; nothing where one has no paired case."""
    recall, specificity = by_class.recall_change, by_class.specificity_change
    if recall is None or specificity is None:
        return by_class
    change = (recall + specificity) / 2
    spreads = tuple(_spread(of_class, _raw(of_class)) for of_class in (positive, negative))
    return replace(
        by_class,
        p_better=_p_better(positive, negative),
        change=change,
        interval=_around(change, spreads, confidence),
        recall_error=sqrt(spreads[0].variance),
        specificity_error=sqrt(spreads[1].variance),
    )


def mean_change(pairs: Sequence[PairedCase]) -> tuple[float, float]:
    """Give the mean change of at least one case, and its standard error over cases."""
    changes = _raw(pairs)
    return fmean(changes), sqrt(_spread(pairs, changes).variance)


def _raw(pairs: Sequence[PairedCase]) -> list[float]:
    """Give each case's change of its rate."""
    return [pair.k1 / pair.n1 - pair.k0 / pair.n0 for pair in pairs]


def _smoothed(pairs: Sequence[PairedCase]) -> list[float]:
    """Give each case's change of its smoothed rate."""
    return [(p.k1 + 0.5) / (p.n1 + 1) - (p.k0 + 0.5) / (p.n0 + 1) for p in pairs]


def _mean_change(pairs: Sequence[PairedCase]) -> float | None:
    """Give the mean change of a class; None when no case of it is paired."""
    return fmean(_raw(pairs)) if pairs else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spread:
    """Variance of a class's mean change, and in how many groups it was seen."""

    variance: float
    groups: int


def _spread(pairs: Sequence[PairedCase], changes: Sequence[float]) -> _Spread:
    """Give the variance of a mean of changes over cases, near-duplicates as one draw.

    With every case a group of its own this is the plain (variance + floor) / n.

    Source: `_in_groups`.
    """
    mean = fmean(changes)
    seen = _in_groups([change - mean for change in changes], [pair.group for pair in pairs])
    between = seen.between if seen.groups > 1 else LONE_VARIANCE / seen.draws
    return _Spread(variance=between + VARIANCE_FLOOR / seen.draws, groups=seen.groups)


def _class_interval(pairs: Sequence[PairedCase], confidence: float) -> tuple[float, float] | None:
    """Give the interval of one class's change; None of a lone case, which shows no spread."""
    if len(pairs) < 2:
        return None
    changes = _raw(pairs)
    return _around(fmean(changes), (_spread(pairs, changes),), confidence)


def _around(mean: float, spreads: Sequence[_Spread], confidence: float) -> tuple[float, float]:
    """Give the interval of a mean of classes, with Welch's degrees of freedom rounded down."""
    parts = [(one.variance / len(spreads) ** 2, max(1, one.groups - 1)) for one in spreads]
    total = sum(part for part, _ in parts)
    df = total**2 / sum(part**2 / free for part, free in parts)
    half = t_quantile(max(1, int(df + 1e-9)), confidence) * sqrt(total)
    return max(-1.0, mean - half), min(1.0, mean + half)


def _p_better(positive: Sequence[PairedCase], negative: Sequence[PairedCase]) -> float:
    """Give the chance that the second description has the higher balanced accuracy."""
    unbias = fmean((n + 1) / n for pair in (*positive, *negative) for n in (pair.n0, pair.n1))
    classes = tuple((of_class, _smoothed(of_class)) for of_class in (positive, negative))
    mean = sum(fmean(changes) for _, changes in classes) / 2 * unbias
    variance_of_mean = sum(_spread(*of_class).variance for of_class in classes) / 4
    return normal_cdf(mean / sqrt(variance_of_mean))
