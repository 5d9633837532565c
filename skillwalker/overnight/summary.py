"""overnight-summary.json: written at a night's end, and made of the parts of several machines."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import pydantic

from skillwalker.datatypes.lock_entries import EntryKey, LockEntry
from skillwalker.datatypes.nights import NightSummary
from skillwalker.errors import StoreError, worst_of
from skillwalker.recording.checked import checked
from skillwalker.recording.lock_file import parse_lock, write_entries
from skillwalker.recording.night_files import NIGHT_ENTRIES, NIGHT_SUMMARY
from skillwalker.recording.records import SCHEMA_VERSION, check_version
from skillwalker.recording.rows import RowFiles, read_row, write_atomically
from skillwalker.recording.store import run_age
from skillwalker.user_files import read_regular, words_of

DONE = "done"

_SUMMARY = pydantic.TypeAdapter(NightSummary)
_DERIVED = frozenset(
    {"schema_version", "counts", "trials", "cost_usd", "cost_unknown_calls", "exit_code"}
)


def night_exit_code(summary: NightSummary) -> int:
    """Say how a night ended in one number, as `skillwalker.cli.main` does."""
    codes = {target.exit_code for target in summary.targets}
    if summary.broken:
        codes.add(1)
    if summary.missing:
        codes.add(3)
    if summary.stopped_because == "interrupted":
        codes.add(130)
    return worst_of(codes)


def summary_record(summary: NightSummary) -> dict[str, object]:
    """Make the JSON object of a night."""
    return {
        "schema_version": SCHEMA_VERSION,
        **dataclasses.asdict(summary),
        "counts": summary.counts,
        "trials": summary.trials,
        "cost_usd": summary.cost_usd,
        "cost_unknown_calls": summary.cost_unknown_calls,
        "exit_code": night_exit_code(summary),
    }


def write_night(folder: Path, summary: NightSummary, entries: Mapping[EntryKey, LockEntry]) -> None:
    """Write a night's summary and what the lock file holds of it, whole or not at all.

    Raises:
        StoreError: one of them cannot be written.
    """
    write_atomically(folder / NIGHT_ENTRIES, write_entries(entries))
    RowFiles(folder).write(NIGHT_SUMMARY, summary_record(summary))


def read_night(folder: Path) -> NightSummary:
    """Read a night's summary.

    Args:
        folder: of the night, or one that holds it as the newest of its nights.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    row = read_row(night_folder(folder) / NIGHT_SUMMARY)
    check_version(row, f"{folder}/{NIGHT_SUMMARY}")
    values = {key: value for key, value in row.items() if key not in _DERIVED}
    return checked(_SUMMARY, values, f"{folder}/{NIGHT_SUMMARY}")


def read_entries(folder: Path) -> dict[EntryKey, LockEntry]:
    """Read what the lock file held of a night's targets at its end.

    Raises:
        StoreError: it cannot be read.
    """
    path = night_folder(folder) / NIGHT_ENTRIES
    try:
        return parse_lock(path, read_regular(path))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {words_of(error)}") from error


def night_folder(folder: Path) -> Path:
    """Find the night in a folder: itself, or the newest below it, as in an output folder.

    Raises:
        StoreError: there is none.
    """
    if (folder / NIGHT_SUMMARY).is_file():
        return folder
    found = sorted((path.parent for path in folder.glob(f"*/{NIGHT_SUMMARY}")), key=run_age)
    if not found:
        raise StoreError(
            f"{folder} holds no {NIGHT_SUMMARY}; name the folder of a night, or an output folder"
            " with one"
        )
    return found[-1]


def merge_nights(night_id: str, parts: Sequence[NightSummary]) -> NightSummary:
    """Make one summary of the parts of a night, and name those that are missing.

    Args:
        night_id: of the merged night.
        parts: at least one; a target may stand in one of them only.

    Raises:
        StoreError: two parts speak of one target, were divided differently, or were measured on
            different engines; or one of them was simulated and another was not.
    """
    targets = sorted(
        (target for part in parts for target in part.targets), key=lambda t: (t.path, t.suite)
    )
    for one, two in itertools.pairwise(targets):
        if (one.path, one.suite) == (two.path, two.suite):
            raise StoreError(
                f"{one.path} (suite {one.suite}) stands in two of the nights; merge the shards of"
                " one night, each once"
            )
    engines = {part.engine for part in parts}
    if len(engines) > 1:
        raise StoreError(
            f"the nights ran on different engines ({', '.join(sorted(engines))}), and such results"
            " are never put together"
        )
    if len({part.simulated for part in parts if part.cli_version}) > 1:
        simulated = ", ".join(part.night_id for part in parts if part.simulated)
        raise StoreError(
            f"only some of the nights were simulated ({simulated}), and such results are never put"
            " together with real ones; merge them apart"
        )
    stopped = [part.stopped_because for part in parts if part.stopped_because != DONE]
    broken = {(one.suite, one.reason): one for part in parts for one in part.broken}
    return NightSummary(
        night_id=night_id,
        engine=parts[0].engine,
        simulated=any(part.simulated for part in parts),
        cli_version=", ".join(sorted({part.cli_version for part in parts})),
        shard=None,
        stopped_because="interrupted" if "interrupted" in stopped else (*stopped, DONE)[0],
        targets=tuple(targets),
        broken=tuple(broken[key] for key in sorted(broken)),
        missing=_missing(parts),
    )


def _missing(parts: Sequence[NightSummary]) -> tuple[str, ...]:
    """Name the parts of a divided night that are not there; a merged part may lack some itself.

    Raises:
        StoreError: the parts are of nights that were divided differently.
    """
    here = {part.shard for part in parts if part.shard is not None}
    lacking = {one for part in parts for one in part.missing}
    counts = {shard.partition("/")[2] for shard in here | lacking}
    if len(counts) > 1:
        raise StoreError(
            f"the nights are parts of different divisions ({', '.join(sorted(here | lacking))});"
            " merge the shards of one night"
        )
    merged_already = any(part.missing for part in parts)
    every = {f"{k}/{n}" for n in counts for k in range(1, int(n) + 1)}
    missing = (lacking if merged_already else every) - here
    return tuple(sorted(missing, key=lambda shard: int(shard.partition("/")[0])))
