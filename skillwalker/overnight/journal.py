"""night.jsonl: what a night was asked and has done, so that a later life of it can go on."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic

from skillwalker.catalogue import CatalogueEntry
from skillwalker.datatypes.lock_entries import LockEntry
from skillwalker.datatypes.nights import Stage, StageResult
from skillwalker.errors import StoreError
from skillwalker.plan import Order
from skillwalker.recording.checked import checked
from skillwalker.recording.night_files import NIGHT
from skillwalker.recording.records import SCHEMA_VERSION, check_version
from skillwalker.recording.rows import RowFiles, read_each, read_rows

Place = tuple[str, str, Stage]
"""Path, suite and stage: what a run of the night is about."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NightTask:
    """What is asked of a night."""

    template: Order
    """Of every run; kind, suite and target are those of the entry."""
    shard: tuple[int, int] | None = None
    """The part of the catalogue, from 1, and how many parts there are."""
    every: bool = False
    """Measure also what is not stale."""
    suite: str | None = None
    """Only this one."""
    listing_budget: int | None = None
    """Columns in place of Claude Code's own budget (`--listing roomy`)."""
    simulated: bool | None = None
    """Whether no model answers, the engine's name notwithstanding; None where nobody noted it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Whether a stage of a target is due, once and for the whole night.

    What the night itself writes changes the answer, so a later life must not ask again.
    """

    is_due: bool
    reason: str | None = None
    """Why not, where that is told."""
    known: LockEntry | None = None
    """What was remembered of the target then."""
    replaced: str | None = None
    """The description that the one in the file is held against."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Began:
    """A row that names the run of a stage."""

    path: str
    suite: str
    stage: Stage
    run_id: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """A row that says whether a stage is due."""

    path: str
    suite: str
    stage: Stage
    decision: Decision


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """A row that says how a stage ended."""

    path: str
    suite: str
    result: StageResult


_ASKED = pydantic.TypeAdapter(NightTask)
_BEGAN = pydantic.TypeAdapter(_Began)
_DECIDED = pydantic.TypeAdapter(_Decided)
_DONE = pydantic.TypeAdapter(_Done)
_ASKED_KEYS = NightTask.__dataclass_fields__.keys()


class NightJournal:
    """The memory of one night.

    Args:
        folder: of the night; what an earlier life left in it is read.

    Raises:
        StoreError: the folder is no night's, or its record cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = RowFiles(folder)
        self.was_begun = False
        """Whether an earlier life wrote down what is asked."""
        self._begun: dict[Place, str] = {}
        self._done: dict[Place, StageResult] = {}
        self._decided: dict[Place, Decision] = {}
        for _ in read_each(folder / NIGHT, self._take):
            pass

    def begin(self, task: NightTask) -> None:
        """Write down what is asked, before anything is done."""
        self._append("asked", **dataclasses.asdict(task))
        self.was_begun = True

    def decide(self, entry: CatalogueEntry, stage: Stage, decision: Decision) -> None:
        """Note whether a stage is due, before anything is done about it."""
        row = dataclasses.asdict(decision)
        self._append("decided", path=entry.path, suite=entry.suite, stage=stage, decision=row)
        self._decided[entry.path, entry.suite, stage] = decision

    def run_began(self, entry: CatalogueEntry, stage: Stage, run_id: str) -> None:
        """Note which run does a stage, so that it can be gone on with."""
        self._append("began", path=entry.path, suite=entry.suite, stage=stage, run_id=run_id)
        self._begun[entry.path, entry.suite, stage] = run_id

    def run_done(self, entry: CatalogueEntry, result: StageResult) -> None:
        """Note how a stage ended: it is not begun again in this night."""
        row = dataclasses.asdict(result)
        self._append("done", path=entry.path, suite=entry.suite, result=row)
        self._done[entry.path, entry.suite, result.stage] = result

    def begun(self, entry: CatalogueEntry, stage: Stage) -> str | None:
        """Name the run of an earlier life that did not come to its end."""
        return self._begun.get((entry.path, entry.suite, stage))

    def done(self, entry: CatalogueEntry, stage: Stage) -> StageResult | None:
        """Give what an earlier life finished."""
        return self._done.get((entry.path, entry.suite, stage))

    def decided(self, entry: CatalogueEntry, stage: Stage) -> Decision | None:
        """Give what an earlier life decided."""
        return self._decided.get((entry.path, entry.suite, stage))

    def finished(self) -> tuple[StageResult, ...]:
        """Give all that earlier lives finished."""
        return tuple(self._done.values())

    def unfinished(self) -> tuple[str, ...]:
        """Name the runs that earlier lives began and did not bring to their end."""
        return tuple(run_id for place, run_id in self._begun.items() if place not in self._done)

    def owns(self, run_id: str) -> bool:
        """Say whether a run is one of this night."""
        return run_id in self._begun.values()

    def close(self) -> None:
        """Close the file."""
        self._files.close()

    def _append(self, event: str, **values: object) -> None:
        row = {"schema_version": SCHEMA_VERSION, "event": event, **values}
        self._files.append(NIGHT, row)

    def _take(self, row: Mapping[str, Any]) -> None:
        """Take a row of an earlier life."""
        check_version(row, f"{self.folder.name}/{NIGHT}")
        match row.get("event"):
            case "asked":
                self.was_begun = True
            case "began":
                began = checked(_BEGAN, row)
                self._begun[began.path, began.suite, began.stage] = began.run_id
            case "decided":
                decided = checked(_DECIDED, row)
                self._decided[decided.path, decided.suite, decided.stage] = decided.decision
            case "done":
                done = checked(_DONE, row)
                self._done[done.path, done.suite, done.result.stage] = done.result
            case _:
                pass


def read_task(folder: Path) -> NightTask:
    """Read what a night was asked.

    Raises:
        StoreError: the folder is no night's, or its record cannot be read.
    """
    row: Mapping[str, Any] = next(iter(read_rows(folder / NIGHT)), {})
    if row.get("event") != "asked":
        raise StoreError(f"{folder.name} is no night: there is no {NIGHT} in it")
    check_version(row, f"{folder.name}/{NIGHT}")
    values = {key: row[key] for key in _ASKED_KEYS & row.keys()}
    return checked(_ASKED, values, f"{folder / NIGHT} cannot be read")
