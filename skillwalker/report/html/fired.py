"""What fired where: the confusion of the target with its rivals, and at which turn calls came."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.recorded import RecordedCase, RecordedIteration, RecordedRun
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.report.tallies import trials_of

MOST_RIVALS = 10
"""Columns of rivals, the most frequent ones; the others share one."""
OTHERS = "others"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionRow:
    """What fired in the trials of one case."""

    case: RecordedCase
    counts: tuple[int, ...]
    """Trials, a figure a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Cases in which something else happened than what they ask for."""

    columns: tuple[str, ...]
    """The target, what else fired, `nothing` and `undecided`."""
    rows: tuple[ConfusionRow, ...]
    left_out: int
    """Cases in which every run did what it should."""


def confusion(run: RecordedRun, text: RecordedIteration) -> Confusion:
    """Count what fired in each case under a text; a trial in which two fired counts for both."""
    trials: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials_of(run, text):
        trials.setdefault((trial.case, trial.model_asked), []).append(trial)
    seen = [case for case in run.cases if (case.name, case.model) in trials]
    wrong = [case for case in seen if _is_confused(case, trials[case.name, case.model])]
    ranked = Counter(
        name
        for case in wrong
        for trial in trials[case.name, case.model]
        for name in set(trial.also_fired)
    ).most_common()
    names = tuple(name for name, _ in ranked[:MOST_RIVALS])
    others = (OTHERS,) if len(ranked) > MOST_RIVALS else ()
    rows = tuple(
        ConfusionRow(case=case, counts=_counts(trials[case.name, case.model], names, bool(others)))
        for case in wrong
    )
    columns = (run.summary.target, *names, *others, "nothing", "undecided")
    return Confusion(columns=columns, rows=rows, left_out=len(seen) - len(wrong))


def _is_confused(case: RecordedCase, trials: Sequence[Trial]) -> bool:
    right = Outcome.TRIGGERED if case.should_trigger else Outcome.NOT_TRIGGERED
    return any(trial.outcome is not right for trial in trials)


def _counts(trials: Sequence[Trial], names: Sequence[str], others: bool) -> tuple[int, ...]:
    known = set(names)
    rest = (sum(bool(set(trial.also_fired) - known) for trial in trials),) if others else ()
    return (
        sum(trial.outcome is Outcome.TRIGGERED for trial in trials),
        *(sum(name in trial.also_fired for trial in trials) for name in names),
        *rest,
        sum(t.outcome is Outcome.NOT_TRIGGERED and not t.also_fired for t in trials),
        sum(trial.outcome is Outcome.UNDECIDED for trial in trials),
    )


def call_turns(run: RecordedRun) -> dict[str, dict[int, int]]:
    """Count at which turn the target was called, for the original and the best text."""
    texts = {"original": run.original}
    if run.best is not run.original:
        texts["best"] = run.best
    return {
        name: dict(
            sorted(
                Counter(
                    trial.step
                    for trial in trials_of(run, text)
                    if trial.outcome is Outcome.TRIGGERED and trial.step
                ).items()
            )
        )
        for name, text in texts.items()
        if text is not None
    }
