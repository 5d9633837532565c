"""Cases against iterations: in how many runs the target was called, cell by cell."""

from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.recorded import CaseTally, RecordedCase, RecordedRun
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.report.tallies import confirmed
from skillwalker.report.wording import NOT_MEASURED

MARKS = {True: "✓", False: "✗", None: "?"}
LEVELS = 4
"""Shades between never right and always right, apart from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """One case under one text."""

    text: str
    """Calls of decided runs, the vote's mark, and what is undecided."""
    shade: str
    """A class of the style sheet; says nothing that the text does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    """One case under every text."""

    case: RecordedCase
    anchor: str | None
    """Where its misses stand in the page, if it has any."""
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """All cases, those that should trigger first."""

    columns: tuple[str, ...]
    """The confirm rounds first: they are the result."""
    has_sets: bool
    """Whether any case is held out, so that the set says something."""
    groups: tuple[tuple[str, tuple[HeatRow, ...]], ...]
    """A title and its rows."""


def heat_map(run: RecordedRun, anchors: dict[tuple[str, str], str]) -> Heat:
    """Lay the cases against the confirm rounds, and against the iterations behind them.

    Args:
        run: the run.
        anchors: for case and model, where its misses stand in the page.
    """
    columns = []
    if run.original is not None and run.best is not None:
        confirms = (("confirmed: original", run.original), ("confirmed: best", run.best))
        columns += [(name, tallies) for name, text in confirms if (tallies := confirmed(run, text))]
    columns += [(iteration_name(run, one.number), one.cases) for one in run.iterations]
    indexed = [{(tally.case, tally.model): tally for tally in tallies} for _, tallies in columns]
    groups = []
    for title, should in (("Should trigger", True), ("Should not trigger", False)):
        rows = tuple(
            HeatRow(
                case=case,
                anchor=anchors.get((case.name, case.model)),
                cells=_cells(case, indexed),
            )
            for case in run.cases
            if case.should_trigger is should
        )
        if rows:
            groups.append((title, rows))
    return Heat(
        columns=tuple(name for name, _ in columns),
        has_sets=any(case.set is not CaseSet.TRAIN for case in run.cases),
        groups=tuple(groups),
    )


def iteration_name(run: RecordedRun, number: int) -> str:
    """Name an iteration with what it is to the run."""
    roles = ["original"] if number == 1 else []
    if number == run.summary.best_iteration and (number != 1 or run.summary.kind != "measure"):
        roles.append("best")
    return f"{number} ({', '.join(roles)})" if roles else str(number)


def _cells(
    case: RecordedCase, columns: Sequence[dict[tuple[str, str], CaseTally]]
) -> tuple[HeatCell, ...]:
    return tuple(_cell(column.get((case.name, case.model))) for column in columns)


def _cell(tally: CaseTally | None) -> HeatCell:
    if tally is None:
        return HeatCell(text=NOT_MEASURED, shade="none")
    undecided = f" +{tally.undecided} undecided" if tally.undecided else ""
    if not tally.decided:
        return HeatCell(text=f"?{undecided}", shade="undecided")
    text = f"{tally.triggered}/{tally.decided} {MARKS[tally.passed]}{undecided}"
    level = int(LEVELS * tally.correct / tally.decided)
    return HeatCell(text=text, shade=f"heat-{level}{' undecided' if undecided else ''}")
