"""One night over a catalogue: recheck what was changed, measure what is stale, search by need.

Every run is one like any other, in a folder of its own; the night only says which comes next.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skillwalker.catalogue import Entry
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import NightTarget, Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import SkillwalkerError
from skillwalker.limits import Limits
from skillwalker.overnight.decisions import by_need, change_to_recheck, reason_not_to_tune
from skillwalker.overnight.journal import NightJournal, NightTask
from skillwalker.overnight.results import Progress, stage_result, target_row
from skillwalker.overnight.standing import Claude, look_at
from skillwalker.paths import Places
from skillwalker.plan import Order
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
    claude: Claude
    began: Callable[[Entry, Stage], None] = lambda _entry, _stage: None
    """Is told what is done next."""
    ended: Callable[[Entry, StageResult], None] = lambda _entry, _result: None
    """Is told what came of it, or why a target cannot be looked at."""


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
            await self._do(progress[entry], Stage.TUNE, order_of(self._task, entry, Stage.TUNE))
        return tuple(target_row(progress[entry]) for entry in entries)

    async def _look_at(self, progress: Progress) -> None:
        """Recheck and measure one target as far as that is due."""
        entry, places = progress.entry, self._tools.places
        order = order_of(self._task, entry, Stage.MEASURE)
        try:
            found = look_at(order, places, self._tools.claude, read_lock(places.project))
        except SkillwalkerError as error:
            progress.fail(str(error), error.exit_code)
            self._tools.ended(
                entry,
                StageResult(
                    stage=Stage.MEASURE,
                    run_id=None,
                    cause=str(error),
                    exit_code=error.exit_code,
                ),
            )
            return
        known, progress.searchable = found.known, found.searchable
        change = change_to_recheck(known, found.plan.target.description)
        if change is not None or self._journal.done(entry, Stage.RECHECK) is not None:
            replaced = None if change is None else change.replaced
            duel = replace(order_of(self._task, entry, Stage.RECHECK), challenger=replaced)
            if await self._do(progress, Stage.RECHECK, duel) and known is not None:
                self._note_recheck(self._key(entry))
        began_here = self._journal.done(entry, Stage.MEASURE) is not None
        progress.was_known = self._known(entry)
        is_stale = replace(found, known=progress.was_known).is_stale
        if self._task.every or began_here or is_stale:
            await self._do(progress, Stage.MEASURE, order)

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
        self._tools.began(entry, stage)
        result = await self._run(entry, stage, order)
        self._tools.ended(entry, result)
        if result.stopped_because in _CUT_SHORT:
            progress.cut(result, StopReason(result.stopped_because))
            return False
        progress.take(result)
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


def order_of(task: NightTask, entry: Entry, stage: Stage) -> Order:
    """Write the order of a run of the night."""
    tunes = stage is Stage.TUNE
    return replace(
        task.template,
        run_kind=KINDS[entry.kind].run_prefix if tunes else MEASURE,
        kind=entry.kind,
        suite=entry.suite,
        target=entry.path,
    )


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
