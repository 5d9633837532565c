"""The newest run that a measurement can be held against, target by target."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillwalker.datatypes.vocabulary import Verdict
from skillwalker.engines.protocol import EngineFacts
from skillwalker.errors import StoreError
from skillwalker.plan import Plan
from skillwalker.recording.store import SUMMARIES, list_runs, read_plan, read_summary

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """What two runs must share to be compared."""

    target_path: str
    suite: str
    engine: str
    endpoint: str
    permission_mode: str
    listing_mode: str


def alike(plan: Plan, facts: EngineFacts) -> Alike:
    """Say what an earlier run must be like to be compared with one of now."""
    return Alike(
        target_path=plan.target_path,
        suite=plan.suite,
        engine=facts.name,
        endpoint=facts.endpoint,
        permission_mode=facts.permission_mode,
        listing_mode=plan.listing_mode,
    )


def find_last_runs(output_dir: Path) -> dict[Alike, Path]:
    """Find the newest run of each kind that measured something.

    A run that cannot be read is passed over: another one may do.
    """
    found: dict[Alike, Path] = {}
    for folder in list_runs(output_dir):
        try:
            key = _key(read_plan(folder))
            if key is not None and key not in found and has_measured(folder):
                found[key] = folder
        except StoreError:
            continue
    return found


def require_alike(folder: Path, wanted: Alike) -> None:
    """Refuse a named run that cannot be compared.

    Raises:
        StoreError: it is of something else, or measured nothing; the message says what.
    """
    key = _key(read_plan(folder))
    if key is None or not has_measured(folder):
        raise StoreError(
            f"--against {folder.name}: that run measured nothing that can be compared; name a run"
            " of scil, acil or measure that came to an end"
        )
    faults = [
        f"its {name.replace('_', ' ')} is {getattr(key, name)!r}, not {getattr(wanted, name)!r}"
        for name in Alike.__slots__
        if getattr(key, name) != getattr(wanted, name)
    ]
    if faults:
        raise StoreError(
            f"--against {folder.name}: {'; '.join(faults)}; such runs are never compared"
        )


def has_measured(folder: Path) -> bool:
    """Say whether a run has rates of what its target's file held.

    Raises:
        StoreError: its summary cannot be read.
    """
    if not any((folder / name).is_file() for name in SUMMARIES):
        return False
    summary = read_summary(folder)
    return summary.get("verdict") != Verdict.INCONCLUSIVE and summary.get("original") is not None


def _key(plan: Row) -> Alike | None:
    """Read what a run was about; None where its engine was never opened."""
    facts = plan.get("facts")
    if not isinstance(facts, dict):
        return None
    return Alike(
        target_path=str(plan.get("target_path")),
        suite=str(plan.get("suite")),
        engine=str(facts.get("name")),
        endpoint=str(facts.get("endpoint")),
        permission_mode=str(facts.get("permission_mode")),
        listing_mode=str(plan.get("listing_mode")),
    )
