"""What is left of a run, by what its trials have cost and taken so far."""

from skillwalker.datatypes.summary import Event, Forecast, TrialDone, TrialReused
from skillwalker.datatypes.trials import Trial

ENOUGH = 10
"""Trials after which their mean says more than an assumption."""


class Forecaster:
    """Follows the trials of a run.

    Args:
        trials: that it may take at the most, retries apart.
        concurrency: trials at the same time.
    """

    def __init__(self, *, trials: int, concurrency: int) -> None:
        self._most = trials
        self._concurrency = concurrency
        self._runs = 0
        self._trials = 0
        self._seconds = 0.0
        self._known = 0
        self._cost = 0.0

    def follow(self, event: Event) -> Forecast | None:
        """Take what a run tells, and say what is left after a trial."""
        match event:
            case TrialDone(trial=trial):
                return self.take(trial)
            case TrialReused():
                self.pass_over()
            case _:
                pass
        return None

    def pass_over(self) -> None:
        """Take note of a trial that an earlier run had paid for: it is not left any more."""
        self._runs += 1

    def take(self, trial: Trial) -> Forecast | None:
        """Take a finished trial and say what is left; None while too few are known."""
        self._runs += trial.attempt == 0
        self._trials += 1
        self._seconds += trial.duration
        if trial.usage.cost_usd is not None:
            self._known += 1
            self._cost += trial.usage.cost_usd
        if self._trials < ENOUGH:
            return None
        left = max(0, self._most - self._runs)
        return Forecast(
            trials=left,
            cost_usd=left * self._cost / self._known if self._known else None,
            seconds=left * self._seconds / self._trials / self._concurrency,
        )
