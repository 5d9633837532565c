"""Recall and specificity of what the files held, per target, model and CLI, and day by day."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from skillwalker.datatypes.history import CaseCount, RunFacts, Setting
from skillwalker.datatypes.statistics import DayRates, RateRow
from skillwalker.steps.step_5_score import CaseRuns, rates_of

Runs = Mapping[str, RunFacts]
Group = tuple[str, Setting, str]


def is_rated(count: CaseCount, runs: Runs) -> bool:
    """Say whether it is known what a case asks for."""
    return count.case in runs[count.run_id].should_trigger


def rate_rows(counts: Iterable[CaseCount], runs: Runs) -> tuple[RateRow, ...]:
    """Make the rates of each target, setting and CLI version, in that order.

    Args:
        counts: of the descriptions that the files held, each with a known polarity.
        runs: by id.
    """
    groups: defaultdict[Group, list[CaseCount]] = defaultdict(list)
    for count in counts:
        group = (runs[count.run_id].target, count.setting, count.cli_version)
        groups[group].append(count)
    return tuple(_row(group, groups[group], runs) for group in sorted(groups, key=_order))


def case_runs(counts: Iterable[CaseCount], runs: Runs) -> tuple[CaseRuns, ...]:
    """Sum the decided runs of each case.

    A case is one of a suite; one whose polarity was turned round, or whose own turn limit was
    changed, is another; its near-duplicates are one draw with it.
    """
    correct: defaultdict[tuple[str, str, bool, int], list[int]] = defaultdict(lambda: [0, 0])
    groups: dict[tuple[str, str], str] = {}
    for count in counts:
        run = runs[count.run_id]
        positive = run.should_trigger[count.case]
        sums = correct[run.suite, count.case, positive, run.own_turns.get(count.case, 0)]
        sums[0] += count.triggered if positive else count.not_triggered
        sums[1] += count.triggered + count.not_triggered
        groups[run.suite, count.case] = run.groups.get(count.case, f"{run.suite}/{count.case}")
    return tuple(
        CaseRuns(positive=positive, correct=k, decided=n, group=groups[suite, case])
        for (suite, case, positive, _), (k, n) in sorted(correct.items())
    )


def _row(group: Group, counts: Sequence[CaseCount], runs: Runs) -> RateRow:
    """Make the rates of one group."""
    target, setting, cli_version = group
    by_day: defaultdict[date, list[CaseCount]] = defaultdict(list)
    for count in counts:
        by_day[runs[count.run_id].began.date()].append(count)
    cases = case_runs(counts, runs)
    return RateRow(
        target=target,
        setting=setting,
        cli_version=cli_version,
        runs=_runs(counts),
        texts=_texts(counts),
        cases=len(cases),
        rates=rates_of(cases),
        days=tuple(_day(day, by_day[day], runs) for day in sorted(by_day)),
    )


def _day(day: date, counts: Sequence[CaseCount], runs: Runs) -> DayRates:
    """Make the rates of one day."""
    cases = case_runs(counts, runs)
    return DayRates(
        day=day,
        runs=_runs(counts),
        texts=_texts(counts),
        cases=len(cases),
        rates=rates_of(cases),
    )


def _runs(counts: Sequence[CaseCount]) -> int:
    return len({count.run_id for count in counts})


def _texts(counts: Sequence[CaseCount]) -> int:
    return len({count.candidate for count in counts})


def _order(group: Group) -> tuple[str | int, ...]:
    target, setting, cli_version = group
    return (target, *setting.order, cli_version)
