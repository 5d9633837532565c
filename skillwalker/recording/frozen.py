"""run.json: all that a run depends on, so that a later life of it can go on or must refuse to."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic

from skillwalker.datatypes.inputs import SplitCase, Target
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import StoreError
from skillwalker.metrics.registry import meanings
from skillwalker.plan import FurtherRounds, Order, Plan
from skillwalker.recording.changes import (
    NEVER_POOLED,
    POOLED,
    find_changes,
    moved_facts,
    moved_simulation,
    stale_cases,
)
from skillwalker.recording.checked import checked
from skillwalker.recording.records import SCHEMA_VERSION, check_version
from skillwalker.recording.store import PLAN, RunStore, read_plan
from skillwalker.recording.warm_search import find_warm
from skillwalker.recording.written_plan import WrittenPlan
from skillwalker.trials.cell_key import folder_hash

Record = Mapping[str, Any]

_ORDER = pydantic.TypeAdapter(Order)
_WRITTEN = pydantic.TypeAdapter(WrittenPlan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier life of a run, to go on with."""

    folder: Path
    record: Record
    """Its run.json."""
    accept_changes: bool = False
    """Go on although suite, target, siblings, model or CLI are no longer what they were."""
    more: FurtherRounds | None = None
    """Confirm rounds to add to a run that had come to its end; their look at the least."""


class Foundation:
    """What a run stands on, written before its first trial; a later life is held to it.

    Args:
        store: of the run.
        order: what was asked.
        plan: what that means now.
        earlier: the life to go on with; None for a new run.

    Raises:
        StoreError: what the earlier life depended on changed, and that was not accepted.
        SuiteError: a scaffold cannot be read.
    """

    def __init__(self, store: RunStore, order: Order, plan: Plan, earlier: Earlier | None) -> None:
        self.store = store
        self._earlier = earlier
        # Two looks at the same draws are no comparison.
        self._reuses = not order.fresh and order.against is None
        self._record = plan_record(store.run_id, order, plan)
        if earlier is not None:
            old = earlier.record
            kept = ("facts", "accepted_changes", "warm")
            self._record |= {key: old[key] for key in kept if key in old}
            found = tuple(find_changes(old, self._record))
            self._accept(found)
            if found:
                store.set_aside(plan.kind, stale_cases(old, self._record))
        if earlier is None or earlier.more is None:
            store.write_plan(self._record)
        # Else a finished run stays one until an engine is there that may add to it.

    @property
    def is_resumed(self) -> bool:
        """Whether there was an earlier life."""
        return self._earlier is not None

    @property
    def accepted(self) -> tuple[str, ...]:
        """What changed between the lives of the run, in words."""
        changes: Any = self._record["accepted_changes"]
        return tuple(changes)

    def engine_opened(self, facts: EngineFacts) -> None:
        """Compare the engine with that of the earlier life, and write it down.

        In the first life, what may be taken over from other runs is frozen too.

        Raises:
            StoreError: its trials cannot be counted together with the earlier ones, or the CLI
                changed and that was not accepted.
        """
        now = {key: getattr(facts, key) for key in (*NEVER_POOLED, *POOLED)}
        if isinstance(old := self._record["facts"], dict):
            simulation = moved_simulation(old, simulated=facts.simulated)
            moved = "; ".join([*moved_facts(old, now, NEVER_POOLED), *simulation])
            if moved:
                raise StoreError(
                    f"run {self.store.run_id} cannot be resumed: {moved}, and such trials are never"
                    " counted together; set it back, or start a new run"
                )
            self._accept(tuple(moved_facts(old, now, POOLED)))
        # A run that is killed has no summary to say that no model was asked.
        self._record |= {"facts": now | {"simulated": facts.simulated}}
        if not isinstance(old, dict) and self._reuses:
            self._freeze_warm()
        self.store.write_plan(self._record)

    def end(self) -> None:
        """Note that nothing of the run is left to do: its result is recorded, and written if so.

        Raises:
            StoreError: it cannot be noted.
        """
        self._record |= {"ended": True}
        self.store.write_plan(self._record)

    def _freeze_warm(self) -> None:
        """Find what may be taken over, and write it down with the runs that paid for it."""
        warm = find_warm(self.store.folder.parent, self._record)
        self.store.warm.freeze(warm)
        self._record |= {"warm": dict(Counter(one.run_id for one in warm))}

    def _accept(self, changes: tuple[str, ...]) -> None:
        """Note what changed, or refuse it."""
        if not changes:
            return
        if self._earlier is None or not self._earlier.accept_changes:
            raise StoreError(
                f"run {self.store.run_id} cannot be resumed as it was: {'; '.join(changes)}."
                " Set it back, start a new run, or go on with --accept-changes"
            )
        self._record |= {"accepted_changes": [*self.accepted, *changes]}


def plan_record(run_id: str, order: Order, plan: Plan) -> dict[str, object]:
    """Make the record of a run of which nothing was spent yet.

    Raises:
        SuiteError: a scaffold cannot be read.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "kind": plan.kind,
        "suite": plan.suite,
        "target": plan.target.id,
        "target_path": plan.target_path,
        "target_sha256": _sha256(plan.target.content),
        "original_description": plan.target.description,
        "rivals": [rival.id for rival in plan.rivals],
        "siblings": [_sibling(rival) for rival in plan.rivals],
        "listing_mode": plan.listing_mode,
        "listing_budget": plan.listing_budget,
        "order": _order(order, plan),
        "settings": dataclasses.asdict(plan.config),
        "facts": None,
        "ended": False,
        "accepted_changes": [],
        "warm": {},
        "metrics": [
            {"name": name, "version": version, "fingerprint": mark}
            for name, version, mark in meanings(plan.metrics, plan.declared)
        ],
        "cases": [_case(split) for split in plan.cases],
        "neighbours": [
            _case(SplitCase(case=one.case, set=CaseSet.NEIGHBOUR, group=one.group))
            for one in plan.neighbours
        ],
    }


def has_ended(run: Path) -> bool:
    """Say whether a run got as far as `Foundation.end`.

    Raises:
        StoreError: its record cannot be read.
    """
    return read_plan(run).get("ended") is True


def read_frozen(run: Path) -> tuple[Record, Order]:
    """Read what a run was asked, to go on with it.

    Raises:
        StoreError: it is no run of scil, acil or measure, or its record cannot be read.
        ConfigError: a recorded setting is out of range.
    """
    row = read_plan(run)
    if not row:
        raise StoreError(
            f"run {run.name} cannot be resumed: it has no {PLAN}, so it is an eval run, or it was"
            " killed before it began; start a new one"
        )
    check_version(row, f"{run.name}/{PLAN}")
    asked = row.get("order")
    if not isinstance(asked, dict):
        raise StoreError(f"run {run.name} cannot be resumed: an older version wrote its {PLAN}")
    checked(_WRITTEN, row, run / PLAN)
    return row, checked(_ORDER, {**asked, "config": row.get("settings")}, run / PLAN)


def _order(order: Order, plan: Plan) -> dict[str, object]:
    """Tell what was asked, with the suite that was found, and without the settings."""
    asked = dataclasses.asdict(order)
    del asked["config"]
    del asked["engine_why"]
    return asked | {"suite": plan.suite}


def _sibling(rival: Target) -> dict[str, object]:
    """Tell what is listed beside the target."""
    return {"kind": rival.kind, "target": rival.id, "sha256": _sha256(rival.content)}


def _case(split: SplitCase) -> dict[str, object]:
    """Tell all that decides how a case's trials come out and are judged."""
    case = split.case
    return {
        "case": case.name,
        "set": split.set,
        "group": split.group,
        "should_trigger": case.should_trigger,
        "model": case.model,
        "tags": case.tags,
        "prompt": case.prompt,
        "prompt_sha256": _sha256(case.prompt.encode("utf-8", "surrogatepass")),
        "scaffold_sha256": None if case.scaffold is None else folder_hash(case.scaffold),
        "runs": case.runs,
        "max_turns": case.max_turns,
        "timeout": case.timeout,
    }


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
