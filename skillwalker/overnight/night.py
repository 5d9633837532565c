"""One night over a catalogue: recheck what was changed, measure what is stale, search by need.

Every run is one like any other, in a folder of its own; the night only says which comes next.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.catalogue import Entry
from skillwalker.completers.protocol import resolve_model
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import NightTarget, Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import SkillwalkerError
from skillwalker.fingerprint import search_fingerprint, target_fingerprint
from skillwalker.limits import Limits
from skillwalker.overnight.decisions import (
    by_need,
    change_to_recheck,
    is_stale,
    reason_not_to_tune,
)
from skillwalker.overnight.journal import NightJournal, NightTask
from skillwalker.overnight.results import Progress, stage_result, target_row
from skillwalker.paths import Places
from skillwalker.plan import Order, Plan, for_version, prepare
from skillwalker.recording.frozen import Earlier, read_frozen
from skillwalker.recording.lock_file import merge_entries, read_lock
from skillwalker.recording.store import PLAN
from skillwalker.remembering import rechecked
from skillwalker.targets.kind import KINDS

MEASURE = "measure"

Start = Callable[[Order, Earlier | None, Callable[[str], None]], Awaitable[tuple[Summary, Path]]]
"""Does one run; is given its order, the life to go on with, and whom to tell the run's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightTools:
    """What a night works with."""

    places: Places
    start: Start
    limits: Limits
    cli_version: str
    """Of the Claude Code that runs the trials."""
    listing_budget: int | None
    listener: Callable[[Entry, Stage], None]
    """Is told what is done next."""


class Night:
    """The state of one night.

    Args:
        task: what is asked.
        tools: what it works with.
        journal: of the night.
    """

    def __init__(self, task: NightTask, tools: NightTools, journal: NightJournal) -> None:
        self._task = task
        self._tools = tools
        self._journal = journal
        self._simulated = task.template.engine == "simulated"

    async def run(self, entries: Sequence[Entry]) -> tuple[NightTarget, ...]:
        """Do the night's work on part of a catalogue.

        A target that fails is a row with its reason; a limit leaves the rest for another night.

        Returns:
            A row for each entry, in their order.
        """
        progress = {entry: Progress(entry=entry) for entry in entries}
        for entry in entries:
            await self._look_at(progress[entry])
        ready = {e: found for e in entries if (found := self._to_tune(progress[e])) is not None}
        for entry in by_need(ready):
            await self._do(progress[entry], Stage.TUNE, self._order(entry, Stage.TUNE))
        return tuple(target_row(progress[entry]) for entry in entries)

    async def _look_at(self, progress: Progress) -> None:
        """Recheck and measure one target as far as that is due."""
        entry = progress.entry
        try:
            plan = self._plan(entry)
            known = self._known(entry)
            engine = self._task.template.engine
            fingerprint = target_fingerprint(plan, engine=engine)
            progress.searchable = search_fingerprint(plan, engine=engine)
        except SkillwalkerError as error:
            progress.fail(str(error), error.exit_code)
            return
        change = change_to_recheck(known, plan.target.description)
        if change is not None or self._journal.done(entry, Stage.RECHECK) is not None:
            replaced = None if change is None else change.replaced
            order = replace(self._order(entry, Stage.RECHECK), challenger=replaced)
            if await self._do(progress, Stage.RECHECK, order) and known is not None:
                self._note_recheck(self._key(entry))
        began_here = self._journal.done(entry, Stage.MEASURE) is not None
        known = self._known(entry)
        progress.was_known = known
        if self._task.every or began_here or is_stale(known, fingerprint):
            await self._do(progress, Stage.MEASURE, self._order(entry, Stage.MEASURE))

    def _to_tune(self, progress: Progress) -> LockEntry | None:
        """Give what is remembered of a target that is worth a search; note the reason if not."""
        if progress.ended:
            return None
        known = self._known(progress.entry)
        if self._journal.done(progress.entry, Stage.TUNE) is not None:
            return known
        progress.not_tuned = reason_not_to_tune(known, progress.searchable)
        return known if progress.not_tuned is None else None

    async def _do(self, progress: Progress, stage: Stage, order: Order) -> bool:
        """Do a stage of a target unless an earlier life did; say whether it came to its end."""
        entry = progress.entry
        done = self._journal.done(entry, stage)
        if done is not None:
            progress.take(done)
            return True
        if progress.ended or (reason := self._tools.limits.reached()) is not None:
            progress.leave(None if progress.ended else reason)
            return False
        self._tools.listener(entry, stage)
        result = await self._run(entry, stage, order)
        progress.take(result)
        if result.stopped_because in _CUT_SHORT:
            progress.leave(StopReason(result.stopped_because))
            return False
        self._journal.run_done(entry, result)
        return result.exit_code == 0

    async def _run(self, entry: Entry, stage: Stage, order: Order) -> StageResult:
        """Do one run, or go on with the one that an earlier life began."""
        begun: list[str] = []

        def note(run_id: str) -> None:
            begun.append(run_id)
            self._journal.run_began(entry, stage, run_id)

        try:
            earlier, asked = self._earlier(entry, stage)
            summary, _ = await self._tools.start(asked or order, earlier, note)
        except SkillwalkerError as error:
            return StageResult(
                stage=stage,
                run_id=begun[0] if begun else None,
                cause=str(error),
                exit_code=error.exit_code,
            )
        return stage_result(stage, summary)

    def _earlier(self, entry: Entry, stage: Stage) -> tuple[Earlier | None, Order | None]:
        """Find the run that an earlier life began and did not end."""
        run_id = self._journal.begun(entry, stage)
        if run_id is None:
            return None, None
        folder = self._tools.places.output_dir / run_id
        if not (folder / PLAN).is_file():  # it was removed since: the stage begins anew
            return None, None
        record, order = read_frozen(folder)
        return Earlier(folder=folder, record=record), order

    def _order(self, entry: Entry, stage: Stage) -> Order:
        """Write the order of a run."""
        tunes = stage is Stage.TUNE
        return replace(
            self._task.template,
            run_kind=KINDS[entry.kind].run_prefix if tunes else MEASURE,
            kind=entry.kind,
            suite=entry.suite,
            target=entry.path,
        )

    def _plan(self, entry: Entry) -> Plan:
        """Resolve a target as a run would, for its fingerprint."""
        order = self._order(entry, Stage.MEASURE)
        plan = prepare(
            self._tools.places,
            kind=order.kind,
            suite=order.suite,
            target=order.target,
            config=order.config,
            run_kind=order.run_kind,
            neighbours=order.neighbours,
            resolve_model=str if self._simulated else resolve_model,
            listing_budget=self._tools.listing_budget,
        )
        return for_version(plan, self._tools.cli_version)

    def _note_recheck(self, key: EntryKey) -> None:
        """Remember that a change was held against what it replaced."""
        merge_entries(
            self._tools.places.project,
            lambda entries: {key: rechecked(entries[key])} if key in entries else {},
        )

    def _known(self, entry: Entry) -> LockEntry | None:
        return read_lock(self._tools.places.project).get(self._key(entry))

    def _key(self, entry: Entry) -> EntryKey:
        return EntryKey(path=entry.path, suite=entry.suite, simulated=self._simulated)


_CUT_SHORT = frozenset(
    reason.value
    for reason in (
        StopReason.BUDGET,
        StopReason.DEADLINE,
        StopReason.RATE_LIMIT,
        StopReason.INTERRUPTED,
    )
)
"""Ends that leave a run to be gone on with."""
