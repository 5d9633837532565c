"""A measurement against an earlier run: has the target really become worse?"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.against import Against, Flipped, NotComparable, fell
from skillwalker.datatypes.comparison import CasePair, ComparedRun, Which
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.intervals import compare
from skillwalker.recording.store import read_plan
from skillwalker.statistics.compared_run import read_compared
from skillwalker.statistics.comparison import lay_side_by_side, paired


def hold_against(earlier: Path, run: Path, summary: Summary, *, threshold: float) -> Against:
    """Compare what a run measured with what an earlier one did.

    Args:
        earlier: folder of the earlier run.
        run: folder of the run.
        summary: how it ended.
        threshold: points of balanced accuracy from which on a loss counts as a drop.

    Raises:
        StoreError: one of them cannot be read, or they are never counted together.
    """
    new = read_compared(run, Which.HELD)
    return judge_against(
        read_compared(earlier, Which.HELD),
        new,
        first_runs=_first_runs(run, new.answered),
        threshold=threshold,
        is_whole=summary.stopped_because is StopReason.ITERATIONS,
    )


def judge_against(
    old: ComparedRun,
    new: ComparedRun,
    *,
    first_runs: Mapping[tuple[str, str], int],
    threshold: float,
    is_whole: bool,
) -> Against:
    """Say what became of a target, over all its models together: a case is one draw on them all.

    Args:
        old: the earlier run.
        new: the run of now.
        first_runs: how often each case was run, on the model that answered, before it was known to
            have flipped.
        threshold: points of balanced accuracy from which on a loss counts as a drop.
        is_whole: whether the run came to its end; else its flipped cases are undecided.

    Raises:
        StoreError: they are never counted together.
    """
    compared = lay_side_by_side(on_models_of(old, new), new)
    pairs = [(model.model, pair) for model in compared.models for pair in model.pairs]
    change = compare([paired(pair) for _, pair in pairs])
    return Against(
        run_id=old.run_id,
        change=change.change,
        interval=change.interval,
        p_better=change.p_better,
        recall_change=change.recall_change,
        specificity_change=change.specificity_change,
        recall_interval=change.recall_interval,
        specificity_interval=change.specificity_interval,
        dropped_points=None if change.change is None else max(0.0, -100 * change.change),
        threshold=threshold,
        dropped=fell(change.change, change.p_better, threshold) if is_whole else None,
        flipped=tuple(_flipped(new, pairs, first_runs)),
        differences=(*_other_models(old, new), *compared.differences),
        not_comparable=tuple(
            NotComparable(case=one.case, model=one.model, reason=one.reason)
            for one in compared.left_out
        ),
    )


def on_models_of(old: ComparedRun, new: ComparedRun) -> ComparedRun:
    """Count an earlier run's cases for the model of now where each side ran them on one only.

    The question is often just whether a new model still does what the old one did.
    """
    outcomes = dict(old.outcomes)
    for case in {case for case, _ in outcomes}:
        before, now = ([key for key in run.outcomes if key[0] == case] for run in (old, new))
        if len(before) == len(now) == 1:
            outcomes[now[0]] = outcomes.pop(before[0])
    return replace(old, outcomes=outcomes)


def _flipped(
    new: ComparedRun, pairs: list[tuple[str, CasePair]], first_runs: Mapping[tuple[str, str], int]
) -> Iterator[Flipped]:
    """Tell of the cases that were run again."""
    for model, pair in pairs:
        outcomes = new.outcomes[pair.case, model]
        if outcomes.decided + outcomes.undecided > first_runs.get((pair.case, model), 1):
            before, after = (pair.k_a, pair.n_a), (pair.k_b, pair.n_b)
            yield Flipped(
                case=pair.case,
                model=model,
                should_trigger=pair.should_trigger,
                before=before,
                after=after,
                stands=_passed(*before) is not _passed(*after),
            )


def _passed(correct: int, decided: int) -> bool | None:
    """Take the majority; None on a tie."""
    return None if 2 * correct == decided else 2 * correct > decided


def _other_models(old: ComparedRun, new: ComparedRun) -> Iterator[str]:
    """Say so where other models answered."""
    before, now = (sorted({model for _, model in run.outcomes}) for run in (old, new))
    if before != now:
        yield f"model {', '.join(before)} in A, {', '.join(now)} in B"


def _first_runs(run: Path, answered: Mapping[str, str]) -> Counter[tuple[str, str]]:
    """Read how often each case of a run is measured at first on the model that answers.

    Where one model answers for several, as the simulated one does, their runs are its runs.
    """
    plan = read_plan(run)
    settings, cases = plan.get("settings"), plan.get("cases")
    usual = settings.get("runs_per_query") if isinstance(settings, dict) else None
    runs: Counter[tuple[str, str]] = Counter()
    for case in cases if isinstance(cases, list) else ():
        asked = str(case.get("model"))
        runs[str(case["case"]), answered.get(asked, asked)] += case.get("runs") or usual or 1
    return runs
