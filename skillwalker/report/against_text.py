"""What became of a target since an earlier run, in lines for people (pure)."""

from collections.abc import Iterator

from skillwalker.datatypes.against import Against, Flipped
from skillwalker.datatypes.summary import Summary
from skillwalker.report.plain import one_line
from skillwalker.report.wording import changes, likelihood, limits, points

MOST_CASES = 20
"""Cases that are named; the summary has all."""


def against_lines(summary: Summary) -> Iterator[str]:
    """Tell what the comparison shows; nothing where there was none."""
    found = summary.against
    if found is None:
        return
    yield f"{one_line(summary.target)} against run {found.run_id}: {against_verdict(found)}"
    if classes := _classes(found):
        yield f"  by class (90 %): {classes}"
    for flipped in found.flipped[:MOST_CASES]:
        yield f"  {_flipped(flipped)}"
    if len(found.flipped) > MOST_CASES:
        yield f"  and {len(found.flipped) - MOST_CASES} more flipped cases"
    for difference in found.differences:
        yield f"  also differs: {one_line(difference)}"
    if found.not_comparable:
        first = found.not_comparable[0]
        more = len(found.not_comparable) - 1
        others = f" and {more} more" if more else ""
        yield f"  not compared: {one_line(first.case)} ({first.reason}){others}"


def _classes(found: Against) -> str:
    """Tell the change of each class that has an interval, short enough for a line."""
    return ", ".join(
        f"{name} {points(change)} ({limits(interval)})"
        for name, change, interval in changes(found)[:2]
        if interval is not None
    )


def against_verdict(found: Against) -> str:
    """Say in one sentence what the comparison shows."""
    if found.change is None or found.interval is None:
        return "cannot be told: no case of one class was decided in both"
    figures = (
        f"{points(found.change)} points of balanced accuracy (90 % interval"
        f" {limits(found.interval)}){likelihood(found.p_better, found.interval)}"
    )
    if found.dropped is None:
        return f"undecided: the run ended before flipped cases were run again; {figures}"
    if found.dropped:
        least = f" by {found.threshold:g} points or more" if found.threshold else ""
        return f"dropped{least}, {figures}"
    return f"no drop{_least(found)} shown, {figures}"


def _least(found: Against) -> str:
    return f" of {found.threshold:g} points" if found.threshold else ""


def _flipped(one: Flipped) -> str:
    """Tell how a case stood before, and how it stands after its extra runs."""
    should = "should" if one.should_trigger else "should not"
    what = "stands" if one.stands else "was luck"
    (k0, n0), (k1, n1) = one.before, one.after
    return (
        f"flipped: {one_line(one.case)} ({should} trigger), correct {k0}/{n0} before,"
        f" {k1}/{n1} now: it {what}"
    )
