"""Two runs laid side by side, case by case and model by model (pure)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import NormalDist

from skillwalker.datatypes.comparison import (
    AskedCase,
    Basis,
    CaseOutcomes,
    CasePair,
    ComparedRun,
    Comparison,
    LeftOut,
    ModelComparison,
    Shown,
)
from skillwalker.distributions import normal_quantile
from skillwalker.errors import StoreError
from skillwalker.intervals import PairedCase, compare
from skillwalker.statistics.shared_trials import without_shared
from skillwalker.steps.step_5_score import CaseRuns, rates_of

CONFIDENCE = 0.9
POWER = 0.8
SAME_TRIALS = "the same trials in both runs"
"""Why a case is left out whose trials one run took over from the other."""
_NOTHING = CaseOutcomes()
_NEVER_MIXED = {
    "target": "the target",
    "engine": "the engine",
    "endpoint": "the endpoint",
    "permission_mode": "the permission mode",
    "listing_mode": "the listing",
}


def compare_runs(a: ComparedRun, b: ComparedRun) -> Comparison:
    """Compare two runs by the cases that both decided under the same prompt, model and turn limit.

    Raises:
        StoreError: they are of things that are never counted together, or share no case.
    """
    comparison = lay_side_by_side(a, b)
    if not comparison.models:
        raise StoreError(_nothing_shared(a, b, comparison.left_out))
    return comparison


def lay_side_by_side(a: ComparedRun, b: ComparedRun) -> Comparison:
    """Do the same as `compare_runs`, also where no case is shared: then there is no model.

    Raises:
        StoreError: they are of things that are never counted together.
    """
    _require_comparable(a, b)
    a, b = without_shared(a, b)
    left_out: list[LeftOut] = []
    shared: defaultdict[str, list[CasePair]] = defaultdict(list)
    for case, model in _asked_of(a, b):
        reason = _obstacle(a, b, case, model)
        if reason is None:
            shared[model].append(_pair(a, b, case, model))
        else:
            left_out.append(LeftOut(case=case, model=model, reason=reason))
    return Comparison(
        a=a,
        b=b,
        differences=tuple(_differences(a, b)),
        models=tuple(_on_model(model, shared[model]) for model in sorted(shared)),
        left_out=tuple(left_out),
    )


def detectable_change(change: float, interval: tuple[float, float]) -> float | None:
    """Estimate the true change that such a comparison shows in 8 of 10 times.

    Shown means that the interval of the change excludes 0. The limits may be cut at 1, so the
    longer half of the interval is taken.

    Args:
        change: as measured.
        interval: of it, as `intervals.compare` gives it.

    Returns:
        The size as a fraction; None when no change is large enough.

    Source: the minimum detectable effect (z of the confidence plus z of the power) x standard
        error; Bloom, "Minimum detectable effects", Evaluation Review 19 (1995).
    """
    half = max(change - interval[0], interval[1] - change)
    size = half * (1 + NormalDist().inv_cdf(POWER) / normal_quantile(CONFIDENCE))
    return size if size <= 1 else None


def _require_comparable(a: ComparedRun, b: ComparedRun) -> None:
    """Refuse what is never counted together.

    Raises:
        StoreError: it names everything that differs.
    """
    if a.run_id == b.run_id:
        raise StoreError(f"{a.run_id} is named twice: a run has no difference to itself")
    faults = [
        f"{words} is {getattr(a, name)!r} in {a.run_id} and {getattr(b, name)!r} in {b.run_id}"
        for name, words in _NEVER_MIXED.items()
        if getattr(a, name) != getattr(b, name)
    ]
    if faults:
        raise StoreError(
            f"these runs cannot be compared: {'; '.join(faults)}; measure both under the same"
        )


def _nothing_shared(a: ComparedRun, b: ComparedRun, left_out: Sequence[LeftOut]) -> str:
    """Say why no case can be compared, the most frequent reason first."""
    reasons = [one.reason for one in left_out]
    ranked = sorted(dict.fromkeys(reasons), key=lambda reason: -reasons.count(reason))
    counted = "; ".join(f"{reason} ({reasons.count(reason)})" for reason in ranked)
    why = counted or "neither measured a case"
    remedy = "; measure again with --fresh" if SAME_TRIALS in reasons else ""
    return f"no case of {a.run_id} and {b.run_id} can be compared: {why}{remedy}"


def _asked_of(a: ComparedRun, b: ComparedRun) -> Iterator[tuple[str, str]]:
    """List every case with each model that ran it; no model where none did."""
    run = {case for case, _ in (*a.outcomes, *b.outcomes)}
    yield from sorted({*a.outcomes, *b.outcomes})
    yield from ((case, "") for case in sorted({*a.asked, *b.asked} - run))


def _obstacle(a: ComparedRun, b: ComparedRun, case: str, model: str) -> str | None:
    """Say why a case cannot be compared on a model; None when it can."""
    for run, name in ((a, "A"), (b, "B")):
        if case not in run.asked:
            return f"not in {name}"
    if (moved := _moved(a.asked[case], b.asked[case])) is not None:
        return moved
    missing = [name for run, name in ((a, "A"), (b, "B")) if (case, model) not in run.outcomes]
    if len(missing) == 2:
        return "run in neither"
    if missing:
        return f"not run on this model in {missing[0]}"
    return _undecided(a, b, (case, model))


def _moved(a: AskedCase, b: AskedCase) -> str | None:
    """Say what a case asks otherwise in the second run."""
    if a.prompt != b.prompt:
        return "the prompt changed"
    if a.should_trigger != b.should_trigger:
        return "what it should do was turned round"
    if a.scaffold != b.scaffold:
        return "the scaffold changed"
    if a.max_turns != b.max_turns:
        return f"the turn limit is {a.max_turns} in A and {b.max_turns} in B"
    return None


def _undecided(a: ComparedRun, b: ComparedRun, key: tuple[str, str]) -> str | None:
    """Say where a case was not decided."""
    mute = [(run, name) for run, name in ((a, "A"), (b, "B")) if not run.outcomes[key].decided]
    if not mute:
        return None
    if any(run.taken.get(key) and run.outcomes[key] == _NOTHING for run, _ in mute):
        return SAME_TRIALS
    return "decided in neither" if len(mute) == 2 else f"not decided in {mute[0][1]}"


def _pair(a: ComparedRun, b: ComparedRun, case: str, model: str) -> CasePair:
    """Lay a case's correct trials side by side."""
    positive = a.asked[case].should_trigger
    before, after = a.outcomes[case, model], b.outcomes[case, model]
    return CasePair(
        case=case,
        should_trigger=positive,
        k_a=before.triggered if positive else before.not_triggered,
        n_a=before.decided,
        k_b=after.triggered if positive else after.not_triggered,
        n_b=after.decided,
        group=b.asked[case].group or a.asked[case].group or case,
    )


def paired(pair: CasePair) -> PairedCase:
    """Lay a case of both runs out for `intervals.compare`."""
    return PairedCase(
        positive=pair.should_trigger,
        k0=pair.k_a,
        n0=pair.n_a,
        k1=pair.k_b,
        n1=pair.n_b,
        group=pair.group,
    )


def _on_model(model: str, pairs: Sequence[CasePair]) -> ModelComparison:
    """Compare the cases of one model."""
    change = compare([paired(pair) for pair in pairs], CONFIDENCE)
    measured = change.change is not None and change.interval is not None
    return ModelComparison(
        model=model,
        pairs=tuple(pairs),
        a=rates_of([_runs(p, p.k_a, p.n_a) for p in pairs]),
        b=rates_of([_runs(p, p.k_b, p.n_b) for p in pairs]),
        shown=_shown(change.interval),
        change=change.change,
        interval=change.interval,
        p_higher=change.p_better,
        recall_change=change.recall_change,
        specificity_change=change.specificity_change,
        recall_interval=change.recall_interval,
        specificity_interval=change.specificity_interval,
        detectable_change=detectable_change(change.change, change.interval)  # type: ignore[arg-type]  # measured: neither is None
        if measured
        else None,
    )


def _runs(pair: CasePair, correct: int, decided: int) -> CaseRuns:
    """Take one side of a pair."""
    return CaseRuns(
        positive=pair.should_trigger, correct=correct, decided=decided, group=pair.group
    )


def _shown(interval: tuple[float, float] | None) -> Shown:
    """Say what the interval of a change shows."""
    if interval is None:
        return Shown.NOT_MEASURED
    if interval[0] > 0:
        return Shown.HIGHER
    return Shown.LOWER if interval[1] < 0 else Shown.NO_DIFFERENCE


def _differences(a: ComparedRun, b: ComparedRun) -> Iterator[str]:
    """Name what else differs, beside the description."""
    for words, of_a, of_b in (
        ("suite", (a.suite,), (b.suite,)),
        ("CLI", a.cli_versions, b.cli_versions),
        ("effort", a.efforts, b.efforts),
        ("text", (a.which.value,), (b.which.value,)),
    ):
        if of_a != of_b:
            yield f"{words} {', '.join(of_a)} in A, {', '.join(of_b)} in B"
    for name in sorted({*a.siblings, *b.siblings}):
        if a.siblings.get(name) != b.siblings.get(name):
            where = "" if name in a.siblings and name in b.siblings else _only(name, a)
            yield f"{name} beside the target {where or 'changed'}"
    for run, side in ((a, "A"), (b, "B")):
        if run.basis is Basis.SEARCH:
            yield f"{side} is the search's own score of its choice, which flatters it"
        yield from (f"within {side}: {change}" for change in run.accepted_changes)


def _only(name: str, a: ComparedRun) -> str:
    """Say which run had a sibling."""
    return "only in A" if name in a.siblings else "only in B"
