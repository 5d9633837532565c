"""The targets of one command in a table, weakest first (pure)."""

from collections.abc import Iterator, Sequence
from shlex import quote

from rich.markup import escape
from rich.table import Table

from skillwalker.datatypes.scores import Rate
from skillwalker.datatypes.summary import Summary
from skillwalker.paths import in_project
from skillwalker.report import wording
from skillwalker.report.plain import one_line
from skillwalker.targets.kind import KINDS


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
        is_worse = summary.against is not None and summary.against.dropped
        return "measured, dropped" if is_worse else "measured"
    return f"{summary.verdict.value}, written" if summary.applied else summary.verdict.value


def overview_next(summaries: Sequence[Summary], *, project: str | None) -> Iterator[str]:
    """Name what a user would do with the weakest target that was only measured.

    Args:
        summaries: of all runs.
        project: how the user named it after `-C`; None where it was found.
    """
    for one in weakest_first(summaries)[:1]:
        if one.kind == "measure" and _share(one) is not None:
            yield f"next: {in_project(_search(one), project)}   (the weakest)"
        else:
            report = in_project("skillwalker report --all", project)
            yield f"next: {report}   (all runs on one page)"


def _search(one: Summary) -> str:
    """Write the command that searches for a better text, on the engine that measured it."""
    facts = KINDS[one.target_kind]
    engine = f" --engine {one.engine}" if one.engine == "simulated" else ""
    target = f"{facts.option} {quote(one.target)}"
    return f"{facts.run_prefix} run --eval {quote(one.suite)} {target}{engine}"


def _share(summary: Summary) -> float | None:
    return None if summary.rate_in_file is None else summary.rate_in_file.rate


def _interval(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return wording.NOT_MEASURED
    return f"{100 * rate.low:.0f}–{100 * rate.high:.0f} %"
