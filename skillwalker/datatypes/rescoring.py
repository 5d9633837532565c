"""What today's detector makes of the trials of a recorded run."""

from dataclasses import dataclass

from skillwalker.datatypes.trials import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A trial that reads otherwise today."""

    suite: str
    case: str
    candidate: str
    model_asked: str
    run_index: int
    attempt: int
    before: Reading
    after: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """A recorded run, read again; nothing of it is written."""

    run_id: str
    trials: int
    """Lines of trials.jsonl."""
    read_again: int
    without_transcript: int
    """Their stream was not kept, or cannot be read."""
    without_target: int
    """Their case expects no call."""
    changed: tuple[Changed, ...]
