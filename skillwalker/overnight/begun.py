"""Runs that an earlier life of the night began: what they spent, and how they are gone on with.

What a call has cost that nobody knows is reckoned with the mean of its kind, as in the life that
made it: else a night that is gone on with would have more money than one that was not cut.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from math import fsum
from pathlib import Path

from skillwalker.datatypes.nights import Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Purpose
from skillwalker.ending import catch_up, find_end
from skillwalker.errors import SkillwalkerError, StoreError
from skillwalker.limits import Limits
from skillwalker.paths import Places
from skillwalker.plan import Order
from skillwalker.recording.edits import read_edits, stands
from skillwalker.recording.frozen import Earlier, read_frozen
from skillwalker.recording.store import PLAN, RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentBefore:
    """What the calls on a run's disk took."""

    trials: int = 0
    calls: tuple[tuple[Purpose, str, Usage], ...] = ()
    """Purpose, model and usage of each."""

    @property
    def cost_usd(self) -> float:
        """What is known, in US dollars."""
        return fsum(usage.cost_usd or 0.0 for *_, usage in self.calls)

    @property
    def cost_unknown_calls(self) -> int:
        """Calls whose cost is not known."""
        return sum(usage.cost_usd is None for *_, usage in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was counted under the limits of a night for one run."""

    trials: int = 0
    cost_usd: float = 0.0
    """US dollars, those of calls of unknown cost as they were reckoned."""
    reckoned_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run to be gone on with."""

    earlier: Earlier
    order: Order
    end: Summary | None
    """How it ended, where nothing of it is left to do."""


def read_spent(folder: Path) -> SpentBefore:
    """Add up what a run has spent; nothing where its folder was removed.

    Raises:
        StoreError: its record cannot be read.
    """
    if not (folder / PLAN).is_file():
        return SpentBefore()
    store = RunStore(folder)
    try:
        return SpentBefore(trials=store.spent, calls=tuple(store.calls()))
    finally:
        store.close()


def count_finished(limits: Limits, result: StageResult, output_dir: Path) -> None:
    """Count what a run has spent that an earlier life brought to its end, call by call.

    Where its record is gone, its result says how much that was.

    Args:
        limits: of the night.
        result: of the run.
        output_dir: where runs lie.
    """
    try:
        spent = SpentBefore() if result.run_id is None else read_spent(output_dir / result.run_id)
    except StoreError:
        spent = SpentBefore()
    if spent.calls:
        limits.count_earlier(spent.trials)
        for purpose, model, usage in spent.calls:
            limits.pay_earlier(usage, purpose, model)
        return
    unknown = result.cost_unknown_calls
    mean = result.cost_usd / max(1, result.trials - unknown)
    limits.carry(
        trials=result.trials, cost_usd=result.cost_usd + unknown * mean, reckoned_calls=unknown
    )


def count_begun(limits: Limits, folders: Iterable[Path]) -> dict[Path, Counted]:
    """Count what runs of earlier lives have spent, before anything else starts.

    Args:
        limits: of the night.
        folders: of the runs.

    Returns:
        What was counted, by folder.

    Raises:
        StoreError: the record of a run cannot be read.
    """
    counted = {}
    for folder in folders:
        spent = read_spent(folder)
        cost = fsum(limits.reckon(usage, purpose, model) for purpose, model, usage in spent.calls)
        one = Counted(trials=spent.trials, cost_usd=cost, reckoned_calls=spent.cost_unknown_calls)
        limits.carry(**asdict(one))
        counted[folder] = one
    return counted


def written_since(result: StageResult, places: Places) -> StageResult:
    """Take a better text for written that `apply` wrote after an earlier life could not or did not.

    Args:
        result: of a run that the earlier life brought to its end.
        places: the project.
    """
    if not result.improved or result.applied or result.run_id is None:
        return result
    try:
        edits = read_edits(places.output_dir / result.run_id, places.project)
    except StoreError:
        return result
    if not any(edit.undone_at is None and stands(edit) for edit in edits):
        return result
    return replace(result, applied=True, cause=None, exit_code=0)


@contextmanager
def uncounted(limits: Limits, counted: Counted) -> Iterator[None]:
    """Let a later life of a run count itself what `count_begun` counted of it.

    Where that life ends with an error before it has, nothing that was spent is forgotten.

    Args:
        limits: of the night.
        counted: of the run.
    """
    limits.carry(
        trials=-counted.trials,
        cost_usd=-counted.cost_usd,
        reckoned_calls=-counted.reckoned_calls,
    )
    trials, cost, calls = limits.trials, limits.cost_usd, limits.reckoned_calls
    try:
        yield
    except SkillwalkerError:
        limits.carry(
            trials=max(0, counted.trials - (limits.trials - trials)),
            cost_usd=max(0.0, counted.cost_usd - (limits.cost_usd - cost)),
            reckoned_calls=max(0, counted.reckoned_calls - (limits.reckoned_calls - calls)),
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
        spent = SpentBefore()
    return StageResult(
        stage=stage,
        run_id=folder.name,
        cause=cause,
        trials=spent.trials,
        cost_usd=spent.cost_usd,
        cost_unknown_calls=spent.cost_unknown_calls,
        exit_code=code,
    )
