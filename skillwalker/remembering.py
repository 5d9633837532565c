"""What a project remembers of a run: the entry of skillwalker.lock, old made new (pure)."""

from dataclasses import replace
from math import isclose

from skillwalker.datatypes.lock_entries import AppliedChange, EntryKey, LockEntry, Rejected
from skillwalker.datatypes.scores import GateResult
from skillwalker.datatypes.summary import Summary
from skillwalker.datatypes.vocabulary import StopReason, Verdict
from skillwalker.fingerprint import search_fingerprint, target_fingerprint
from skillwalker.plan import Plan
from skillwalker.search.gate import threshold
from skillwalker.targets.kind import KINDS
from skillwalker.targets.names import description_hash

SEARCHED_OUT = frozenset({StopReason.ITERATIONS, StopReason.CONVERGED, StopReason.UNRESOLVED})
"""A search that ended so with more than one text measured is not begun again."""


def entry_key(plan: Plan, *, simulated: bool) -> EntryKey:
    """Name the entry of what a run is about.

    Args:
        plan: of the run.
        simulated: whether no model was asked, as a run's summary and an engine's facts say: it
            is not the engine's name that tells, since a stand-in may answer any.
    """
    return EntryKey(path=plan.target_path, suite=plan.suite, simulated=simulated)


def looks_taken(entry: LockEntry | None, plan: Plan) -> int:
    """Say how often texts were held against this target's original in confirm rounds before.

    The count goes on over improvements that were written and over new cases, since each gating is
    another chance of a lucky pass: one case more in thirty is little new evidence. It begins anew
    when somebody else changed the description.
    """
    if entry is None or entry.candidate != description_hash(plan.target.description):
        return 0
    return entry.looks


def remembered(entry: LockEntry | None, plan: Plan, summary: Summary) -> LockEntry | None:
    """Make the entry after a run; None when the run said nothing.

    Args:
        entry: of before.
        plan: of the run, for the Claude Code that was found.
        summary: how it ended.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    if summary.verdict is Verdict.INCONCLUSIVE or summary.original is None:
        return None
    in_file = summary.best_description if summary.applied else summary.original_description
    fingerprint = target_fingerprint(plan, engine=summary.engine, text=in_file)
    # Two texts that were given, and not searched for, are no lottery.
    looked = _searched(summary) and summary.gate is not None and summary.gate.rounds > 0
    taken = looks_taken(entry, plan)
    # In a life of the run that was killed; rounds that were added later are another look.
    counted = (
        entry is not None
        and entry.run_id == summary.run_id
        and summary.gate is not None
        and taken >= _last_look(plan, summary.gate)
    )
    new = LockEntry(
        key=entry_key(plan, simulated=summary.simulated),
        kind=plan.target.kind,
        target=plan.target.id,
        engine=summary.engine,
        candidate=description_hash(in_file),
        fingerprint=fingerprint,
        rates=summary.best if summary.applied else summary.original,
        run_id=summary.run_id,
        looks=taken + (looked and not counted),
        applied=_applied(entry, summary, in_file),
    )
    searched_at = search_fingerprint(plan, engine=summary.engine, text=in_file)
    return _with_search(new, entry, summary, searched_at)


def _last_look(plan: Plan, judged: GateResult) -> int:
    """Say the how-manyth gating a run's last judgement is.

    Further rounds that were asked for and never run are none; each look has its own threshold.
    """
    asked = plan.config.gate
    looks = (plan.looks, *(further.looks for further in plan.more))
    if asked is None:
        return plan.last_look
    reached = (look for look in looks if isclose(threshold(asked, look), judged.threshold))
    return max(reached, default=plan.last_look)


def _with_search(
    new: LockEntry, old: LockEntry | None, summary: Summary, searched_at: str
) -> LockEntry:
    """Remember what a search came to; a mere measurement keeps what an earlier one found."""
    if not _searched(summary):
        known = old if old is not None and old.candidate == new.candidate else None
        return new if known is None else replace(new, tuned=known.tuned, rejected=known.rejected)
    ended = _came_to_its_end(summary)
    gate = summary.gate
    refused = gate is not None and not gate.passed and summary.best_iteration > 1
    return replace(
        new,
        tuned=searched_at if ended else None,
        rejected=Rejected(
            description=summary.best_description, p_better=gate.p_better, run_id=summary.run_id
        )
        if refused and gate is not None
        else None,
    )


def _came_to_its_end(summary: Summary) -> bool:
    """Whether a further search would begin where this one ended.

    One whose budget was too small for a second text searched nothing, and an improver that could
    not be asked may answer later; but a text that passes every case leaves nothing to search.
    """
    match summary.stopped_because:
        case StopReason.PERFECT:
            return True
        case StopReason.IMPROVER:
            return summary.cause is None
        case reason:
            return reason in SEARCHED_OUT and summary.iterations > 1


def _searched(summary: Summary) -> bool:
    """Whether a run looked for a better text."""
    return summary.kind in {facts.run_prefix for facts in KINDS.values()}


def _applied(old: LockEntry | None, summary: Summary, in_file: str) -> AppliedChange | None:
    """Remember the last improvement that was written, as long as the file holds it."""
    if summary.applied:
        return AppliedChange(
            run_id=summary.run_id, replaced=summary.original_description, description=in_file
        )
    before = None if old is None else old.applied
    return before if before is not None and before.description == in_file else None


def rechecked(entry: LockEntry) -> LockEntry:
    """Note that the last improvement was measured against what it replaced once more."""
    if entry.applied is None:
        return entry
    return replace(entry, applied=replace(entry.applied, rechecked=True))


def written_later(
    entry: LockEntry | None, plan: Plan, text: str, *, key: EntryKey, engine: str, run_id: str
) -> LockEntry:
    """Make the entry after a text was written outside of a run; its rates are not known yet.

    Args:
        entry: of before.
        plan: of the target, with the text that was replaced.
        text: that the file holds now.
        key: of the entry.
        engine: of the run that found it.
        run_id: the folder from which the write is undone.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    change = AppliedChange(run_id=run_id, replaced=plan.target.description, description=text)
    new = _not_measured(plan, key, engine, text)
    if entry is None:
        return replace(new, applied=change)
    rejected = entry.rejected
    return replace(
        new,
        looks=looks_taken(entry, plan),
        tuned=_moved(entry.tuned, plan, engine, old=plan.target.description, new=text),
        rejected=None if rejected is None or rejected.description == text else rejected,
        applied=change,
    )


def undone_later(entry: LockEntry, plan: Plan) -> LockEntry:
    """Make the entry after the last improvement was taken back; its rates are not known yet.

    A search that came to its end is not begun again for that: it would find the same text.

    Args:
        entry: with the improvement.
        plan: of the target, with the text that its file holds again.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    text = plan.target.description
    change = entry.applied
    before = text if change is None else change.description
    return replace(
        _not_measured(plan, entry.key, entry.engine, text),
        looks=entry.looks,
        tuned=_moved(entry.tuned, plan, entry.engine, old=before, new=text),
        rejected=entry.rejected,
    )


def _not_measured(plan: Plan, key: EntryKey, engine: str, text: str) -> LockEntry:
    """Make an entry of a text that was not measured where it stands now."""
    return LockEntry(
        key=key,
        kind=plan.target.kind,
        target=plan.target.id,
        engine=engine,
        candidate=description_hash(text),
    )


def _moved(tuned: str | None, plan: Plan, engine: str, *, old: str, new: str) -> str | None:
    """Carry the end of a search from one text of a target to another."""
    if tuned is None or tuned != search_fingerprint(plan, engine=engine, text=old):
        return None
    return search_fingerprint(plan, engine=engine, text=new)
