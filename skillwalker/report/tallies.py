"""Which counts of a recorded run a report speaks of, made from its rows (pure)."""

from collections.abc import Iterable, Sequence

from skillwalker.datatypes.recorded import CaseTally, RecordedIteration, RecordedRun
from skillwalker.datatypes.scores import Rates
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import CaseSet, Outcome
from skillwalker.steps.step_5_score import CaseRuns, rates_of

SEARCH_SETS = frozenset({CaseSet.TRAIN, CaseSet.HOLDOUT})


def last_attempts(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    """Leave out a trial that was repeated: of each run the last attempt counts."""
    last: dict[tuple[str, str, str, int], Trial] = {}
    for trial in trials:
        key = (trial.candidate, trial.case, trial.model_asked, trial.run_index)
        if key not in last or trial.attempt >= last[key].attempt:
            last[key] = trial
    return tuple(last.values())


def confirmed(run: RecordedRun, text: RecordedIteration) -> tuple[CaseTally, ...]:
    """Count the confirm rounds of a text by case; empty when there was none."""
    trials: dict[tuple[str, str], list[Trial]] = {}
    for trial in last_attempts(run.counted):
        if trial.set is CaseSet.CONFIRM and trial.candidate == text.candidate:
            trials.setdefault((trial.case, trial.model_asked), []).append(trial)
    return tuple(
        CaseTally(
            case=case.name,
            model=case.model,
            set=case.set,
            should_trigger=case.should_trigger,
            group=case.group,
            **_counts(trials[case.name, case.model]),
        )
        for case in run.cases
        if (case.name, case.model) in trials
    )


def confirm_counts(run: RecordedRun) -> dict[tuple[str, str], str]:
    """Write how often the target was called in the confirm rounds, original and best, by case."""
    if run.original is None or run.best is None or run.best is run.original:
        return {}
    before, after = (
        {(one.case, one.model): f"{one.triggered}/{one.decided}" for one in confirmed(run, text)}
        for text in (run.original, run.best)
    )
    return {key: f"{told} → {after[key]}" for key, told in before.items() if key in after}


def _counts(trials: Sequence[Trial]) -> dict[str, int]:
    return {outcome.value: sum(trial.outcome is outcome for trial in trials) for outcome in Outcome}


def result_of(run: RecordedRun, text: RecordedIteration) -> tuple[CaseTally, ...]:
    """Give what the run's result says of a text: its confirm rounds if any, else the search."""
    return confirmed(run, text) or text.cases


def text_in_file(run: RecordedRun) -> RecordedIteration | None:
    """Give the text that the file holds at the end, if it was measured."""
    return run.best if run.summary.applied else run.original


def trials_of(run: RecordedRun, text: RecordedIteration) -> tuple[Trial, ...]:
    """Give the trials behind what the run's result says of a text."""
    sets = {CaseSet.CONFIRM} if confirmed(run, text) else SEARCH_SETS
    return tuple(
        trial
        for trial in last_attempts(run.counted)
        if trial.candidate == text.candidate and trial.set in sets
    )


def rates_of_tallies(tallies: Iterable[CaseTally]) -> Rates:
    """Make rates with their intervals over cases."""
    return rates_of(
        [
            CaseRuns(
                positive=tally.should_trigger,
                correct=tally.correct,
                decided=tally.decided,
                group=tally.group or tally.case,
            )
            for tally in tallies
        ]
    )
