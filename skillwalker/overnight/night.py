"""One night over a catalogue: recheck what was changed, measure what is stale, search by need.

Every run is one like any other, in a folder of its own; the night only says which comes next.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import NightTarget, Stage, StageResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason
from skillwalker.errors import BusyError, SkillwalkerError
from skillwalker.limits import Limits
from skillwalker.overnight.begun import Begun, Counted, find_begun, so_far, uncounted, written_since
from skillwalker.overnight.decisions import by_need, change_to_recheck, reason_not_to_tune
from skillwalker.overnight.journal import Decision, NightJournal, NightTask
from skillwalker.overnight.results import TargetProgress, reason_of, stage_result, target_row
from skillwalker.overnight.standing import Claude, TargetStanding, look_at
from skillwalker.overnight.unwritten import Unwritten
from skillwalker.paths import Places
from skillwalker.plan import Order
from skillwalker.recording.frozen import Earlier
from skillwalker.recording.lock_file import merge_entries, read_lock
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
    began: Callable[[CatalogueEntry, Stage], None] = lambda _entry, _stage: None
    """Is told what is done next."""
    ended: Callable[[CatalogueEntry, StageResult], None] = lambda _entry, _result: None
    """Is told what came of it, or why a target cannot be looked at."""
    warn: Callable[[str], None] = lambda _message: None
    """Is told what could not be remembered of a run that an earlier life began."""


class Night:
    """The state of one night.

    Args:
        task: what is asked.
        tools: what it works with.
        journal: of the night.
        counted: what is counted already of runs that an earlier life began, by folder.
    """

    def __init__(
        self,
        task: NightTask,
        tools: NightTools,
        journal: NightJournal,
        counted: Mapping[Path, Counted] = MappingProxyType({}),
    ) -> None:
        self._task = task
        self._tools = tools
        self._journal = journal
        self._counted = counted
        self._simulated = tools.claude.simulated
        self._unwritten = Unwritten(tools.places)
        self.was_cut = False
        """Whether a limit left something undone."""
        self.limit: str | None = None
        """The option that sets the limit."""
        self.refused_usd: float | None = None
        """What the call that a limit on money forbade was reckoned at."""

    async def run(self, entries: Sequence[CatalogueEntry]) -> tuple[NightTarget, ...]:
        """Do the night's work on part of a catalogue.

        A target that fails is a row with its reason; a limit leaves the rest for another night.

        Returns:
            A row for each entry, in their order.
        """
        progress = {entry: TargetProgress(entry=entry) for entry in entries}
        for entry in entries:
            await self._look_at(progress[entry])
        ready = {e: found for e in entries if (found := self._to_tune(progress[e])) is not None}
        for entry in by_need(ready):
            await self._do(progress[entry], Stage.TUNE, order_of(self._task, entry, Stage.TUNE))
        self.was_cut = any(one.is_left and one.busy is None for one in progress.values())
        return tuple(target_row(progress[entry]) for entry in entries)

    async def _look_at(self, progress: TargetProgress) -> None:
        """Recheck and measure one target as far as that is due."""
        entry, places = progress.entry, self._tools.places
        order = order_of(self._task, entry, Stage.MEASURE)
        try:
            found = look_at(order, places, self._tools.claude, read_lock(places.project))
        except SkillwalkerError as error:
            progress.fail(reason_of(error), error.exit_code)
            self._tools.ended(
                entry,
                StageResult(
                    stage=Stage.MEASURE,
                    run_id=None,
                    cause=reason_of(error),
                    exit_code=error.exit_code,
                ),
            )
            return
        progress.searchable = found.searchable
        await self._recheck(progress, found)
        await self._measure(progress, found)

    async def _recheck(self, progress: TargetProgress, found: TargetStanding) -> None:
        """Hold an earlier night's improvement against what it replaced, where that is due."""
        entry = progress.entry
        decision = self._journal.decided(entry, Stage.RECHECK)
        if decision is None:
            change = change_to_recheck(found.known, found.plan.target.description)
            if change is not None and self._journal.owns(change.run_id):
                change = None  # this night wrote it: the next one rechecks it
            replaced = None if change is None else change.replaced
            decision = Decision(is_due=change is not None, replaced=replaced)
            self._journal.decide(entry, Stage.RECHECK, decision)
        if not (decision.is_due or self._was_begun(entry, Stage.RECHECK)):
            return
        order = order_of(self._task, entry, Stage.RECHECK)
        duel = replace(order, challenger=decision.replaced)
        if await self._do(progress, Stage.RECHECK, duel):
            self._note_recheck(self._key(entry))

    async def _measure(self, progress: TargetProgress, found: TargetStanding) -> None:
        """Measure a target that is stale."""
        entry = progress.entry
        decision = self._journal.decided(entry, Stage.MEASURE)
        if decision is None:
            known = self._known(entry)
            is_stale = replace(found, known=known).is_stale
            decision = Decision(is_due=self._task.every or is_stale, known=known)
            if not progress.ended:  # else a later life asks again, behind the recheck
                self._journal.decide(entry, Stage.MEASURE, decision)
        progress.was_known = decision.known
        if decision.is_due or self._was_begun(entry, Stage.MEASURE):
            order = order_of(self._task, entry, Stage.MEASURE)
            await self._do(progress, Stage.MEASURE, order)

    def _to_tune(self, progress: TargetProgress) -> LockEntry | None:
        """Give what is remembered of a target that is worth a search; note the reason if not."""
        if progress.ended:
            return None
        entry = progress.entry
        decision = self._journal.decided(entry, Stage.TUNE)
        if decision is None:
            known = self._known(entry)
            reason = reason_not_to_tune(known, progress.searchable)
            decision = Decision(is_due=reason is None, reason=reason, known=known)
            self._journal.decide(entry, Stage.TUNE, decision)
        if decision.is_due or self._was_begun(entry, Stage.TUNE):
            return decision.known
        progress.not_tuned = self._unwritten.told(decision.reason, decision.known)
        return None

    async def _do(self, progress: TargetProgress, stage: Stage, order: Order) -> bool:
        """Do a stage of a target unless an earlier life did; say whether it came to a good end."""
        entry = progress.entry
        done = self._journal.done(entry, stage)
        if done is not None:
            done = written_since(done, self._tools.places)
            progress.take(done)
            return done.exit_code == 0
        if progress.ended or (reason := self._forbidden(entry, stage)) is not None:
            self._leave(progress, stage, None if progress.ended else reason)
            return False
        self._tools.began(entry, stage)
        try:
            result = await self._run(entry, stage, order)
        except BusyError as error:
            result = self._so_far(entry, stage, error)
            progress.pass_over(result, reason_of(error))
            self._tools.ended(entry, result)
            return False
        self._tools.ended(entry, result)
        if result.was_cut:
            progress.cut(result, StopReason(result.stopped_because or ""))
            self.limit, self.refused_usd = result.limit, result.refused_usd
            return False
        progress.take(result)
        self._journal.run_done(entry, result)
        return result.exit_code == 0

    def _forbidden(self, entry: CatalogueEntry, stage: Stage) -> StopReason | None:
        """Say which limit forbids a stage.

        A run that was begun is always taken up again: perhaps nothing of it is left to pay for,
        and each call of it asks for itself.
        """
        reason = self._tools.limits.reached()
        was_begun = self._journal.begun(entry, stage) is not None
        if reason is None or (was_begun and reason is not StopReason.INTERRUPTED):
            return None
        if self.limit is None:
            refusal = self._tools.limits.error()
            self.limit, self.refused_usd = refusal.flag, refusal.refused_usd
        return reason

    def _leave(self, progress: TargetProgress, stage: Stage, reason: StopReason | None) -> None:
        """Leave a stage for another life, with what an earlier one has spent on it."""
        run_id = self._journal.begun(progress.entry, stage)
        if reason is None or run_id is None:
            progress.leave(reason)
        else:
            progress.cut(so_far(stage, self._tools.places.output_dir / run_id), reason)

    async def _run(self, entry: CatalogueEntry, stage: Stage, order: Order) -> StageResult:
        """Do one run, or go on with the one that an earlier life began."""
        run_id = self._journal.begun(entry, stage)
        note = partial(self._journal.run_began, entry, stage)
        try:
            begun = self._find_begun(run_id)
            if begun is not None and begun.end is not None:
                return stage_result(stage, begun.end)
            summary = await self._start(begun, order, note)
        except BusyError:
            raise
        except SkillwalkerError as error:
            return self._so_far(entry, stage, error)
        return stage_result(stage, summary)

    def _so_far(self, entry: CatalogueEntry, stage: Stage, error: SkillwalkerError) -> StageResult:
        """Give the result of a stage that ended with an error, with what it has spent."""
        run_id, cause, code = self._journal.begun(entry, stage), reason_of(error), error.exit_code
        if run_id is None:
            return StageResult(stage=stage, run_id=None, cause=cause, exit_code=code)
        folder = self._tools.places.output_dir / run_id
        return so_far(stage, folder, cause=cause, code=code)

    def _find_begun(self, run_id: str | None) -> Begun | None:
        """Find the run that an earlier life began and did not end."""
        if run_id is None:
            return None
        places = self._tools.places
        return find_begun(places.output_dir / run_id, places, self._tools.warn)

    async def _start(
        self, begun: Begun | None, order: Order, note: Callable[[str], None]
    ) -> Summary:
        """Start a run, or a later life of it, which counts itself what its earlier ones spent."""
        if begun is None:
            return (await self._tools.start(order, None, note))[0]
        counted = self._counted.get(begun.earlier.folder, Counted())
        with uncounted(self._tools.limits, counted):
            return (await self._tools.start(begun.order, begun.earlier, note))[0]

    def _was_begun(self, entry: CatalogueEntry, stage: Stage) -> bool:
        """Say whether an earlier life began a stage, whatever came of it."""
        is_done = self._journal.done(entry, stage) is not None
        return is_done or self._journal.begun(entry, stage) is not None

    def _note_recheck(self, key: EntryKey) -> None:
        """Remember that a change was held against what it replaced."""
        try:
            merge_entries(
                self._tools.places.project,
                lambda entries: {key: rechecked(entries[key])} if key in entries else {},
            )
        except SkillwalkerError as error:
            self._tools.warn(f"skillwalker.lock was not updated: {error}")

    def _known(self, entry: CatalogueEntry) -> LockEntry | None:
        return read_lock(self._tools.places.project).get(self._key(entry))

    def _key(self, entry: CatalogueEntry) -> EntryKey:
        return EntryKey(path=entry.path, suite=entry.suite, simulated=self._simulated)


def order_of(task: NightTask, entry: CatalogueEntry, stage: Stage) -> Order:
    """Write the order of a run of the night."""
    tunes = stage is Stage.TUNE
    return replace(
        task.template,
        run_kind=KINDS[entry.kind].run_prefix if tunes else MEASURE,
        kind=entry.kind,
        suite=entry.suite,
        target=entry.path,
    )
