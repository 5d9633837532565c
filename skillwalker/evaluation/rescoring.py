"""Reads the stored streams of any recorded run with today's detector, and says what changed.

What only the end of a process showed (a clock that ran out, silence, a crash) stands in no stream;
it is taken from the record.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pydantic

from skillwalker.datatypes.rescoring import Changed, Rescored
from skillwalker.datatypes.trials import CalledAs, Reading, Trial
from skillwalker.datatypes.vocabulary import Outcome, TargetKind
from skillwalker.errors import StoreError, TargetError
from skillwalker.evaluation.store import EvalStore, is_eval_run
from skillwalker.paths import Places
from skillwalker.recording.checked import checked
from skillwalker.recording.records import read_trial
from skillwalker.recording.rows import read_each
from skillwalker.recording.store import PLAN, TRIALS, find_run, read_plan, read_transcript
from skillwalker.targets.calling import called_as
from skillwalker.targets.names import resolve_target
from skillwalker.transcripts.outcome import read_outcome
from skillwalker.transcripts.stream import Ending, parse_stream

_OUTSIDE = {
    "timeout": Ending(exit_code=None, timed_out=True),
    "idle": Ending(exit_code=None, idle=True),
    "crash": Ending(exit_code=1),
}
"""How a process ended, by the reason that its trial is undecided."""
_STOPPED = Ending(exit_code=None, timed_out=True)
"""A stream without an end: it was stopped at the call, or its time ran out between turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a trial was about."""

    called_as: CalledAs | None
    prompt: str
    max_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Of:
    """What a run was about."""

    kind: TargetKind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named(_Of):
    """What was listed beside it."""

    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """What held where a case said nothing."""

    max_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What a case asked."""

    case: str
    prompt: str = ""
    max_turns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is read of a run.json."""

    target: str
    order: _Of
    settings: _Settings
    cases: tuple[_Case, ...]
    siblings: tuple[_Named, ...] = ()


_PLAN = pydantic.TypeAdapter(_Plan)


def rescore_run(places: Places, run_id: str) -> Rescored:
    """Read a run's trials again.

    Args:
        places: where runs lie, and the project that the targets are found in.
        run_id: the run.

    Raises:
        RunNotFoundError: there is no such run.
        StoreError: it has no trials, cannot be read, or its target is gone.
    """
    folder = find_run(places.output_dir, run_id)
    if not (folder / TRIALS).is_file():
        raise StoreError(f"run {run_id} has no {TRIALS}, so there is nothing to read again")
    about = _of_eval_run(folder) if is_eval_run(folder) else _of_loop_run(folder, places)
    counts = {"trials": 0, "read_again": 0, "without_transcript": 0, "without_target": 0}
    changed: list[Changed] = []
    for trial, suite in read_each(folder / TRIALS, _trial_of_suite):
        asked = about(suite, trial)
        counts["trials"] += 1
        lines = _stream(folder, trial)
        if asked.called_as is None:
            counts["without_target"] += 1
        elif lines is None:
            counts["without_transcript"] += 1
        else:
            counts["read_again"] += 1
            changed += _compare(suite, trial, _read(trial, lines, asked, asked.called_as))
    return Rescored(run_id=folder.name, changed=tuple(changed), **counts)


def _trial_of_suite(row: Mapping[str, object]) -> tuple[Trial, str]:
    """Read a line of trials.jsonl, and the suite of which an eval run's trial is."""
    return read_trial(row), str(row.get("suite") or "")


def _of_loop_run(folder: Path, places: Places) -> Callable[[str, Trial], _Asked]:
    """Find what the trials of scil, acil or measure were about."""
    plan = checked(_PLAN, read_plan(folder), folder / PLAN)
    names = _names(plan, places)
    cases = {case.case: case for case in plan.cases}

    def about(_suite: str, trial: Trial) -> _Asked:
        case = cases.get(trial.case)
        return _Asked(
            called_as=names,
            prompt="" if case is None else case.prompt,
            max_turns=(case and case.max_turns) or plan.settings.max_turns,
        )

    return about


def _names(plan: _Plan, places: Places) -> CalledAs:
    """Find the names of a run's target among its rivals, as the project has them now."""
    try:
        target = resolve_target(plan.target, plan.order.kind, places)
        rivals = [resolve_target(one.target, one.kind, places) for one in plan.siblings]
    except TargetError as error:
        raise StoreError(
            f"the names of the run's target are not known any more: {error}"
        ) from error
    return called_as(target, rivals)


def _of_eval_run(folder: Path) -> Callable[[str, Trial], _Asked]:
    """Find what the trials of an eval run were about, in its own record."""
    cases = {(case.suite, case.case.name): case for case in EvalStore(folder).read_cases()}

    def about(suite: str, trial: Trial) -> _Asked:
        case = cases.get((suite, trial.case))
        if case is None:
            raise StoreError(f"run {folder.name}: {suite}: {trial.case!r} is not in its record")
        names = next((one for one in case.called_as if one is not None), None)
        return _Asked(called_as=names, prompt=case.case.prompt, max_turns=case.max_turns)

    return about


def _stream(folder: Path, trial: Trial) -> tuple[bytes, ...] | None:
    """Read what a trial said; None where that was not kept."""
    if trial.transcript is None:
        return None
    try:
        return read_transcript(folder, trial.transcript)
    except StoreError:
        return None


def _read(trial: Trial, lines: tuple[bytes, ...], asked: _Asked, names: CalledAs) -> Reading:
    """Read a stream with today's detector."""
    ending = _OUTSIDE.get(trial.reason or "")
    if ending is None:
        ending = _STOPPED if trial.outcome is not Outcome.UNDECIDED else Ending()
    transcript = parse_stream(lines, prompt=asked.prompt, called_as=names, ending=ending)
    return read_outcome(transcript, names, model_asked=trial.model_asked, max_turns=asked.max_turns)


def _compare(suite: str, trial: Trial, after: Reading) -> Iterator[Changed]:
    before = Reading(
        outcome=trial.outcome,
        reason=trial.reason,
        step=trial.step,
        mode=trial.mode,
        also_fired=trial.also_fired,
    )
    if before != after:
        yield Changed(
            suite=suite,
            case=trial.case,
            candidate=trial.candidate,
            model_asked=trial.model_asked,
            run_index=trial.run_index,
            attempt=trial.attempt,
            before=before,
            after=after,
        )
