"""The targets of one command in a table, weakest first (pure)."""

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.summary import Summary
from skillwalker.report import wording
from skillwalker.report.plain import one_line


def weakest_first(summaries: Sequence[Summary]) -> list[Summary]:
    """Order runs by the balanced accuracy of what each file holds; unmeasured ones come last."""
    return sorted(summaries, key=lambda one: (_share(one) is None, _share(one) or 0.0))


def overview_table(summaries: Sequence[Summary]) -> Table:
    """Lay out what each file holds, a line a target."""
    table = Table(
        title="Weakest first: balanced accuracy of what each file holds, mean over cases",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    for column in ("target", "balanced", "90 %", "verdict", "run"):
        is_figure = column in {"balanced", "90 %"}
        table.add_column(column, justify="right" if is_figure else "left", overflow="fold")
    for one in weakest_first(summaries):
        table.add_row(escape(one_line(one.target)), *in_file(one), told_verdict(one), one.run_id)
    return table


def in_file(summary: Summary) -> tuple[str, str]:
    """Write the balanced accuracy of what a file holds, and its 90 % interval."""
    rate = summary.rate_in_file
    if rate is None or rate.rate is None:
        return wording.NOT_MEASURED, wording.NOT_MEASURED
    return wording.percent(rate.rate), _interval(rate)


def told_verdict(summary: Summary) -> str:
    """Say in one or two words how a run ended."""
    if summary.kind == "measure" and summary.verdict.value == "kept":
        return "measured"
    return f"{summary.verdict.value}, written" if summary.applied else summary.verdict.value


def overview_next(summaries: Sequence[Summary]) -> Iterator[str]:
    """Name what a user would do with the weakest target that was only measured."""
    for one in weakest_first(summaries)[:1]:
        if one.kind == "measure" and _share(one) is not None:
            command = "acil" if one.target_kind.value == "agent" else "scil"
            yield f"next: {command} run {one.target} --eval {one.suite}   (the weakest)"
        else:
            yield "next: skillwalker report --all   (all runs on one page)"


def _share(summary: Summary) -> float | None:
    return None if summary.rate_in_file is None else summary.rate_in_file.rate


def _interval(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return wording.NOT_MEASURED
    return f"{100 * rate.low:.0f}–{100 * rate.high:.0f} %"
