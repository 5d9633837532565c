"""The trials in which Claude did not do what a case asks for, or said nothing (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.recorded import RecordedCase, RecordedIteration, RecordedRun
from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.report.tallies import trials_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A case that was missed at least once, or of which a trial says nothing."""

    case: RecordedCase
    trials: tuple[Trial, ...]
    """The missed and the undecided ones."""
    of: int
    """All trials of the case that stand behind the result."""


def find_misses(run: RecordedRun, text: RecordedIteration | None) -> tuple[Miss, ...]:
    """Find what went wrong under a text, in the order of the cases."""
    if text is None:
        return ()
    trials: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials_of(run, text):
        trials.setdefault((trial.case, trial.model_asked), []).append(trial)
    found = ((case, trials.get((case.name, case.model), [])) for case in run.cases)
    return tuple(
        Miss(case=case, trials=missed, of=len(behind))
        for case, behind in found
        if (missed := _missed(case, behind))
    )


def _missed(case: RecordedCase, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    right = Outcome.TRIGGERED if case.should_trigger else Outcome.NOT_TRIGGERED
    return tuple(trial for trial in trials if trial.outcome is not right)


def what_happened(trial: Trial, target: str) -> str:
    """Say in one sentence what Claude did instead.

    Args:
        trial: a missed or an undecided one.
        target: the target's name, as on a command line.
    """
    others = ", ".join(trial.also_fired)
    turns = f"{trial.turns} turn{'' if trial.turns == 1 else 's'}"
    match trial.outcome:
        case Outcome.UNDECIDED:
            return f"undecided: {trial.reason}"
        case Outcome.TRIGGERED:
            how = f" ({trial.mode.value})" if trial.mode is not None else ""
            also = f", and used {others}" if others else ""
            return f"used {target}{how} at turn {trial.step}{also}"
        case Outcome.NOT_TRIGGERED:
            return f"used {others} instead" if others else f"used nothing within {turns}"
