"""The best description that a recorded run found, and whether the target's file holds it."""

import dataclasses
import hashlib
import json
from pathlib import Path

import pydantic

from skillwalker.datatypes.edits import RecordedBest
from skillwalker.datatypes.inputs import Target
from skillwalker.errors import StoreError, TargetError
from skillwalker.recording.checked import checked
from skillwalker.recording.records import check_version
from skillwalker.recording.rows import write_atomically
from skillwalker.recording.store import SUMMARIES, read_summary
from skillwalker.targets.kind import KINDS

_BEST = pydantic.TypeAdapter(RecordedBest)
_KEYS = tuple(field.name for field in dataclasses.fields(RecordedBest))


def read_best(run: Path) -> RecordedBest:
    """Read what a run found.

    Raises:
        StoreError: the run did not end, only measured, or its summary cannot be read.
    """
    row = read_summary(run)
    check_version(row, f"the summary of run {run.name}")
    kinds = {facts.run_prefix for facts in KINDS.values()}
    if str(row.get("kind")) not in kinds:
        raise StoreError(
            f"run {run.name} is a run of {row.get('kind')!r}: it looked for no better description;"
            f" runs of {' and '.join(sorted(kinds))} can be applied"
        )
    values = {key: row[key] for key in _KEYS if key in row}
    return checked(_BEST, values, f"the summary of run {run.name} cannot be read")


def require_applicable(best: RecordedBest, *, force: bool, allow_simulated: bool) -> None:
    """Refuse to write what a run found unless it is an improvement that was really measured.

    Args:
        best: what the run found.
        force: take a text that did not pass the gate, or that a metric speaks against.
        allow_simulated: take a text of a simulated run.

    Raises:
        StoreError: there is nothing to write, or it takes a flag; the message names it.
    """
    if best.simulated and not allow_simulated:
        raise StoreError(
            f"run {best.run_id} was simulated: its figures say nothing about Claude;"
            " nothing was written; --allow-simulated writes its text anyway"
        )
    if best.best_description == best.original_description:
        raise StoreError(f"run {best.run_id} found nothing better than the text it began with")
    if not best.improved and not force:
        raise StoreError(
            f"run {best.run_id} found no convincing difference: nothing was written;"
            " --force writes its best text anyway"
        )
    if best.metrics_forbid is not None and not force:
        raise StoreError(
            f"run {best.run_id}: {best.metrics_forbid}: nothing was written;"
            " --force writes its best text anyway"
        )


def require_unchanged(target: Target, best: RecordedBest, *, force: bool) -> None:
    """Refuse a file that is not the one that the run measured.

    Raises:
        TargetError: its bytes changed, and it does not hold the description already.
    """
    changed = hashlib.sha256(target.content).hexdigest() != best.target_sha256
    if changed and not force and target.description != best.best_description:
        raise TargetError(
            f"{target.path} changed since run {best.run_id} read it; nothing was written;"
            " --force writes the description into the file as it is now"
        )


def mark_applied(run: Path, applied: bool) -> None:
    """Say in a run's summary whether its best description is in the file.

    Raises:
        StoreError: the summary cannot be read or written.
    """
    row = read_summary(run) | {"applied": applied, "not_written": None}
    text = json.dumps(row, ensure_ascii=False, indent=2) + "\n"
    path = next(path for path in (run / name for name in SUMMARIES) if path.exists())
    write_atomically(path, text.encode("utf-8", "backslashreplace"))
