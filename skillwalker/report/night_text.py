"""A night in lines and in a table for the terminal (pure)."""

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from skillwalker.catalogue import Entry
from skillwalker.datatypes.nights import (
    NightAction,
    NightSummary,
    NightTarget,
    Stage,
    StageResult,
)
from skillwalker.datatypes.scores import Rate
from skillwalker.estimate.nights import Intention, Work
from skillwalker.paths import in_project
from skillwalker.report.plain import one_line
from skillwalker.report.plan_text import dollars
from skillwalker.report.wording import NOT_MEASURED, SIMULATED, percent, probability, unknown_calls

_VERBS = {
    Stage.RECHECK: "rechecked",
    Stage.MEASURE: "measured",
    Stage.TUNE: "searched",
}
_ORDER = (
    NightAction.IMPROVED,
    NightAction.KEPT,
    NightAction.MEASURED,
    NightAction.FRESH,
    NightAction.INCONCLUSIVE,
    NightAction.FAILED,
    NightAction.LEFT,
)
"""What people want to see first."""
_QUIET = frozenset({NightAction.FRESH, NightAction.LEFT})
"""Actions of which only the number is told."""


def stage_line(entry: Entry, result: StageResult) -> str:
    """Say in one line what came of a run of the night."""
    name = one_line(f"{entry.target} (suite {entry.suite})")
    if result.exit_code != 0:
        stopped = f"stopped by {result.stopped_because}" if result.stopped_because else "no result"
        return f"{name}: {one_line(result.cause or stopped)}"
    before = _share(result.original)
    if result.stage is not Stage.TUNE:
        return f"{name}: {_VERBS[result.stage]}, balanced accuracy {before}, {_cost(result)}"
    end = f"kept at {before}"
    if result.improved:
        end = f"improved, {before} → {_share(result.best)}"
        end += ", written" if result.applied else ", not written"
    return f"{name}: {end}, {_cost(result)}"


def night_lines(
    summary: NightSummary, *, folder: str, is_merged: bool = False, project: str | None = None
) -> Iterator[str]:
    """Tell a night in lines: what was counted, what failed, what may be done now.

    Args:
        summary: of the night.
        folder: where it is recorded.
        is_merged: whether its runs lie on other machines.
        project: how the user named it after `-C`; None where it was found.
    """
    if summary.simulated:
        yield SIMULATED
    counts = ", ".join(
        f"{summary.counts[action.value]} {action.value}"
        for action in _ORDER
        if summary.counts[action.value]
    )
    yield f"night {summary.night_id}: {counts or 'nothing to do'}"
    if summary.stopped_because != "done":
        yield f"stopped by {summary.stopped_because}"
    unknown = summary.cost_unknown_calls
    more = f" and {unknown_calls(unknown)}" if unknown else ""
    yield f"{summary.trials} trials, ${summary.cost_usd:.2f}{more}; recorded in {folder}"
    for target in summary.targets:
        # What a limit left is only counted; what somebody else works on is named.
        is_busy = target.action is NightAction.LEFT and summary.stopped_because == "done"
        if target.reason and (is_busy or target.action not in {*_QUIET, NightAction.MEASURED}):
            yield f"{target.action.value}: {target_name(target)}: {one_line(target.reason)}"
    for shard in summary.missing:
        yield f"missing: part {shard}; what it measured is in none of the folders that were named"
    for broken in summary.broken:
        yield f"broken: suite {one_line(broken.suite)}: {one_line(broken.reason)}"
    yield from _next_steps(summary, is_merged=is_merged, project=project)


def night_table(summary: NightSummary) -> Table:
    """Lay out what was done with each target."""
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(("target", "", "before", "after", "trials", "$")):
        table.add_column(column, justify="left" if index < 2 else "right", overflow="fold")
    for target in told_targets(summary):
        table.add_row(
            escape(target_name(target)),
            target_end(target),
            _share(target.before),
            _share(target.after),
            str(target.trials),
            f"{target.cost_usd:.2f}",
        )
    return table


def told_targets(summary: NightSummary) -> list[NightTarget]:
    """Choose the rows of a table of the night, what changed first."""
    rows = [target for target in summary.targets if target.action not in _QUIET]
    return sorted(rows, key=lambda target: _ORDER.index(target.action))


def _next_steps(summary: NightSummary, *, is_merged: bool, project: str | None) -> Iterator[str]:
    """Name what a user may do now."""
    for target in summary.targets:
        name, revert = target_name(target), target.revert
        if revert is not None:
            undo = in_project(f"skillwalker undo {revert.run_id}", project)
            yield (
                f"{name}: the improvement of run {revert.run_id} lost against what it had replaced"
                f" (P {probability(revert.p_better)}); take it back: {undo}"
            )
        if target.action is NightAction.IMPROVED and not target.applied and target.run_ids:
            allow = " --allow-simulated" if summary.simulated else ""
            command = "overnight --merge … --apply" if is_merged else f"apply {target.run_ids[-1]}"
            yield f"{name}: write it with: {in_project(f'skillwalker {command}{allow}', project)}"
    if summary.missing:
        yield "merge all parts again when the missing ones are there"
    if not is_merged and any(target.action is NightAction.LEFT for target in summary.targets):
        command = f"skillwalker overnight --resume {summary.night_id}"
        yield f"go on with: {in_project(command, project)}"


def target_name(target: NightTarget) -> str:
    """Name a target with its suite."""
    return one_line(f"{target.target} (suite {target.suite})")


def target_end(target: NightTarget) -> str:
    """Say what became of a target in a few words."""
    if target.action is not NightAction.IMPROVED:
        return target.action.value
    if target.applied:
        return "improved, written"
    return f"improved to {_share(target.found)}, not written"


def _share(rate: Rate | None) -> str:
    return NOT_MEASURED if rate is None else percent(rate.rate)


def _cost(result: StageResult) -> str:
    return f"{result.trials} trials, ${result.cost_usd:.2f}"


def forecast_lines(
    intentions: Sequence[Intention], *, max_trials: int | None, max_cost_usd: float | None
) -> Iterator[str]:
    """Tell what a night would do with each target, and what all may take.

    Args:
        intentions: what would be done.
        max_trials: the night's cap on trials.
        max_cost_usd: the night's cap on money.
    """
    idle = [one for one in intentions if not one.work and not one.is_faulty]
    for one in intentions:
        name = one_line(f"{one.entry.target} (suite {one.entry.suite})")
        if one.is_faulty:
            yield f"{name}: {one_line(one.reason or '')}"
        elif one.work:
            yield f"{name}: {', '.join(map(_intended, one.work))}"
    if idle:
        yield f"{len(idle)} fresh: nothing is spent on them"
    work = [part.estimate for one in intentions for part in one.work]
    trials, worst = sum(one.trials for one in work), sum(one.worst_trials for one in work)
    prices = [one.worst_usd for one in work]
    known = None if None in prices else sum(price for price in prices if price is not None)
    yield (
        f"in all {trials} trials at most ({worst} if each must be run twice), {dollars(known)} at"
        f" worst{_caps(max_trials, max_cost_usd)}"
    )


def _intended(work: Work) -> str:
    """Name a run of a night, with the most trials that it may take."""
    words = {
        Stage.RECHECK: "recheck what was written last",
        Stage.MEASURE: "measure",
        Stage.TUNE: "search",
    }
    doubt = "" if work.condition is None else f" if {work.condition}"
    return f"{words[work.stage]}{doubt} (at most {work.estimate.trials} trials)"


def _caps(max_trials: int | None, max_cost_usd: float | None) -> str:
    trials = "" if max_trials is None else f"; --max-trials allows {max_trials}"
    return trials + ("" if max_cost_usd is None else f"; --max-cost-usd allows ${max_cost_usd:g}")
