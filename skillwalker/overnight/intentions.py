"""What a night would do and take at the most, told before anything is spent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import Stage
from skillwalker.errors import SkillwalkerError
from skillwalker.estimate.nights import Intention, Work
from skillwalker.estimate.worst_case import Estimate, estimate_run
from skillwalker.overnight.decisions import GOOD_ENOUGH, change_to_recheck, reason_not_to_tune
from skillwalker.overnight.journal import NightTask
from skillwalker.overnight.night import order_of
from skillwalker.overnight.results import reason_of
from skillwalker.overnight.standing import Claude, TargetStanding, look_at
from skillwalker.overnight.unwritten import Unwritten
from skillwalker.paths import Places
from skillwalker.plan import Order, plan_order
from skillwalker.settings import PriceSettings

WORTH_IT = f"the rate is below {GOOD_ENOUGH:g}"


def intend(
    task: NightTask,
    entries: Sequence[CatalogueEntry],
    places: Places,
    claude: Claude,
    known: Mapping[EntryKey, LockEntry],
    prices: tuple[PriceSettings, ...] = (),
) -> Iterator[Intention]:
    """Say of each target what would be done with it.

    Args:
        task: what is asked.
        entries: the night's part of the catalogue.
        places: the project.
        claude: what would run the trials.
        known: of the project's lock file.
        prices: of the project's settings.
    """
    unwritten = Unwritten(places)
    for entry in entries:
        order = order_of(task, entry, Stage.MEASURE)
        try:
            found = look_at(order, places, claude, known)
            work = tuple(_work(task, entry, found, places, claude, prices))
        except SkillwalkerError as error:
            yield Intention(entry=entry, reason=reason_of(error), is_faulty=True)
            continue
        reason = None if work else reason_not_to_tune(found.known, found.searchable)
        yield Intention(entry=entry, work=work, reason=unwritten.told(reason, found.known))


def _work(
    task: NightTask,
    entry: CatalogueEntry,
    found: TargetStanding,
    places: Places,
    claude: Claude,
    prices: tuple[PriceSettings, ...],
) -> Iterator[Work]:
    """Name the runs of a target, as `Night` decides on them.

    Raises:
        SkillwalkerError: the target cannot be run.
    """
    change = change_to_recheck(found.known, found.plan.target.description)
    measures = task.every or found.is_stale
    may_tune = measures or reason_not_to_tune(found.known, found.searchable) is None
    asked = (
        (Stage.RECHECK, change is not None, None),
        # The recheck measures the text of now as well, and leaves its rates.
        (Stage.MEASURE, measures and (change is None or task.every), None),
        (Stage.TUNE, may_tune, WORTH_IT if measures else None),
    )
    for stage, is_due, condition in asked:
        if is_due:
            order = order_of(task, entry, stage)
            if stage is Stage.RECHECK and change is not None:
                order = replace(order, challenger=change.replaced)
            estimate = _estimate(order, places, claude, prices)
            yield Work(stage=stage, condition=condition, estimate=estimate)


def _estimate(
    order: Order, places: Places, claude: Claude, prices: tuple[PriceSettings, ...]
) -> Estimate:
    plan = plan_order(order, places, listing_budget=claude.listing_budget)
    return estimate_run(
        plan, engine=order.engine, improver=order.improver, own_prices=prices, order=order
    )
