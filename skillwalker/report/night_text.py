"""A night in lines and in a table for the terminal (pure)."""

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from skillwalker.catalogue import CatalogueEntry
from skillwalker.counting import counted
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
from skillwalker.report import wording
from skillwalker.report.broken_names import break_name
from skillwalker.report.next_step import WAITS, is_of_change, to_raise
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
"""Actions whose targets are told together, by their reason."""
_TOLD_TOGETHER = 5
"""Most targets that are named for one reason; the summary names them all."""
_NUMBERS = 34
"""Columns of the table's figures, with what stands between all its columns."""
_LEAST_OF_AN_END = 18
"""Columns that say what became of a target, where that is folded."""


def stage_line(entry: CatalogueEntry, result: StageResult, *, is_billed: bool = True) -> str:
    """Say in one line what came of a run of the night.

    Args:
        entry: its target.
        result: how it ended.
        is_billed: whether anybody pays for it.
    """
    name = one_line(f"{entry.target} (suite {entry.suite})")
    if result.exit_code != 0:
        stopped = f"stopped by {result.stopped_because}" if result.stopped_because else "no result"
        return f"{name}: {one_line(result.cause or stopped)}"
    before, cost = _share(result.original), _cost(result, is_billed=is_billed)
    if result.was_cut:
        return f"{name}: left, the limit {result.stopped_because} came at {before}, {cost}"
    if result.stage is not Stage.TUNE:
        return f"{name}: {_VERBS[result.stage]}, balanced accuracy {before}, {cost}"
    end = f"kept at {before}"
    if result.improved:
        end = f"improved, {before} → {_share(result.best)}"
        end += ", written" if result.applied else ", not written"
    return f"{name}: {end}, {cost}"


def night_lines(
    summary: NightSummary,
    *,
    folder: str,
    is_merged: bool = False,
    project: str | None = None,
    wished: str = "",
) -> Iterator[str]:
    """Tell a night in lines: what was counted, what failed, what may be done now.

    Args:
        summary: of the night.
        folder: where it is recorded.
        is_merged: whether its runs lie on other machines.
        project: how the user named it after `-C`; None where it was found.
        wished: options that a later life is to be given again, as ` --apply`.
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
        limit = "" if summary.limit is None else f" ({summary.limit})"
        yield f"stopped by {summary.stopped_because}{limit}"
    yield f"{counted(summary.trials, 'trial')}, {_money(summary)}; recorded in {folder}"
    yield from _told_together(summary)
    for target in summary.targets:
        is_named = target.action not in {*_QUIET, NightAction.MEASURED}
        is_named |= target.action is NightAction.MEASURED and WAITS in (target.reason or "")
        if target.reason and (_is_busy(summary, target) or is_named):
            yield f"{target.action.value}: {target_name(target)}: {one_line(target.reason)}"
    if summary.missing:
        parts = f"{'part' if len(summary.missing) == 1 else 'parts'} {', '.join(summary.missing)}"
        yield f"missing: {parts}; what was measured there is in none of the folders that were named"
    for broken in summary.broken:
        yield f"broken: suite {one_line(broken.suite)}: {one_line(broken.reason)}"
    yield from _next_steps(summary, is_merged=is_merged, project=project, wished=wished)


def is_billed(summary: NightSummary) -> bool:
    """Say whether anybody pays for a night: a stand-in takes no money."""
    return wording.is_billed(summary.engine, simulated=summary.simulated)


def night_table(summary: NightSummary, *, width: int) -> Table:
    """Lay out what was done with each target.

    Args:
        summary: of the night.
        width: columns that there are; names are broken between their parts to fit.
    """
    told = told_targets(summary)
    ends = max((len(target_end(target)) for target in told), default=0)
    most = max(20, width - _NUMBERS - min(ends, _LEAST_OF_AN_END))
    columns = ("target", "", "before", "after", "trials", *(("$",) if is_billed(summary) else ()))
    table = Table(box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(
            column, justify="left" if index < 2 else "right", overflow="fold", no_wrap=index != 1
        )
    for target in told:
        row = (
            escape(break_name(target_name(target), most)),
            target_end(target),
            _share(target.before),
            _share(target.after),
            str(target.trials),
            f"{target.cost_usd:.2f}",
        )
        table.add_row(*row[: len(columns)])
    return table


def told_targets(summary: NightSummary) -> list[NightTarget]:
    """Choose the rows of a table of the night, what changed first; all that took trials."""
    rows = [one for one in summary.targets if one.action not in _QUIET or one.trials]
    return sorted(rows, key=lambda target: _ORDER.index(target.action))


def _told_together(summary: NightSummary) -> Iterator[str]:
    """Name what was left by a limit and what is fresh, each by its reason."""
    by_reason: dict[tuple[NightAction, str], list[str]] = {}
    for target in summary.targets:
        if target.action in _QUIET and target.reason and not _is_busy(summary, target):
            key = target.action, one_line(target.reason)
            by_reason.setdefault(key, []).append(target_name(target))
    for (action, reason), names in by_reason.items():
        more = len(names) - _TOLD_TOGETHER
        others = f" and {more} more" if more > 0 else ""
        yield f"{action.value}: {', '.join(names[:_TOLD_TOGETHER])}{others}: {reason}"


def _is_busy(summary: NightSummary, target: NightTarget) -> bool:
    """Say whether a target was left because somebody else worked on it."""
    return target.action is NightAction.LEFT and summary.stopped_because == "done"


def _next_steps(
    summary: NightSummary, *, is_merged: bool, project: str | None, wished: str
) -> Iterator[str]:
    """Name what a user may do now."""
    for target in summary.targets:
        name, revert = target_name(target), target.revert
        if revert is not None:
            undo = in_project(f"skillwalker undo {revert.run_id}", project)
            yield (
                f"{name}: the improvement of run {revert.run_id} lost against what it had replaced"
                f" (P {probability(revert.p_better)}); take it back: {undo}"
            )
        if _waits(target, is_merged=is_merged):
            allow = " --allow-simulated" if summary.simulated else ""
            allow += " --force" if is_of_change(target.reason or "") else ""
            command = "overnight --merge … --apply" if is_merged else f"apply {target.run_ids[-1]}"
            yield f"{name}: write it with: {in_project(f'skillwalker {command}{allow}', project)}"
    if summary.missing:
        yield "merge all parts again when the missing ones are there"
    if not is_merged and any(target.action is NightAction.LEFT for target in summary.targets):
        command = f"skillwalker overnight --resume {summary.night_id}"
        more = to_raise(
            summary.limit,
            trials=summary.trials,
            spent_usd=summary.cost_usd,
            unknown_calls=summary.cost_unknown_calls,
            refused_usd=summary.refused_usd,
        )
        yield f"go on with: {in_project(command, project)}{wished}{more}"


def _waits(target: NightTarget, *, is_merged: bool) -> bool:
    """Say whether a better text was found that is not written; one that failed was refused."""
    if target.description is None or target.applied or not target.run_ids:
        return False
    is_refused = target.action is NightAction.FAILED and not is_merged
    return target.action is NightAction.IMPROVED or is_refused


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


def _cost(result: StageResult, *, is_billed: bool) -> str:
    money = f", ${result.cost_usd:.2f}" if is_billed else ""
    return f"{counted(result.trials, 'trial')}{money}"


def _money(summary: NightSummary) -> str:
    """Say what a night has cost."""
    if not is_billed(summary):
        return wording.NOBODY_PAYS
    unknown = summary.cost_unknown_calls
    return f"${summary.cost_usd:.2f}" + (f" and {unknown_calls(unknown)}" if unknown else "")


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
        f"in all {counted(trials, 'trial')} at most ({worst} if each must be run twice),"
        f" {dollars(known)} at worst{_caps(max_trials, max_cost_usd)}"
    )


def _intended(work: Work) -> str:
    """Name a run of a night, with the most trials that it may take."""
    words = {
        Stage.RECHECK: "recheck what was written last",
        Stage.MEASURE: "measure",
        Stage.TUNE: "search",
    }
    doubt = "" if work.condition is None else f" if {work.condition}"
    return f"{words[work.stage]}{doubt} (at most {counted(work.estimate.trials, 'trial')})"


def _caps(max_trials: int | None, max_cost_usd: float | None) -> str:
    trials = "" if max_trials is None else f"; --max-trials allows {max_trials}"
    return trials + ("" if max_cost_usd is None else f"; --max-cost-usd allows ${max_cost_usd:g}")
