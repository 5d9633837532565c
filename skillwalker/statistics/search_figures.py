"""How searches ended, and what the descriptions that were written changed (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from skillwalker.datatypes.history import CaseCount, RunFacts, Setting
from skillwalker.datatypes.statistics import AppliedGain, MeanGain, SearchFigures
from skillwalker.intervals import PairedCase, compare
from skillwalker.statistics.rate_figures import case_runs
from skillwalker.steps.step_5_score import CaseRuns, rates_of


def search_figures(
    runs: Sequence[RunFacts], counts: Sequence[CaseCount]
) -> tuple[SearchFigures, ...]:
    """Count how the runs of scil and acil ended, those apart in which no model was asked.

    Args:
        runs: of every kind.
        counts: of their trials.
    """
    searches = [run for run in runs if run.kind != "measure"]
    sides = ([run for run in searches if run.simulated is side] for side in (False, True))
    return tuple(_figures(side, counts) for side in sides if side)


def _figures(searches: Sequence[RunFacts], counts: Iterable[CaseCount]) -> SearchFigures:
    """Count how runs ended; there is at least one."""
    ended = [run for run in searches if run.ended]
    gates = [run.gate for run in ended if run.gate is not None]
    judged = [gate for gate in gates if gate.rounds]
    confirmed: defaultdict[str, list[CaseCount]] = defaultdict(list)
    for count in counts:
        if count.confirm:
            confirmed[count.run_id].append(count)
    applied = [gain for run in ended if run.applied for gain in _gains(run, confirmed[run.run_id])]
    return SearchFigures(
        simulated=searches[0].simulated,
        runs=len(searches),
        unfinished=len(searches) - len(ended),
        verdicts=_ranked(run.verdict for run in ended),
        stopped_because=_ranked(run.stopped_because for run in ended),
        gate_passed=sum(gate.passed for gate in judged),
        gate_refused=sum(not gate.passed for gate in judged),
        gate_not_run=len(gates) - len(judged),
        gate_none=len(ended) - len(gates),
        applied_runs=sum(run.applied for run in ended),
        applied=tuple(applied),
        mean_gains=_means(applied),
    )


def _gains(run: RunFacts, counts: Sequence[CaseCount]) -> list[AppliedGain]:
    """Compare both texts of an applied run, for each setting that confirm rounds measured."""
    by_setting: defaultdict[Setting, list[CaseCount]] = defaultdict(list)
    for count in counts:
        if count.case in run.should_trigger:
            by_setting[count.setting].append(count)
    return [
        _gain(run, setting, by_setting[setting])
        for setting in sorted(by_setting, key=lambda setting: setting.order)
    ]


def _gain(run: RunFacts, setting: Setting, counts: Sequence[CaseCount]) -> AppliedGain:
    """Compare both texts under one setting, by the cases that both decided."""
    before, after = (_by_case(counts, text) for text in (run.original, run.best))
    shared = sorted(before.keys() & after.keys())
    old, new = (
        [case_runs(side[case], {run.run_id: run})[0] for case in shared] for side in (before, after)
    )
    groups = [run.groups.get(case, case) for case in shared]
    change = compare(list(map(_pair, old, new, groups)))
    return AppliedGain(
        run_id=run.run_id,
        target=run.target,
        setting=setting,
        cases=len(shared),
        before=rates_of(old),
        after=rates_of(new),
        change=change.change,
        interval=change.interval,
        p_better=change.p_better,
    )


def _by_case(counts: Sequence[CaseCount], text: str | None) -> dict[str, list[CaseCount]]:
    """Lay out what one text did, case by case."""
    found: defaultdict[str, list[CaseCount]] = defaultdict(list)
    for count in counts:
        if count.candidate == text:
            found[count.case].append(count)
    return found


def _pair(before: CaseRuns, after: CaseRuns, group: str) -> PairedCase:
    """Lay the runs of one case under two texts side by side."""
    return PairedCase(
        positive=before.positive,
        k0=before.correct,
        n0=before.decided,
        k1=after.correct,
        n1=after.decided,
        group=group,
    )


def _means(gains: Sequence[AppliedGain]) -> tuple[MeanGain, ...]:
    """Give the mean change for each setting, over the runs in which both classes were decided."""
    settings = dict.fromkeys(gain.setting for gain in gains)
    rows = []
    for setting in sorted(settings, key=lambda setting: setting.order):
        of_setting = [gain for gain in gains if gain.setting == setting]
        changes = [gain.change for gain in of_setting if gain.change is not None]
        mean = fmean(changes) if changes else None
        rows.append(
            MeanGain(
                setting=setting,
                applied=len(of_setting),
                measured=len(changes),
                mean_change=mean,
            )
        )
    return tuple(rows)


def _ranked(words: Iterable[str | None]) -> tuple[tuple[str, int], ...]:
    """Count words, the most frequent first."""
    counted = Counter(word or "not recorded" for word in words)
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
