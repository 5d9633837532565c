"""The gate: may the best text replace the original, judged from confirm trials alone?

The search picks its best by its highest score, which is partly luck. So both texts are measured
again side by side, and only these trials count. Everything here can be recomputed from them.
"""

from collections.abc import Sequence

from skillwalker.datatypes.scores import CaseResult, GateResult, Iteration, NeighbourChange
from skillwalker.intervals import Change, PairedCase, compare, said_probability
from skillwalker.search.need import to_decide
from skillwalker.steps.step_5_score import count_runs

HOPELESS = 0.2
"""P(better) by the search's own trials under which confirm rounds are not worth their price."""
ENOUGH_ROUNDS = 2
SURELY = 0.99
HARDLY = 0.25
CLASS_PRIOR = 0.06
"""Standard deviation of what a text truly changes a class by, before anything is measured.

Source: tried in Skillwalker's simulation (docs/strategies.md).
"""
MOST_DECIMALS = 9
ROUNDED = 5e-5
"""How far a threshold may be from what is said of it; a tenth of its distance to 1 at most."""
NO_ADVICE = "the best text did no better than the original, so more rounds are no advice"
EXACT = 1e-9
"""Room for rounding where a limit may be met exactly."""


def threshold(gate: float, looks: int) -> float:
    """Say how high P(better) must be when a target is gated for the `looks`-th time.

    Look k may pass by luck with a chance of (1 - gate) / k^2. The first look is at `gate` itself,
    and the chances of all looks together stay under 1.65 (1 - gate) however many there are; with
    1 / k they would grow without end.

    Source: an alpha-spending Bonferroni bound with weights 1 / k^2 (their sum is pi^2 / 6).
    """
    return gate if looks <= 1 else 1.0 - (1.0 - gate) / looks**2


def worth_confirming(original: Iteration, best: Iteration) -> bool:
    """Say whether confirm rounds can lead anywhere.

    Not for the same text, not when the search's own trials (which flatter its choice) make the
    best unlikely to be better, and not when a class has no case, so that no gate can pass.
    """
    classes = {result.case.should_trigger for result in original.results}
    if original.candidate == best.candidate or len(classes) < 2:
        return False
    likely = compare(pair(original.results, best.results)).p_better
    return likely is None or likely >= HOPELESS


def not_confirmed(threshold: float) -> GateResult:
    """Give the result of a gate for which no trial was run."""
    return GateResult(
        p_better=None,
        threshold=threshold,
        passed=False,
        change=None,
        interval=None,
        recall_change=None,
        specificity_change=None,
        rounds=0,
        reason="no confirm round was run: by the search's own trials the best text is unlikely"
        " to pass, or the suite has cases of one kind only; the original is kept",
    )


def another_round(result: GateResult, *, most: int) -> bool:
    """Say whether a further confirm round is due after those of `result`.

    Args:
        result: the judgement of all rounds so far.
        most: rounds that may be run in all.
    """
    if result.rounds >= most:
        return False
    if result.rounds < ENOUGH_ROUNDS or result.p_better is None:
        return True
    return HARDLY <= result.p_better <= max(SURELY, result.threshold)


def pair(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> tuple[PairedCase, ...]:
    """Lay the decided runs of two texts side by side, by case and model.

    Results of the same case, as from several rounds, are added up; a case that one of the two
    has not is left out.
    """
    old, new = count_runs(before), count_runs(after)
    return tuple(
        PairedCase(
            positive=runs.positive,
            k0=runs.correct,
            n0=runs.decided,
            k1=new[key].correct,
            n1=new[key].decided,
            group=runs.group,
        )
        for key, runs in old.items()
        if key in new
    )


def judge(
    confirm_original: Sequence[CaseResult],
    confirm_best: Sequence[CaseResult],
    *,
    threshold: float,
    max_loss: float,
    rounds: int,
    next_threshold: float | None = None,
    neighbours: Sequence[NeighbourChange] = (),
) -> GateResult:
    """Judge the best text against the original.

    Passed: P(better) reaches the threshold, and the posterior median loss of recall and of
    specificity, and of what each neighbour keeps, is at most `max_loss`; see `posterior_median`.

    Args:
        confirm_original: results of the original in all confirm rounds.
        confirm_best: results of the best text in the same rounds.
        threshold: least P(better), as `threshold` gives it.
        max_loss: most that a class may lose, as a fraction.
        rounds: confirm rounds that the results are from.
        next_threshold: what another look at the target would ask; None as now.
        neighbours: what the rivals keep of their requests, where that is guarded.
    """
    pairs = pair(confirm_original, confirm_best)
    change = compare(pairs)
    advice = _advice(change, pairs, next_threshold or threshold, rounds)
    fault = _lost(change, max_loss)
    if fault is None and change.p_better is not None and change.p_better < threshold:
        fault = f"{_unconvincing(change.p_better, threshold)}; {advice or NO_ADVICE}"
    fault = fault or _taken(neighbours, max_loss)
    return GateResult(
        p_better=change.p_better,
        threshold=threshold,
        passed=fault is None,
        change=change.change,
        interval=change.interval,
        recall_change=change.recall_change,
        specificity_change=change.specificity_change,
        recall_interval=change.recall_interval,
        specificity_interval=change.specificity_interval,
        rounds=rounds,
        reason=fault if fault is not None else _praise(change, threshold),
        advice=advice if fault is None and _holds_nothing(change) else "",
        neighbours=tuple(neighbours),
    )


def posterior_median(change: float | None, error: float | None) -> float:
    """Give the median of what a class truly changed by, seeing how loosely it was measured.

    Few runs of few cases often show a loss that is none. So the measured change is drawn towards
    nothing, the more the wider its standard error is against the prior; 0 where none was measured.

    Source: the posterior of a normal mean under a normal prior around 0.
    """
    if change is None or error is None:
        return 0.0
    return change / (1 + (error / CLASS_PRIOR) ** 2)


def said_beside(value: float, threshold: float) -> tuple[str, str]:
    """Write a probability and what is asked of it so that one sees whether it is reached."""
    reached = value >= threshold
    room = min(ROUNDED, (1 - threshold) / 10)
    decimals = 2
    while decimals < MOST_DECIMALS:
        asked = round(threshold, decimals)
        shown = min(round(value, decimals), 1 - 10**-decimals)
        if abs(asked - threshold) < room and (shown >= asked) is reached:
            break
        decimals += 1
    return said_probability(value, decimals=decimals), f"{threshold:.{decimals}f}".rstrip(
        "0"
    ).rstrip(".")


def _lost(change: Change, max_loss: float) -> str | None:
    """Say what was not measured, or which class fell too far; None when neither is so."""
    if change.p_better is None:
        return _unmeasured(change)
    classes = (
        ("recall", change.recall_change, change.recall_error),
        ("specificity", change.specificity_change, change.specificity_error),
    )
    for name, gained, error in classes:
        median = posterior_median(gained, error)
        if gained is not None and -median > max_loss + EXACT:
            return (
                f"{name} fell by {-gained:.3f}, of which {-median:.3f} is likely to last, and at"
                f" most {max_loss:g} may be lost"
            )
    return None


def _unconvincing(p_better: float, threshold: float) -> str:
    """Say that P(better) does not reach what is asked."""
    said, asked = said_beside(p_better, threshold)
    return f"no convincing difference: P(better) is {said}, {asked} is asked"


def _taken(neighbours: Sequence[NeighbourChange], max_loss: float) -> str | None:
    """Say from whom too many requests are taken; None when from nobody."""
    told = [
        f"{one.target} keeps {one.kept_after} of {one.runs_after} instead of"
        f" {one.kept_before} of {one.runs_before} ({', '.join(one.cases)})"
        for one in neighbours
        if -one.lasting > max_loss + EXACT
    ]
    return f"it takes requests of its neighbours: {'; '.join(told)}" if told else None


def _unmeasured(change: Change) -> str:
    """Name the class without a case that both texts decided."""
    missing = [
        kind
        for kind, gained in (
            ("should trigger", change.recall_change),
            ("should not trigger", change.specificity_change),
        )
        if gained is None
    ]
    return (
        f"no case that {' and none that '.join(missing)} was decided under both texts;"
        f" add cases that {' and some that '.join(missing)}"
    )


def _praise(change: Change, threshold: float) -> str:
    """Say why the gate passed; an interval that holds 0 is named before the probability."""
    doubt = "the 90 % interval of the change holds 0; " if _holds_nothing(change) else ""
    said, asked = said_beside(change.p_better or 0.0, threshold)
    return (
        f"{doubt}better with P {said} ({asked} is asked): recall"
        f" {change.recall_change:+.3f}, specificity {change.specificity_change:+.3f}"
    )


def _holds_nothing(change: Change) -> bool:
    """Whether the interval of a change holds 0, so that little was shown."""
    low, high = change.interval or (0.0, 0.0)
    return low <= 0 <= high


def _advice(change: Change, pairs: Sequence[PairedCase], asked: float, rounds: int) -> str:
    """Say what it would take to decide, at what another look asks; empty without a gain."""
    need = to_decide(pairs, asked, rounds)
    if change.change is None or change.change <= 0 or need.rounds is need.cases is None:
        return ""
    _, bar = said_beside(change.p_better or 0.0, asked)
    shown = f"to show a true change of {change.change:+.3f} to another look, which asks {bar},"
    if need.rounds is not None:
        return f"{shown} would take about {need.rounds} rounds ({need.trials} trials) in all"
    return (
        f"{shown} would take about {need.cases} cases that are no near-duplicates of each other;"
        " more rounds of these will not do"
    )
