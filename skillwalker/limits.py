"""What may still be spent: asked before every trial, so that a limit never cuts one in two."""

import time
from collections.abc import Callable

from skillwalker.datatypes.vocabulary import StopReason


class Limits:
    """The limits of one run; a strategy never sees them, so they cannot change what it names.

    Args:
        max_trials: most trials of any kind, controls and retries included; None is no limit.
        deadline: moment on `clock` after which no trial starts; None is no limit.
        clock: seconds on a clock that never goes back.
    """

    def __init__(
        self,
        *,
        max_trials: int | None = None,
        deadline: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_trials = max_trials
        self._deadline = deadline
        self._clock = clock
        self._spent = 0
        self._interrupted = False

    @property
    def interrupted(self) -> bool:
        """Whether the run was told to end."""
        return self._interrupted

    def interrupt(self) -> None:
        """Let what is in flight finish and start nothing more."""
        self._interrupted = True

    def count_earlier(self, trials: int) -> None:
        """Count trials that an earlier life of the run paid for."""
        self._spent += trials

    def reached(self) -> StopReason | None:
        """Say which limit forbids another trial; None when it may start."""
        if self._interrupted:
            return StopReason.INTERRUPTED
        if self._deadline is not None and self._clock() >= self._deadline:
            return StopReason.DEADLINE
        if self._max_trials is not None and self._spent >= self._max_trials:
            return StopReason.BUDGET
        return None

    def admit(self) -> StopReason | None:
        """Count a trial that is about to start, unless a limit forbids it."""
        reason = self.reached()
        if reason is None:
            self._spent += 1
        return reason
