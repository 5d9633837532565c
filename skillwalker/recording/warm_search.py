"""Finds the trials of earlier runs that a new one may take as its own: nothing is paid twice.

Only decided search trials of the original count, and only where everything that makes two trials
the same experiment is equal. Confirm draws are never taken: a gate that could choose among old
ones would be no gate. Nor are draws of a text that an earlier search chose for its score.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from skillwalker.datatypes.trials import Trial
from skillwalker.datatypes.vocabulary import Outcome
from skillwalker.errors import StoreError
from skillwalker.recording.records import SCHEMA_VERSION, read_trial
from skillwalker.recording.rows import read_rows
from skillwalker.recording.store import PLAN, TRIALS, list_runs
from skillwalker.recording.warm import WarmTrial
from skillwalker.steps.step_4_run_trials import REUSED_FOR
from skillwalker.targets.names import description_hash
from skillwalker.user_files import read_regular

Record = Mapping[str, Any]

KEPT_FOR = timedelta(days=30)
"""Age after which a draw says too little of the model of today: endpoints change unannounced."""
MOST_OF_A_CELL = 24
"""Draws of one case that are kept ready; a search asks for fewer of the original."""
_STAMP = "%Y%m%dT%H%M%S"
_STAMP_LENGTH = len("20261130T120000")
_SAME_RUN = ("schema_version", "suite", "target_path", "original_description")
_SAME_FACTS = ("name", "endpoint", "simulated", "permission_mode", "cli_version", "effort")
"""A stand-in may have answered where a model does now."""
_SAME_CASE = ("prompt_sha256", "scaffold_sha256", "max_turns", "timeout")


def find_warm(output_dir: Path, record: Record) -> tuple[WarmTrial, ...]:
    """Find the trials that a run may take over.

    The draws of a case are numbered from 0, those of the newest run first. A simulated draw keeps
    its number, since it is the draw that the run would make itself; it comes of the same seed.

    Args:
        output_dir: where runs lie.
        record: the run's own run.json, with the facts of its engine.
    """
    original = description_hash(record["original_description"])
    same_seed = record["facts"]["name"] == "simulated"
    counts: Counter[tuple[str, str, str]] = Counter()
    found: dict[tuple[str, str, str, int], WarmTrial] = {}
    for folder, earlier in _like(output_dir, record, same_seed=same_seed):
        for trial in _draws(folder, original, _same_cases(earlier, record)):
            cell = (trial.case, trial.model_asked, trial.cell_key)
            index = trial.run_index if same_seed else counts[cell]
            if counts[cell] == MOST_OF_A_CELL or (*cell, index) in found:
                continue
            counts[cell] += 1
            found[*cell, index] = WarmTrial(
                run_id=folder.name,
                run_index=trial.run_index,
                trial=replace(trial, run_index=index, attempt=0, transcript=None),
            )
    return tuple(found.values())


def _like(output_dir: Path, record: Record, *, same_seed: bool) -> Iterator[tuple[Path, Record]]:
    """Give the runs of the last days that measured the same text by the same means, newest first.

    Most runs are of other targets: their records are not parsed.
    """
    own = record["run_id"]
    began = _moment(own)
    wanted = f'"target_path": {json.dumps(record["target_path"], ensure_ascii=False)}'.encode(
        "utf-8", "backslashreplace"
    )
    for folder in list_runs(output_dir):
        moment = _moment(folder.name)
        if began is None or moment is None or folder.name == own:
            continue
        if began - moment > KEPT_FOR:
            return
        earlier = _read_record(folder, wanted)
        if earlier is not None and _is_like(earlier, record, same_seed=same_seed):
            yield folder, earlier


def _moment(run_id: str) -> datetime | None:
    """Read when a run began; None where the folder is not named like a run."""
    try:
        return datetime.strptime(run_id[:_STAMP_LENGTH], _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def _read_record(folder: Path, wanted: bytes) -> Record | None:
    """Read a run's record where some words stand in it; a broken one is nobody's source."""
    try:
        content = read_regular(folder / PLAN)
        record = json.loads(content) if wanted in content else None
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _is_like(earlier: Record, record: Record, *, same_seed: bool) -> bool:
    """Say whether the trials of two runs could be the same experiment."""
    facts, settings = earlier.get("facts"), earlier.get("settings")
    if not isinstance(facts, dict) or not isinstance(settings, dict):
        return False
    alike = ("timeout", "max_turns", *(("seed",) if same_seed else ()))
    return (
        earlier.get("schema_version") == SCHEMA_VERSION
        and all(earlier.get(key) == record[key] for key in _SAME_RUN)
        and all(facts.get(key) == record["facts"].get(key) for key in _SAME_FACTS)
        and all(settings.get(key) == record["settings"][key] for key in alike)
    )


def _same_cases(earlier: Record, record: Record) -> frozenset[tuple[str, str]]:
    """Name the cases, each with its model, that ask the same in both runs, as long."""

    def asked(row: Record) -> dict[tuple[str, str], tuple[object, ...]]:
        cases = row.get("cases")
        return {
            (str(case.get("case")), str(case.get("model"))): tuple(
                case.get(key) for key in _SAME_CASE
            )
            for case in (cases if isinstance(cases, list | tuple) else ())
            if isinstance(case, dict)
        }

    before, now = asked(earlier), asked(record)
    return frozenset(key for key, what in now.items() if before.get(key) == what)


def _draws(folder: Path, original: str, cases: frozenset[tuple[str, str]]) -> tuple[Trial, ...]:
    """Read the decided search trials of the original, in order of their numbers."""
    if not cases:
        return ()
    try:
        trials = [
            read_trial(row)
            for row in read_rows(folder / TRIALS)
            if row.get("candidate") == original
            and str(row.get("set")) in REUSED_FOR
            and row.get("outcome") != Outcome.UNDECIDED
            and (str(row.get("case")), str(row.get("model_asked"))) in cases
        ]
    except StoreError:
        return ()
    return tuple(sorted(trials, key=lambda trial: trial.run_index))
