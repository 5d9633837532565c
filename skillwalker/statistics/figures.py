"""Everything that was recorded, made into figures; each stands beside its denominator (pure)."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from skillwalker.datatypes.history import RecordedHistory, Setting, Spent, TrialCount
from skillwalker.datatypes.statistics import OutcomeRow, ReasonRow, Statistics
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.statistics.eval_figures import eval_figures
from skillwalker.statistics.rate_figures import is_rated, rate_rows
from skillwalker.statistics.run_facts import add_usage
from skillwalker.statistics.search_figures import search_figures

PURPOSES = ("trial", "improver", "judge")


def make_figures(history: RecordedHistory) -> Statistics:
    """Make the figures of a history; what it does not hold is in none of them."""
    runs = {run.run_id: run for run in history.runs}
    own = [count for count in history.cases if count.candidate == runs[count.run_id].original]
    rated = [count for count in own if is_rated(count, runs)]
    decided = sum(count.triggered + count.not_triggered for count in own)
    counted = sum(count.triggered + count.not_triggered for count in rated)
    return Statistics(
        coverage=history.coverage,
        outcomes=_outcomes(history.trials),
        rates=rate_rows(rated, runs),
        rated=counted,
        not_rated=decided - counted,
        search=search_figures(history.runs, history.cases),
        costs=_costs(history.spent),
        undecided=_reasons(history.trials),
        evals=eval_figures(history.evals),
        evals_not_evaluated=sum(not run.evaluated for run in history.evals),
    )


def _outcomes(counts: Iterable[TrialCount]) -> tuple[OutcomeRow, ...]:
    """Count trials by outcome for each setting and set."""
    found: defaultdict[tuple[Setting, str], Counter[Outcome]] = defaultdict(Counter)
    again: Counter[tuple[Setting, str]] = Counter()
    for count in counts:
        found[count.setting, count.set][count.outcome] += count.trials
        again[count.setting, count.set] += count.attempts - count.trials
    return tuple(
        OutcomeRow(
            setting=setting,
            set=case_set,
            triggered=outcomes[Outcome.TRIGGERED],
            not_triggered=outcomes[Outcome.NOT_TRIGGERED],
            undecided=outcomes[Outcome.UNDECIDED],
            tried_again=again[setting, case_set],
        )
        for (setting, case_set), outcomes in sorted(
            found.items(), key=lambda item: (item[0][0].order, item[0][1])
        )
    )


def _reasons(counts: Iterable[TrialCount]) -> tuple[ReasonRow, ...]:
    """Count why trials stayed undecided, for each setting."""
    reasons: defaultdict[Setting, Counter[str]] = defaultdict(Counter)
    trials: Counter[Setting] = Counter()
    for count in counts:
        trials[count.setting] += count.trials
        if count.outcome is Outcome.UNDECIDED and count.trials:
            reasons[count.setting][count.reason or "not recorded"] += count.trials
    return tuple(
        ReasonRow(
            setting=setting,
            trials=trials[setting],
            undecided=reasons[setting].total(),
            reasons=tuple(sorted(reasons[setting].items(), key=lambda item: (-item[1], item[0]))),
        )
        for setting in sorted(trials, key=lambda setting: setting.order)
    )


def _costs(spent: Iterable[Spent]) -> tuple[Spent, ...]:
    """Sum what was spent by purpose; a purpose that is not known stands at the end."""
    parts: defaultdict[tuple[bool, str], list[Spent]] = defaultdict(list)
    for one in spent:
        parts[one.simulated, one.purpose].append(one)
    known = {(False, purpose) for purpose in PURPOSES}
    return tuple(
        Spent(
            run_id="",
            simulated=simulated,
            purpose=purpose,
            usage=add_usage(one.usage for one in parts[simulated, purpose]),
            estimated_calls=sum(one.estimated_calls for one in parts[simulated, purpose]),
        )
        for simulated, purpose in sorted(known | parts.keys(), key=_rank)
    )


def _rank(part: tuple[bool, str]) -> tuple[bool, int, str]:
    """Order purposes: of real runs first, those that are known before others."""
    simulated, purpose = part
    place = PURPOSES.index(purpose) if purpose in PURPOSES else len(PURPOSES)
    return simulated, place, purpose
