"""What a run takes from the project's lock file when it begins, and leaves in it at its end."""

from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.summary import Summary
from skillwalker.errors import StoreError
from skillwalker.plan import Order, Plan
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import Entries, merge_entries, read_lock
from skillwalker.remembering import entry_key, looks_taken, remembered


def count_looks(project: Path, plan: Plan, *, simulated: bool) -> int:
    """Say the how-manyth gating of its target a run is, from 1.

    Args:
        project: whose lock file is read.
        plan: of the run.
        simulated: whether no model is asked.

    Raises:
        StoreError: the lock file cannot be read.
    """
    return 1 + looks_taken(read_lock(project).get(entry_key(plan, simulated=simulated)), plan)


def with_further(
    order: Order, plan: Plan, earlier: Earlier, *, project: Path, simulated: bool
) -> Order:
    """Add the confirm rounds that were asked for to a run; they are another look at its target.

    Args:
        order: of the run.
        plan: of the run, as things are now.
        earlier: the life to go on with.
        project: whose lock file is read.
        simulated: whether no model is asked.

    Raises:
        StoreError: the file holds another description, so that there is nothing to add to; or
            the lock file cannot be read.
        SuiteError: a scaffold cannot be read.
    """
    if earlier.more is None:
        return order
    run_id = earlier.folder.name
    if plan.target.description != earlier.record["original_description"]:
        raise StoreError(
            f"{plan.target_path} no longer holds the description that run {run_id} began with; put"
            f" it back (`skillwalker undo {run_id}` where that run wrote it), or start a new run"
        )
    looks = max(earlier.more.looks, count_looks(project, plan, simulated=simulated))
    return replace(order, more=(*order.more, replace(earlier.more, looks=looks)))


def remember(project: Path, plan: Plan, summary: Summary) -> None:
    """Put what a run found into the project's lock file.

    Raises:
        StoreError: the lock file cannot be read or written.
        SuiteError: a scaffold cannot be read.
    """
    key = entry_key(plan, simulated=summary.simulated)

    def change(entries: Entries) -> Entries:
        new = remembered(entries.get(key), plan, summary)
        return {} if new is None else {key: new}

    merge_entries(project, change)
