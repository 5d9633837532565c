"""Figures over all runs in lines for a terminal; every header names its denominator (pure)."""

from collections.abc import Iterable, Iterator, Sequence

from skillwalker.counting import counted
from skillwalker.datatypes.history import Coverage, Setting, Spent
from skillwalker.datatypes.scores import Rates
from skillwalker.datatypes.statistics import (
    EvalFigures,
    OutcomeRow,
    RateRow,
    ReasonRow,
    SearchFigures,
    Statistics,
)
from skillwalker.report import wording
from skillwalker.report.plain import one_line

LABEL = 15
MOST_DAYS = 10
"""Days that a target's rates are shown for; `--json` has all."""
MOST_NAMES = 10


def statistics_lines(figures: Statistics, *, folder: str) -> Iterator[str]:
    """Write all figures, coverage first.

    Args:
        figures: of a history.
        folder: where its runs lie, as a user would write it.
    """
    coverage = figures.coverage
    simulated = _has_simulated(figures)
    if simulated:
        yield wording.SIMULATED
    yield _headline(coverage, folder)
    sections = (
        _coverage(coverage),
        _outcomes(figures.outcomes),
        _rates(figures),
        *(_search(search) for search in figures.search),
        _reasons(figures.undecided),
        _evals(figures),
        _costs(figures.costs),
    )
    for section in sections:
        lines = tuple(section)
        if lines:
            yield ""
            yield from lines
    if simulated:
        yield ""
        yield wording.SIMULATED


def setting_words(setting: Setting) -> str:
    """Say under what trials were run, on one line."""
    words = [
        setting.model or "no model recorded",
        f"engine {setting.engine}",
        setting.permission_mode,
        "" if setting.endpoint == setting.engine else setting.endpoint,
        "" if setting.listing_mode == "real" else f"listing {setting.listing_mode}",
        "" if setting.max_turns is None else f"within {counted(setting.max_turns, 'turn')}",
        "SIMULATED" if setting.simulated else "",
    ]
    return one_line(", ".join(word for word in words if word))


def _has_simulated(figures: Statistics) -> bool:
    """Whether a figure is about runs in which no model was asked."""
    return (
        any(row.setting.simulated for row in figures.outcomes)
        or any(search.simulated for search in figures.search)
        or any(row.simulated for row in figures.evals)
    )


def _headline(coverage: Coverage, folder: str) -> str:
    """Say how much of what there is the figures are made of."""
    read = sum(number for _, number in coverage.read)
    if read:
        return f"Statistics of {counted(read, 'run')} in {folder}"
    if coverage.simulated or coverage.filtered:
        known = ", ".join(map(one_line, coverage.targets))
        measured = f"; recorded targets: {known}" if known else ""
        return f"No run in {folder} is counted: all were left out{measured}"
    if coverage.unreadable:
        return f"No run in {folder} could be read"
    return f"No run is recorded in {folder} yet"


def _label(name: str, text: str) -> str:
    return f"  {name:<{LABEL}}{text}"


def _coverage(coverage: Coverage) -> Iterator[str]:
    """Say which folders were read and which not, and why."""
    yield f"Coverage ({counted(coverage.folders, 'folder')})"
    read = sum(number for _, number in coverage.read)
    kinds = ", ".join(f"{kind} {number}" for kind, number in coverage.read)
    yield _label("read", counted(read, "run") + (f" ({kinds})" if kinds else ""))
    if coverage.nights:
        nights = counted(coverage.nights, "night")
        yield _label("beside", f"{nights}; their runs are counted by themselves")
    for name, names in (
        ("  no trial in", coverage.without_trials),
        ("empty", coverage.empty),
        ("copies", tuple(f"{folder} (of {run_id})" for folder, run_id in coverage.copies)),
        ("no runs", coverage.no_runs),
    ):
        if names:
            yield _label(name, f"{len(names)}: {_names(names)}")
    yield _label("not readable", counted(len(coverage.unreadable), "run"))
    for run_id, reason in coverage.unreadable:
        yield _label("", f"{run_id}: {one_line(reason)}")
    if coverage.simulated:
        yield _label("left out", f"{coverage.simulated} simulated; --simulated counts them")
    if coverage.filtered:
        yield _label("left out", f"{coverage.filtered} by --since or --target")


def _names(names: Sequence[str]) -> str:
    """List names, not too many."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(one_line, names[:MOST_NAMES])) + more


def _outcomes(rows: Sequence[OutcomeRow]) -> Iterator[str]:
    """Count trials by outcome, undecided ones in a column of their own."""
    if not rows:
        return
    total = sum(row.triggered + row.not_triggered + row.undecided for row in rows)
    yield f"Outcomes ({counted(total, 'trial')}, each by its last attempt)"
    yield _label("", f"{'triggered':>10}{'not':>10}{'undecided':>11}{'trials':>10}{'retried':>10}")
    for setting in dict.fromkeys(row.setting for row in rows):
        yield f"  {setting_words(setting)}"
        for row in (row for row in rows if row.setting == setting):
            trials = row.triggered + row.not_triggered + row.undecided
            yield _label(
                f"  {one_line(row.set)}",
                f"{row.triggered:>10}{row.not_triggered:>10}{row.undecided:>11}"
                f"{trials:>10}{row.tried_again:>10}",
            )


def _rates(figures: Statistics) -> Iterator[str]:
    """Write recall and specificity per target, setting and CLI, and by day."""
    if not figures.rated and not figures.not_rated:
        return
    yield (
        f"Rates of what the files held ({counted(figures.rated, 'decided trial')};"
        " mean over cases, 90 % intervals)"
    )
    if figures.not_rated:
        what = counted(figures.not_rated, "further decided trial")
        yield _label("not rated", f"{what}: the run does not say what the case asks for")
    for row in figures.rates:
        yield from _rate_row(row)


def _rate_row(row: RateRow) -> Iterator[str]:
    yield f"  {one_line(row.target)}: {setting_words(row.setting)}, CLI {one_line(row.cli_version)}"
    yield _label("  all", _rate_words(row.rates))
    made_of = f"{counted(row.runs, 'run')}, {counted(row.cases, 'case')}"
    yield _label("", f"{made_of}, {counted(row.texts, 'description')}")
    if len(row.days) < 2:
        return
    shown = row.days[-MOST_DAYS:]
    for day in shown:
        yield _label(f"  {day.day.isoformat()}", _rate_words(day.rates))
    if len(shown) < len(row.days):
        yield _label("", f"{len(row.days) - len(shown)} earlier days are in --json")


def _rate_words(rates: Rates) -> str:
    recall, specificity = wording.rate(rates.recall), wording.rate(rates.specificity)
    return f"recall {recall}; specificity {specificity}"


def _search(search: SearchFigures) -> Iterator[str]:
    """Tell how searches ended and what was gained."""
    ended = search.runs - search.unfinished
    label = "Simulated searches" if search.simulated else "Searches"
    yield f"{label} ({counted(search.runs, 'run')} of scil and acil, {ended} ended)"
    if ended:
        yield _label("verdicts", _shares(search.verdicts, ended))
        yield _label("ended by", _shares(search.stopped_because, ended))
        gates = (
            ("passed", search.gate_passed),
            ("refused", search.gate_refused),
            ("no round was run", search.gate_not_run),
            ("no gate", search.gate_none),
        )
        yield _label("gate", _shares(gates, ended))
    measured = len({gain.run_id for gain in search.applied})
    applied = counted(search.applied_runs, "run")
    yield _label("applied", f"{applied} of {ended}, {measured} measured by confirm rounds")
    for gain in search.applied:
        change = f"{wording.points(gain.change)} points"
        if gain.interval is not None:
            low, high = gain.interval
            change += f" ({wording.points(low)} to {wording.points(high)})"
        yield f"    {gain.run_id} {one_line(gain.target)}: {change}, {counted(gain.cases, 'case')}"
        yield f"      before: {_rate_words(gain.before)}"
        yield f"      after:  {_rate_words(gain.after)}"
    for mean in search.mean_gains:
        points = wording.points(mean.mean_change)
        over = f"{mean.measured} of {counted(mean.applied, 'applied run')}"
        yield f"    mean {points} points over {over}: {setting_words(mean.setting)}"


def _shares(counts: Iterable[tuple[str, int]], of: int) -> str:
    """Write counts as parts of a whole; what did not happen is left out."""
    parts = [f"{one_line(name)} {number}/{of}" for name, number in counts if number]
    return ", ".join(parts) or "none"


def _reasons(rows: Sequence[ReasonRow]) -> Iterator[str]:
    """Tell why trials stayed undecided."""
    undecided, trials = sum(r.undecided for r in rows), sum(r.trials for r in rows)
    if not undecided:
        return
    yield f"Undecided after the retry ({undecided} of {counted(trials, 'trial')})"
    for row in rows:
        if row.undecided:
            yield f"  {setting_words(row.setting)}: {row.undecided} of {row.trials}"
            yield _label("", _shares(row.reasons, row.undecided))


def _evals(figures: Statistics) -> Iterator[str]:
    """Tell what eval runs said."""
    if not figures.evals and not figures.evals_not_evaluated:
        return
    yield f"Eval runs ({figures.evals_not_evaluated} more are not evaluated)"
    for row in figures.evals:
        yield from _eval_row(row)


def _eval_row(row: EvalFigures) -> Iterator[str]:
    models = ", ".join(row.models) or "no model answered"
    loud = ", SIMULATED" if row.simulated else ""
    yield (
        f"  {one_line(row.suite)}: {one_line(models)}, engine {one_line(row.engine)}{loud},"
        f" {counted(row.runs, 'run')}"
    )
    cases = sum(number for _, number in row.case_statuses)
    yield _label("  cases", _shares(row.case_statuses, cases))
    for kind in dict.fromkeys(kind for kind, _, _ in row.expectations):
        counts = [(status, n) for other, status, n in row.expectations if other == kind]
        yield f"    {one_line(kind)}: {_shares(counts, sum(n for _, n in counts))}"
    if row.criteria:
        agreement = wording.percent(row.agreement)
        of = f"{row.agreement_of} of {counted(row.criteria, 'criterion', 'criteria')}"
        yield f"    judge's runs agree: {agreement} on average, recorded for {of}"


def _costs(costs: Sequence[Spent]) -> Iterator[str]:
    """Write the cost by purpose; every attempt counts, and what is not known is said."""
    calls = sum(cost.usage.calls for cost in costs)
    if not calls:
        return
    yield f"Cost ({counted(calls, 'call')}, retries and controls among them)"
    for cost in (cost for cost in costs if cost.usage.calls):
        name = f"simulated {cost.purpose}" if cost.simulated else cost.purpose
        text = f"${cost.usage.cost_usd:.2f} for {counted(cost.usage.calls, 'call')}"
        if cost.usage.cost_unknown_calls:
            text += f", {cost.usage.cost_unknown_calls} of them of unknown cost"
        if cost.estimated_calls:
            text += f", {cost.estimated_calls} estimated"
        yield _label(one_line(name), text) if len(name) < LABEL else f"  {one_line(name)}  {text}"
