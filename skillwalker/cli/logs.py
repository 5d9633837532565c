"""`--debug`: what our own modules log, on stderr; what libraries log stays unseen."""

import logging
import sys
from collections.abc import Callable

from skillwalker.datatypes.summary import Event, TrialDone

OURS = "skillwalker"
logger = logging.getLogger(__name__)


def log_to_stderr() -> None:
    """Show every line that a module of ours logs, once."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    ours = logging.getLogger(OURS)
    ours.handlers = [handler]
    ours.setLevel(logging.DEBUG)


def logged(listener: Callable[[Event], None]) -> Callable[[Event], None]:
    """Log what happens in a run, trial by trial, before a listener hears of it."""

    def listen(event: Event) -> None:
        match event:
            case TrialDone(trial=trial):
                logger.debug(
                    "%s trial %d of case %r, candidate %s, attempt %d: %s%s in %.1f s",
                    trial.set,
                    trial.run_index,
                    trial.case,
                    trial.candidate,
                    trial.attempt,
                    trial.outcome,
                    f" ({trial.reason})" if trial.reason else "",
                    trial.duration,
                )
            case _:
                logger.debug("%s", type(event).__name__)
        listener(event)

    return listen
