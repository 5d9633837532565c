"""Runs that an earlier life of the night began: what they spent, and how they are gone on with."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import fsum
from pathlib import Path

from skillwalker.datatypes.nights import Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.ending import catch_up, find_end
from skillwalker.errors import SkillwalkerError, StoreError
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.plan import Order
from skillwalker.recording.edits import read_edits, stands
from skillwalker.recording.frozen import Earlier, read_frozen
from skillwalker.recording.store import PLAN, RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls on a run's disk took."""

    trials: int = 0
    cost_usd: float = 0.0
    cost_unknown_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run to be gone on with."""

    earlier: Earlier
    order: Order
    end: Summary | None
    """How it ended, where nothing of it is left to do."""


def read_spent(folder: Path) -> Spent:
    """Add up what a run has spent; nothing where its folder was removed.

    Raises:
        StoreError: its record cannot be read.
    """
    if not (folder / PLAN).is_file():
        return Spent()
    store = RunStore(folder)
    try:
        costs = [usage.cost_usd for _, _, usage in store.calls()]
        return Spent(
            trials=store.spent,
            cost_usd=fsum(cost for cost in costs if cost is not None),
            cost_unknown_calls=sum(cost is None for cost in costs),
        )
    finally:
        store.close()


def count_begun(limits: Limits, folders: Iterable[Path]) -> None:
    """Count what runs of earlier lives have spent, before anything else starts.

    Args:
        limits: of the night.
        folders: of the runs.

    Raises:
        StoreError: the record of a run cannot be read.
    """
    for folder in folders:
        spent = read_spent(folder)
        limits.carry(trials=spent.trials, cost_usd=spent.cost_usd)


@contextmanager
def uncounted(limits: Limits, folder: Path) -> Iterator[None]:
    """Let a later life of a run count itself what `count_begun` counted of it.

    Where that life ends with an error, nothing that was spent is forgotten.

    Args:
        limits: of the night.
        folder: of the run.

    Raises:
        StoreError: the record of the run cannot be read.
    """
    spent = read_spent(folder)
    limits.carry(trials=-spent.trials, cost_usd=-spent.cost_usd)
    trials, cost = limits.trials, limits.cost_usd
    try:
        yield
    except SkillwalkerError:
        spent = read_spent(folder)
        limits.carry(
            trials=max(0, trials + spent.trials - limits.trials),
            cost_usd=max(0.0, cost + spent.cost_usd - limits.cost_usd),
        )
        raise


def find_begun(folder: Path, places: Places, warn: Callable[[str], None]) -> Begun | None:
    """Find a run in its folder; None where that was removed, so that the stage begins anew.

    A run that has written its description is over, even if a limit had cut it.

    Args:
        folder: of the run.
        places: the project.
        warn: is told what could not be remembered.

    Raises:
        StoreError: the run cannot be read or written.
    """
    if not (folder / PLAN).is_file():
        return None
    record, order = read_frozen(folder)
    end = find_end(folder, record, order, places, warn=warn)
    if end is None and any(map(stands, read_edits(folder, places.project))):
        end = catch_up(folder, record, order, places, warn=warn)
    return Begun(earlier=Earlier(folder=folder, record=record), order=order, end=end)


def so_far(stage: Stage, folder: Path, *, cause: str | None = None, code: int = 0) -> StageResult:
    """Make the result of a run of which only its disk tells.

    Args:
        stage: that it does.
        folder: of the run.
        cause: what ended it.
        code: its exit code.
    """
    try:
        spent = read_spent(folder)
    except StoreError:  # the run itself says so
        spent = Spent()
    return StageResult(
        stage=stage,
        run_id=folder.name,
        cause=cause,
        trials=spent.trials,
        cost_usd=spent.cost_usd,
        cost_unknown_calls=spent.cost_unknown_calls,
        exit_code=code,
    )
