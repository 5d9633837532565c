"""Reads a recorded run of the loop whole: all that a report or a comparison is made of."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pydantic

from skillwalker.datatypes.recorded import (
    CaseTally,
    Dialogue,
    RecordedCase,
    RecordedIteration,
    RecordedRun,
)
from skillwalker.datatypes.trials import Trial
from skillwalker.errors import StoreError
from skillwalker.recording import records, store, summary_records
from skillwalker.recording.checked import checked
from skillwalker.recording.rows import read_each, read_rows
from skillwalker.recording.warm import REUSED, read_warm
from skillwalker.transcripts.dialogue import read_dialogue
from skillwalker.user_files import real_path

_CASES = pydantic.TypeAdapter(tuple[RecordedCase, ...])
_ITERATION = pydantic.TypeAdapter(RecordedIteration)
_TALLY_KEYS = tuple(CaseTally.__dataclass_fields__)


def read_recorded(folder: Path) -> RecordedRun:
    """Read a run that has a summary.

    Raises:
        StoreError: the run did not end, a newer version wrote it, a file of it is broken, or it
            lacks trials that the run had.
    """
    summary = summary_records.read_summary(store.read_summary(folder))
    plan = store.read_plan(folder)
    settings = plan.get("settings")
    turns = settings.get("max_turns") if isinstance(settings, dict) else None
    rivals = plan.get("rivals")
    cases = _cases(folder, plan)
    trials = _trials(folder)
    require_trials(folder, told=summary.trials, read=len(trials))
    iterations = _iterations(folder, summary.kind, {case.name: case.group for case in cases})
    return RecordedRun(
        summary=summary,
        cases=cases,
        iterations=tuple(sorted(iterations, key=lambda iteration: iteration.number)),
        trials=trials,
        answers=tuple(
            answer
            for _, answer in sorted(
                records.read_answers(read_rows(folder / store.IMPROVER)).items()
            )
        ),
        reused=_reused(folder),
        discarded=tuple(
            trial
            for name in (store.REFUSED, store.SET_ASIDE)
            for trial in read_each(folder / name, records.read_trial)
        ),
        exchanges=tuple(read_each(folder / store.IMPROVER, records.read_exchange)),
        rivals=tuple(str(rival) for rival in rivals) if isinstance(rivals, list) else (),
        max_turns=turns if isinstance(turns, int) else None,
    )


def require_trials(folder: Path, *, told: int, read: int) -> None:
    """Refuse a run whose file of trials holds fewer than it had.

    A resumed run that sets trials aside keeps its earlier summary until it ends.

    Args:
        folder: the run's.
        told: trials by its summary.
        read: trials that could be read.

    Raises:
        StoreError: some are lost.
    """
    if read < told and read + sum(1 for _ in read_rows(folder / store.SET_ASIDE)) < told:
        raise StoreError(
            f"run {folder.name}: {store.TRIALS} holds {read} of the {told} trials that the summary"
            " counts; put the file back as it was, or measure again"
        )


def read_trial_dialogue(folder: Path, trial: Trial) -> Dialogue | None:
    """Read what was said in a trial; None when it has no transcript, as a simulated one.

    Raises:
        StoreError: the transcript is missing or broken.
    """
    if trial.transcript is None:
        return None
    if not real_path(folder / trial.transcript).is_relative_to(folder.resolve()):
        raise StoreError(f"run {folder.name}: transcript {trial.transcript!r} lies outside of it")
    return read_dialogue(store.read_transcript(folder, trial.transcript))


def _trials(folder: Path) -> tuple[Trial, ...]:
    """Read the trials; of one that was written twice, the later line."""
    trials = read_each(folder / store.TRIALS, records.read_trial)
    return tuple({records.trial_key(trial): trial for trial in trials}.values())


def _reused(folder: Path) -> tuple[Trial, ...]:
    """Read the trials that were taken over; their transcripts lie in the runs that paid."""
    rows = read_warm(folder / REUSED)
    return tuple(replace(one.trial, transcript=None) for one in rows)


def _cases(folder: Path, plan: Mapping[str, object]) -> tuple[RecordedCase, ...]:
    rows = plan.get("cases")
    keys = RecordedCase.__dataclass_fields__.keys() - {"name"}
    picked = [
        {"name": row.get("case"), **{key: row[key] for key in keys & row.keys()}}
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]
    return checked(_CASES, picked, folder / store.PLAN)


def _iterations(
    folder: Path, kind: str, groups: Mapping[str, str | None]
) -> Iterator[RecordedIteration]:
    path = folder / f"{kind}-iteration.jsonl"
    for row in read_rows(path):
        records.check_version(row, path.name)
        cases = row.get("cases")
        yield checked(
            _ITERATION,
            {
                "number": row.get("iteration"),
                "phase": row.get("phase"),
                "candidate": row.get("candidate"),
                "description": row.get("description"),
                "cases": [
                    {key: case[key] for key in _TALLY_KEYS if key in case}
                    | {"group": groups.get(str(case.get("case")))}
                    for case in (cases if isinstance(cases, list) else [])
                    if isinstance(case, dict)
                ],
            },
            path,
        )
