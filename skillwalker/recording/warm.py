"""Trials of earlier runs that a new one may take as its own: their lines, and how one is found."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skillwalker.datatypes.trials import Trial, TrialKey
from skillwalker.recording.records import read_trial, trial_key, trial_row

_THERE = "run_index_there"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmTrial:
    """A trial that another run paid for, under the index that it has here."""

    run_id: str
    """Of the run that paid."""
    run_index: int
    """In that run."""
    trial: Trial


def warm_row(warm: WarmTrial) -> dict[str, object]:
    """Write a trial that was taken over, or may be, as a line that names the run that paid."""
    return {**trial_row(warm.run_id, warm.trial), _THERE: warm.run_index}


def read_warm(rows: Iterable[Mapping[str, object]]) -> Iterator[WarmTrial]:
    """Read the lines of `warm_row`.

    Raises:
        StoreError: a line is of a newer format, or lacks something.
    """
    for row in rows:
        yield WarmTrial(
            run_id=str(row.get("run_id")),
            run_index=int(str(row.get(_THERE, 0))),
            trial=read_trial({key: value for key, value in row.items() if key != _THERE}),
        )


class WarmPool:
    """What a run may take over, and what it took.

    Args:
        ready: what was frozen when the run began.
        taken: what an earlier life of it took.
    """

    def __init__(self, ready: Iterable[WarmTrial] = (), taken: Iterable[WarmTrial] = ()) -> None:
        self._ready = {(trial_key(one.trial), one.trial.cell_key): one for one in ready}
        self._taken = {trial_key(one.trial): one for one in taken}

    @property
    def taken(self) -> tuple[WarmTrial, ...]:
        """All that the run took, in the order in which it did."""
        return tuple(self._taken.values())

    def find_taken(self, key: TrialKey) -> WarmTrial | None:
        """Give what was taken under a key."""
        return self._taken.get(key)

    def find_ready(self, key: TrialKey, cell_key: str) -> WarmTrial | None:
        """Give the draw of that number, if it is the same experiment."""
        return self._ready.get((key, cell_key))

    def take(self, warm: WarmTrial) -> None:
        """Note that a draw is used."""
        self._taken[trial_key(warm.trial)] = warm
