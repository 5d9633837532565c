"""What was measured, as tables and lines for the terminal (pure)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.markup import escape
from rich.table import Table

from skillwalker.datatypes.inputs import TriggerCase
from skillwalker.datatypes.scores import CaseResult, GateResult, Iteration, Rates
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.intervals import wilson
from skillwalker.report import wording
from skillwalker.report.metric_text import TITLE, has_standing, metric_rows
from skillwalker.report.plain import one_line
from skillwalker.steps.step_5_score import score

CASE_WIDTH = 44
Confirms = Mapping[tuple[str, str], str]
"""What the confirm rounds counted of a case on a model, in words."""


def _table(title: str, *columns: str) -> Table:
    """Make a table whose first column is text and whose others are figures."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else "right", overflow="fold")
    return table


def iteration_table(iterations: list[Iteration], *, best: int) -> Table:
    """Lay the iterations side by side."""
    table = _table("Iterations", "", "phase", "train", "holdout", "trials", "length")
    for iteration in iterations:
        sides = (score(iteration.results, side) for side in (CaseSet.TRAIN, CaseSet.HOLDOUT))
        cells = (
            f"{s.passed}/{s.passed + s.failed}" if s.total else wording.NOT_MEASURED for s in sides
        )
        mark = " (best)" if iteration.number == best else ""
        mark = f" (original{', best' if mark else ''})" if iteration.number == 1 else mark
        table.add_row(
            f"{iteration.number}{mark}",
            iteration.phase.value,
            *cells,
            str(sum(len(result.trials) for result in iteration.results)),
            str(len(iteration.description)),
        )
    return table


def rate_tables(summary: Summary) -> Iterator[Table]:
    """Give the rates, what confirm rounds changed of them, and those under each model."""
    if summary.original is not None:
        yield rate_table(summary)
    if summary.gate is not None and (table := change_table(summary.gate)) is not None:
        yield table
    if len(summary.by_model) > 1:
        yield model_table(summary)


def rate_table(summary: Summary) -> Table:
    """Lay the rates before and after side by side."""
    source = f" ({words})" if (words := wording.source(summary)) else ""
    title = f"Rates, mean over cases, with 90 % intervals{source}"
    changed = summary.best_iteration != 1 and summary.kind != "measure"
    table = _table(title, "", "original", *(("best",) if changed else ()))
    rows: tuple[tuple[str, Callable[[Rates], str]], ...] = (
        ("recall", lambda rates: wording.rate(rates.recall)),
        ("specificity", lambda rates: wording.rate(rates.specificity)),
        ("balanced accuracy", lambda rates: wording.rate(rates.balanced)),
    )
    sides = (summary.original, summary.best) if changed else (summary.original,)
    for name, cell in rows:
        table.add_row(name, *(cell(side) for side in sides if side is not None))
    return table


def change_table(gate: GateResult) -> Table | None:
    """Lay the changes of the rates one below another; None where none was measured."""
    rows = wording.changes(gate)
    if not rows:
        return None
    rounds = "1 confirm round" if gate.rounds == 1 else f"{gate.rounds} confirm rounds"
    title = f"Changes in points ({rounds})"
    table = _table(title, "", "change", "90 % interval")
    for name, change, interval in rows:
        table.add_row(name, wording.points(change), wording.limits(interval))
    return table


def model_table(summary: Summary) -> Table:
    """Lay the balanced accuracy under each model side by side, and mark the weakest."""
    changed = summary.best_iteration != 1 and summary.kind != "measure"
    table = _table("Balanced accuracy by model", "", "original", *(("best",) if changed else ()))
    for one in summary.by_model:
        sides = (one.original, one.best) if changed else (one.original,)
        mark = " (weakest)" if one.model == summary.weakest_model else ""
        table.add_row(
            f"{escape(one_line(one.model))}{mark}",
            *(
                wording.NOT_MEASURED if side is None else wording.rate(side.balanced)
                for side in sides
            ),
        )
    return table


def metric_table(summary: Summary) -> Table:
    """Lay what was tracked of both texts side by side."""
    rows = metric_rows(summary)
    changed = any(row.best is not None for row in rows)
    standing = ("standing",) if has_standing(summary) else ()
    table = _table(TITLE, "", "original", *(("best",) if changed else ()), *standing)
    for row in rows:
        cells = (row.original, row.best or "") if changed else (row.original,)
        table.add_row(escape(row.name), *cells, *((row.standing,) if standing else ()))
    return table


def case_table(
    pairs: list[tuple[CaseResult, CaseResult]], *, same: bool, confirms: Confirms | None = None
) -> Table:
    """Show in how many runs of the search the target triggered in each case.

    Args:
        pairs: each case under the original and under the best text.
        same: whether these are one text.
        confirms: what the confirm rounds counted, by case and model; never pooled with the search.
    """
    columns = ("original",) if same else ("original", "best")
    of = "" if same else " of best"
    rounds = ("confirmed",) if confirms else ()
    table = _table(
        f"Cases that failed or moved (runs{'' if same else ' of the search'} that triggered)",
        *("case", "should", *columns, f"90 %{of}", *rounds),
    )
    several = len({after.case.model for _, after in pairs}) > 1
    for before, after in pairs:
        results = (before,) if same else (before, after)
        model = f" ({after.case.model})" if several else ""
        told = (confirms or {}).get((after.case.name, after.case.model), wording.NOT_MEASURED)
        table.add_row(
            escape(one_line(f"{_case_name(after.case)}{model}")),
            "yes" if after.case.should_trigger else "no",
            *(_fraction(result) for result in results),
            _interval(after),
            *((told,) if confirms else ()),
        )
    return table


def _interval(result: CaseResult) -> str:
    """Write the Wilson interval of a case's trigger rate."""
    decided = result.triggered + result.not_triggered
    if not decided:
        return wording.NOT_MEASURED
    low, high = wilson(result.triggered, decided)
    return f"{100 * low:.0f}–{100 * high:.0f}"


def what_fired(
    summary: Summary, results: Sequence[CaseResult], confirmed: Sequence[Trial]
) -> list[str]:
    """Tell at which turn the calls came, and what fired where the target should have.

    Args:
        summary: of the run.
        results: of the text that it speaks of.
        confirmed: that text's trials of the confirm rounds, which are told instead if there are
            any: they are what the rates are made of.
    """
    trials = confirmed or [trial for result in results for trial in result.trials]
    positives = {(r.case.name, r.case.model) for r in results if r.case.should_trigger}
    searched = "" if summary.kind == "measure" else f" ({wording.SEARCH})"
    of = f" ({wording.CONFIRM})" if confirmed else searched
    steps = Counter(t.step for t in trials if t.outcome is Outcome.TRIGGERED and t.step)
    lines = []
    if steps:
        turns = ", ".join(f"turn {step}: {count}" for step, count in sorted(steps.items()))
        lines.append(f"calls came at {turns}{of}")
    instead = Counter(
        name
        for trial in trials
        if (trial.case, trial.model_asked) in positives
        if trial.outcome is Outcome.NOT_TRIGGERED
        for name in trial.also_fired
    )
    if instead:
        ranked = sorted(instead.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{name} ({n})" for name, n in ranked)
        lines.append(f"fired instead: {named}{of}")
    return lines


def _case_name(case: TriggerCase) -> str:
    """Name a case, short enough for a column."""
    return case.name if len(case.name) <= CASE_WIDTH else f"{case.name[: CASE_WIDTH - 1]}…"


def _fraction(result: CaseResult) -> str:
    """Write k of n triggered, with a mark of the vote."""
    decided = result.triggered + result.not_triggered
    mark = {True: "✓", False: "✗", None: "?"}[result.passed]
    return f"{result.triggered}/{decided} {mark}"
