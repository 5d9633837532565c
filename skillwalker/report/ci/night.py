"""A night in Markdown, for a pull request or a job's summary (pure)."""

from skillwalker.datatypes.nights import NightSummary, NightTarget
from skillwalker.datatypes.scores import Rate
from skillwalker.report.ci.markdown import escaped
from skillwalker.report.night_text import (
    is_billed,
    night_lines,
    target_end,
    target_name,
    told_targets,
)
from skillwalker.report.plain import one_line
from skillwalker.report.wording import NOT_MEASURED, SIMULATED, percent

MOST_ROWS = 200
"""Of the table; GitHub takes 65,536 characters in a pull request."""


def night_markdown(
    summary: NightSummary,
    *,
    folder: str,
    is_merged: bool = False,
    project: str | None = None,
    wished: str = "",
) -> str:
    """Write a night: a table of what was done, what failed, and the new descriptions.

    Args:
        summary: of the night.
        folder: where it is recorded.
        is_merged: whether its runs lie on other machines.
        project: how the user named it after `-C`; None where it was found.
        wished: options that a later life is to be given again, as ` --apply`.
    """
    told = told_targets(summary)
    lines = [f"## Skillwalker, night {summary.night_id}", ""]
    if summary.simulated:
        lines += [f"**{SIMULATED}**", ""]
    if told:
        lines += [
            "| target | | before | after | trials | $ |",
            "|---|---|---:|---:|---:|---:|",
        ]
    lines += [
        f"| {_cell(target_name(target))} | {_cell(target_end(target))} | {_rate(target.before)} |"
        f" {_rate(target.after)} | {target.trials} | {_cost(target, summary)} |"
        for target in told[:MOST_ROWS]
    ]
    if len(told) > MOST_ROWS:
        lines += ["", f"{len(told) - MOST_ROWS} more rows stand in overnight-summary.json."]
    told_lines = night_lines(
        summary, folder=folder, is_merged=is_merged, project=project, wished=wished
    )
    lines += [*([""] if told else []), *(f"- {_cell(line)}" for line in told_lines)]
    for target in told:
        if target.description is not None:
            lines += ["", f"**{_cell(target_name(target))}**, {target_end(target)}:", ""]
            lines.append(f"    {one_line(target.description)}")
    return "\n".join(lines) + "\n"


def _cost(target: NightTarget, summary: NightSummary) -> str:
    """Write what a target has cost; nothing is paid to a stand-in."""
    return f"{target.cost_usd:.2f}" if is_billed(summary) else "–"


def _rate(rate: Rate | None) -> str:
    """Write a rate with its interval."""
    if rate is None or rate.rate is None:
        return NOT_MEASURED
    if rate.low is None or rate.high is None:
        return percent(rate.rate)
    return f"{percent(rate.rate)} ({100 * rate.low:.0f}–{100 * rate.high:.0f})"


def _cell(text: str) -> str:
    return escaped(one_line(text))
