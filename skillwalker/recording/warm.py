"""Trials of earlier runs that a run may take as its own, and those that it took: their lines."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.datatypes.trials import Trial, TrialKey
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.errors import StoreError
from skillwalker.recording.records import read_trial, trial_key, trial_row
from skillwalker.recording.rows import RowFiles, read_each

WARM = "trials.warm.jsonl"
"""Trials of earlier runs that may be taken over, frozen when the run began."""
REUSED = "trials.reused.jsonl"
"""Those of them that were: they count for everything but money."""
_THERE = "run_index_there"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmTrial:
    """A trial that another run paid for, under the index that it has here."""

    run_id: str
    """Of the run that paid."""
    run_index: int
    """In that run."""
    trial: Trial


class WarmFiles:
    """What one run may take over, and what it took.

    Args:
        files: of the run's folder.

    Raises:
        StoreError: they cannot be read.
    """

    def __init__(self, files: RowFiles) -> None:
        self._files = files
        self._ready: dict[tuple[TrialKey, str], WarmTrial] = {}
        self._taken: dict[TrialKey, WarmTrial] = {}
        self._read()

    @property
    def taken(self) -> tuple[WarmTrial, ...]:
        """All that the run took, in the order in which it did."""
        return tuple(self._taken.values())

    def freeze(self, warm: Iterable[WarmTrial]) -> None:
        """Write what may be taken over, before the first trial.

        Raises:
            StoreError: it cannot be written.
        """
        rows = [warm_row(one) for one in warm]
        if rows or self._ready:
            self._files.replace(WARM, rows)
            self._read()

    def reuse(self, key: TrialKey, cell_key: str, side: CaseSet) -> Trial | None:
        """Take the draw of that number, if it is the same experiment; it is noted before it counts.

        Raises:
            StoreError: it cannot be noted.
        """
        taken = self._taken.get(key)
        if taken is None and (ready := self._ready.get((key, cell_key))) is not None:
            taken = replace(ready, trial=replace(ready.trial, set=side))
            self._files.append(REUSED, warm_row(taken))
            self._taken[key] = taken
        return None if taken is None else taken.trial

    def set_aside(self, cases: Set[str]) -> None:
        """Give back what was taken for cases that are others now.

        Raises:
            StoreError: it cannot be written.
        """
        kept = [warm_row(one) for one in self.taken if one.trial.case not in cases]
        if len(kept) < len(self._taken):
            self._files.replace(REUSED, kept)
            self._read()

    def _read(self) -> None:
        """Read both files."""
        ready, taken = (read_warm(self._files.folder / name) for name in (WARM, REUSED))
        self._ready = {(trial_key(one.trial), one.trial.cell_key): one for one in ready}
        self._taken = {trial_key(one.trial): one for one in taken}


def warm_row(warm: WarmTrial) -> dict[str, object]:
    """Write a trial that was taken over, or may be, as a line that names the run that paid."""
    return {**trial_row(warm.run_id, warm.trial), _THERE: warm.run_index}


def read_warm(path: Path) -> Iterator[WarmTrial]:
    """Read the lines of `warm_row`; none where there is no file.

    Raises:
        StoreError: a line is of a newer format, or lacks something.
    """
    yield from read_each(path, _read_row)


def _read_row(row: Mapping[str, object]) -> WarmTrial:
    """Read one line.

    Raises:
        StoreError: it is of a newer format, or lacks something.
    """
    there = row.get(_THERE, 0)
    if not isinstance(there, int):
        raise StoreError(f"{_THERE} is {there!r}, not a number")
    return WarmTrial(
        run_id=str(row.get("run_id")),
        run_index=there,
        trial=read_trial({key: value for key, value in row.items() if key != _THERE}),
    )
