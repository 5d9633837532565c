"""One night over the simulated catalogue, in the order of `skillwalker.overnight.night.Night`.

What is stale, rechecked, worth a search and first in line, how far the gate is raised and what is
remembered are decided by the shipped functions; here they only meet a catalogue without files.
A test lives the same nights with the real `Night` over real files.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.nights.target import ENGINE, Surroundings, WorldTarget
from skillwalker.config import LoopConfig
from skillwalker.datatypes.lock_entries import LockEntry
from skillwalker.datatypes.nights import Stage
from skillwalker.datatypes.summary import Summary
from skillwalker.fingerprint import search_fingerprint, target_fingerprint
from skillwalker.overnight.decisions import (
    by_need,
    change_to_recheck,
    is_stale,
    reason_not_to_tune,
)
from skillwalker.plan import Plan
from skillwalker.recording.lock_file import LOCK_FILE, parse_lock, write_entries
from skillwalker.remembering import looks_taken, rechecked, remembered, undone_later


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the nights are lived."""

    config: LoopConfig = field(default_factory=lambda: LoopConfig(search="phases"))
    """With a search that is named."""
    raises: bool = True
    """Whether the threshold rises with the looks, as it does in the product."""
    reverts: bool = False
    """Whether the user takes back in the morning what a recheck proposes to take back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A change that was written."""

    target: WorldTarget
    gain: float
    """In true balanced accuracy, against what it replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A revert that was proposed."""

    target: WorldTarget
    written: str
    replaced: str

    @property
    def is_right(self) -> bool:
        """Whether the replaced text is truly better."""
        return self.target.truth(self.replaced) > self.target.truth(self.written)


@dataclass(slots=True)
class Night:
    """What a night did, and what it is lived with.

    Args:
        number: from 1.
        rules: of all nights.
        around: what every target's rates depend on tonight.
    """

    number: int
    rules: Rules
    around: Surroundings
    runs: list[tuple[WorldTarget, Stage]] = field(default_factory=list)
    trials: int = 0
    applied: list[Applied] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)

    def count(self, stage: Stage) -> int:
        """Count the runs of a stage."""
        return sum(done is stage for _, done in self.runs)

    def live(self, targets: Sequence[WorldTarget]) -> None:
        """Recheck and measure what is due, then search by need."""
        searchable = {target: self._look_at(target, targets) for target in targets}
        ready: dict[WorldTarget, LockEntry] = {}
        for target in targets:
            entry = target.entry
            if entry is not None and reason_not_to_tune(entry, searchable[target]) is None:
                ready[target] = entry
        for target in by_need(ready):
            self._tune(target, self._plan(target, targets))

    def take_back(self, proposal: Proposal, targets: Sequence[WorldTarget]) -> None:
        """Undo in the morning what a recheck proposes to undo, unless another change followed."""
        target = proposal.target
        if target.file == proposal.written and target.entry is not None:
            target.file = proposal.replaced
            target.entry = undone_later(target.entry, self._plan(target, targets))

    def _look_at(self, target: WorldTarget, targets: Sequence[WorldTarget]) -> str:
        """Recheck and measure one target as far as that is due; gives what a search depends on."""
        plan = self._plan(target, targets)
        fingerprint = target_fingerprint(plan, engine=ENGINE)
        change = change_to_recheck(target.entry, plan.target.description)
        if change is not None:
            summary = self._run(target, Stage.RECHECK, plan, challenger=change.replaced)
            target.entry = None if target.entry is None else rechecked(target.entry)
            if summary.improved:
                proposal = Proposal(target=target, written=target.file, replaced=change.replaced)
                self.proposals.append(proposal)
        if is_stale(target.entry, fingerprint):
            self._run(target, Stage.MEASURE, plan)
        return search_fingerprint(plan, engine=ENGINE)

    def _tune(self, target: WorldTarget, plan: Plan) -> None:
        """Search for a better text, and write it if the gate passes."""
        old = target.file
        summary = self._run(target, Stage.TUNE, replace(plan, kind="scil"))
        if summary.applied:
            gain = target.truth(target.file) - target.truth(old)
            self.applied.append(Applied(target=target, gain=gain))

    def _run(
        self, target: WorldTarget, stage: Stage, plan: Plan, *, challenger: str | None = None
    ) -> Summary:
        """Do a run, and remember what it found."""
        looks = 1 + looks_taken(target.entry, plan) if self.rules.raises else 1
        plan = replace(plan, looks=looks)
        run_id = f"{self.number}-{stage.value}"
        summary = target.run(stage, plan, run_id, challenger=challenger)
        new = remembered(target.entry, plan, summary)
        if new is not None:
            target.entry = _as_written(new)
        self.runs.append((target, stage))
        self.trials += summary.trials
        return summary

    def _plan(self, target: WorldTarget, targets: Sequence[WorldTarget]) -> Plan:
        """Give the plan of a target, with its siblings as they stand now."""
        siblings = [
            one.target for one in targets if one.plugin == target.plugin and one is not target
        ]
        return target.plan(siblings, self.around, self.rules.config)


def _as_written(entry: LockEntry) -> LockEntry:
    """Give an entry as it is read again from skillwalker.lock, its rates rounded."""
    return parse_lock(Path(LOCK_FILE), write_entries({entry.key: entry}))[entry.key]
