"""Two runs side by side in lines for a terminal (pure)."""

from collections.abc import Iterator, Sequence

from skillwalker.counting import counted
from skillwalker.datatypes.comparison import (
    Basis,
    CasePair,
    ComparedRun,
    Comparison,
    LeftOut,
    ModelComparison,
    Shown,
)
from skillwalker.report import wording
from skillwalker.report.plain import one_line

MOST_CASES = 10
"""Moved cases and left-out ones that are named; `--json` has all."""

_BASES = {
    Basis.ALL: "all its trials",
    Basis.CONFIRM: "its confirm rounds alone",
    Basis.SEARCH: "the search's own trials",
}
_SHOWN = {
    Shown.HIGHER: "B is better",
    Shown.LOWER: "B is worse",
    Shown.NO_DIFFERENCE: "no difference shown",
    Shown.NOT_MEASURED: "no verdict",
}


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Write a comparison, the verdict of each model first."""
    a, b = comparison.a, comparison.b
    if a.simulated or b.simulated:
        yield wording.SIMULATED
    yield f"{one_line(a.target)}: A {a.run_id} against B {b.run_id}"
    for name, run in (("A", a), ("B", b)):
        yield _side(name, run)
    same = "the same text in both" if a.candidate == b.candidate else "another text in each"
    yield f"  description: {same}"
    for difference in comparison.differences:
        yield f"  also differs: {one_line(difference)}"
    for model in comparison.models:
        yield ""
        yield from _on_model(model)
    if comparison.left_out:
        yield ""
        yield from _left_out(comparison.left_out)
    if a.simulated or b.simulated:
        yield ""
        yield wording.SIMULATED


def _side(name: str, run: ComparedRun) -> str:
    """Say what one side is."""
    trials = sum(tally.decided + tally.undecided for tally in run.outcomes.values())
    undecided = sum(tally.undecided for tally in run.outcomes.values())
    silent = f", {undecided} undecided" if undecided else ""
    also = f"; {counted(run.shared_trials, 'trial')} of both left out" if run.shared_trials else ""
    which = "applied" if run.applied else run.which.value
    return "  " + one_line(
        f"{name}: {which} description, {counted(trials, 'trial')}{silent}"
        f" ({_BASES[run.basis]}{also}), engine {run.engine}, CLI {', '.join(run.cli_versions)}"
    )


def _on_model(model: ModelComparison) -> Iterator[str]:
    """Tell what the cases of one model show."""
    yield f"{one_line(model.model)}: {_verdict(model)}"
    rows = (
        ("recall", model.a.recall, model.b.recall, model.recall_change),
        ("specificity", model.a.specificity, model.b.specificity, model.specificity_change),
        ("balanced", model.a.balanced, model.b.balanced, model.change),
    )
    over = counted(len(model.pairs), "case")
    yield f"  over {over} decided in both; mean over cases, 90 % intervals"
    for name, before, after, change in rows:
        sides = f"A {wording.rate(before)}; B {wording.rate(after)}"
        yield f"  {name:<13}{sides}; {wording.points(change)} points"
    recall, specificity = model.recall_interval, model.specificity_interval
    if recall is not None or specificity is not None:
        classes = f"recall {wording.limits(recall)}, specificity {wording.limits(specificity)}"
        yield f"  intervals of the changes: {classes}"
    if model.detectable_change is not None:
        size = f"{100 * model.detectable_change:.0f} points"
        yield f"  a true change of about {size} would be shown in 8 of 10 such comparisons"
    elif model.interval is not None:
        yield "  these cases are too few to show a change of any size"
    yield from _moved_cases(model.pairs)


def _verdict(model: ModelComparison) -> str:
    """Say what is shown, with the interval that shows it."""
    words = _SHOWN[model.shown]
    if model.change is None or model.interval is None:
        return f"{words}: no case of one class was decided in both"
    low, high = model.interval
    points = f"{wording.points(model.change)} points of balanced accuracy"
    return f"{words}, {points} (90 % interval {wording.points(low)} to {wording.points(high)})"


def _moved_cases(pairs: Sequence[CasePair]) -> Iterator[str]:
    """List the cases whose rate moved, those that moved most first."""
    moved = sorted((pair for pair in pairs if pair.change), key=lambda p: (-abs(p.change), p.case))
    if not moved:
        yield "  no case moved"
        return
    yield f"  moved ({len(moved)} of {counted(len(pairs), 'case')}; correct of decided trials)"
    for pair in moved[:MOST_CASES]:
        figures = f"{pair.k_a}/{pair.n_a} → {pair.k_b}/{pair.n_b}"
        should = "should" if pair.should_trigger else "should not"
        yield f"    {figures:<14}{one_line(pair.case)} ({should} trigger)"
    if len(moved) > MOST_CASES:
        yield f"    and {len(moved) - MOST_CASES} more"


def _left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """Name the cases that are in no figure, by reason."""
    yield f"left out ({counted(len(left_out), 'case')})"
    for reason in dict.fromkeys(one.reason for one in left_out):
        cases = [one_line(one.case) for one in left_out if one.reason == reason]
        more = f" and {len(cases) - MOST_CASES} more" if len(cases) > MOST_CASES else ""
        yield f"  {reason}: {'; '.join(cases[:MOST_CASES])}{more}"
