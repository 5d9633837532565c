"""What became of a target: the runs of its stages made one row (pure)."""

from dataclasses import dataclass, field
from math import fsum

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import LockEntry
from skillwalker.datatypes.nights import NightAction, NightTarget, Revert, Stage, StageResult
from skillwalker.datatypes.scores import Rate, Rates
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.errors import SkillwalkerError

INCONCLUSIVE = 3
"""Exit code of a run that says nothing."""


@dataclass(slots=True, kw_only=True)
class TargetProgress:
    """One target on its way through the night."""

    entry: CatalogueEntry
    results: list[StageResult] = field(default_factory=list)
    was_known: LockEntry | None = None
    """What was remembered before it was measured."""
    searchable: str = ""
    """Fingerprint of what a search depends on."""
    not_tuned: str | None = None
    """Why no better text is looked for."""
    failure: tuple[str, int] | None = None
    left: StopReason | None = None
    """The limit that ended the night before it was done with."""
    is_left: bool = False
    busy: str | None = None
    """Who holds it, where that is why it is left."""

    @property
    def ended(self) -> bool:
        """Whether nothing more can be done with it tonight."""
        return self.failure is not None or self.is_left

    def take(self, result: StageResult) -> None:
        """Add how a stage ended; one that failed or says nothing ends the target's night."""
        self.results.append(result)
        if result.exit_code != 0:
            self.failure = (result.cause or "it says nothing", result.exit_code)

    def cut(self, result: StageResult, reason: StopReason) -> None:
        """Add a stage that a limit ended; whatever it says so far, it is no failure."""
        self.results.append(result)
        self.leave(reason)

    def fail(self, reason: str, exit_code: int) -> None:
        """Note that it cannot be measured at all."""
        self.failure = (reason, exit_code)

    def pass_over(self, result: StageResult, holder: str) -> None:
        """Leave it, since somebody else works on it now; that is no failure."""
        if result.run_id is not None:
            self.results.append(result)
        self.is_left, self.busy = True, holder

    def leave(self, reason: StopReason | None) -> None:
        """Note that the night ended before it was done with."""
        if self.failure is None:
            self.is_left, self.left = True, self.left or reason


def reason_of(fault: SkillwalkerError | str) -> str:
    """Put a fault on one line: each of its parts may stand on one of its own."""
    lines = (line.strip() for line in str(fault).splitlines())
    return "; ".join(line for line in lines if line).replace(":; ", ": ")


def stage_result(stage: Stage, summary: Summary) -> StageResult:
    """Take what the night needs of a run's summary."""
    totals = [total for _, total in summary.usage]
    gate = summary.gate
    return StageResult(
        stage=stage,
        run_id=summary.run_id,
        verdict=summary.verdict,
        stopped_because=summary.stopped_because,
        limit=summary.limit,
        refused_usd=summary.refused_usd,
        cause=summary.cause if summary.not_written is None else reason_of(summary.not_written),
        original=_balanced(summary.original),
        best=_balanced(summary.best),
        improved=summary.improved,
        applied=summary.applied,
        best_description=summary.best_description if summary.improved else None,
        p_better=None if gate is None else gate.p_better,
        trials=summary.trials,
        cost_usd=fsum(total.cost_usd for total in totals),
        cost_unknown_calls=sum(total.cost_unknown_calls for total in totals),
        exit_code=_code(summary),
    )


def _code(summary: Summary) -> int:
    """Say how a run ended: a text that could not be written is a failure, whatever it is worth."""
    if summary.not_written is not None:
        return SkillwalkerError.exit_code
    return INCONCLUSIVE if summary.verdict is Verdict.INCONCLUSIVE else 0


def target_row(progress: TargetProgress) -> NightTarget:
    """Make a target's row of what was done with it."""
    entry, results = progress.entry, progress.results
    tuned = _of(results, Stage.TUNE)
    action, reason = _action(progress, tuned)
    before, after = _rates(progress, tuned)
    return NightTarget(
        path=entry.path,
        suite=entry.suite,
        kind=entry.kind,
        target=entry.target,
        action=action,
        reason=reason,
        before=before,
        after=after,
        found=tuned.best if tuned is not None and tuned.improved else None,
        applied=tuned is not None and tuned.applied,
        description=None if tuned is None else tuned.best_description,
        revert=_revert(progress),
        run_ids=tuple(result.run_id for result in results if result.run_id is not None),
        trials=sum(result.trials for result in results),
        cost_usd=fsum(result.cost_usd for result in results),
        cost_unknown_calls=sum(result.cost_unknown_calls for result in results),
        exit_code=0 if progress.failure is None else progress.failure[1],
    )


def _action(progress: TargetProgress, tuned: StageResult | None) -> tuple[NightAction, str | None]:
    """Say what became of a target, and why."""
    if progress.failure is not None:
        cause, code = progress.failure
        is_open = code == INCONCLUSIVE
        return (NightAction.INCONCLUSIVE if is_open else NightAction.FAILED), cause
    if progress.busy is not None:
        return NightAction.LEFT, progress.busy
    if progress.is_left:
        limit = "a limit" if progress.left is None else f"the limit {progress.left.value}"
        return NightAction.LEFT, f"{limit} ended the night before it was done"
    if tuned is not None:
        return (NightAction.IMPROVED if tuned.improved else NightAction.KEPT), None
    if progress.results:
        return NightAction.MEASURED, progress.not_tuned
    return NightAction.FRESH, progress.not_tuned


def _rates(progress: TargetProgress, tuned: StageResult | None) -> tuple[Rate | None, Rate | None]:
    """Give the rate that a target had, and that of what its file holds now."""
    measured = _of(progress.results, Stage.MEASURE)
    known = progress.was_known
    before = _balanced(known.rates) if known is not None else None
    if measured is not None and measured.original is not None:
        before = measured.original
    if tuned is None:
        return before, before
    return tuned.original or before, tuned.best if tuned.applied else tuned.original or before


def _revert(progress: TargetProgress) -> Revert | None:
    """Propose to take an earlier improvement back that lost against what it had replaced."""
    duel = _of(progress.results, Stage.RECHECK)
    change = None if progress.was_known is None else progress.was_known.applied
    if duel is None or not duel.improved or duel.p_better is None or change is None:
        return None
    return Revert(run_id=change.run_id, p_better=duel.p_better)


def _of(results: list[StageResult], stage: Stage) -> StageResult | None:
    return next((result for result in results if result.stage is stage), None)


def _balanced(rates: Rates | None) -> Rate | None:
    return None if rates is None else rates.balanced
