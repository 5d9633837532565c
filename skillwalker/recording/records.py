"""Records of a run and their rows on disk: one place knows the keys, both ways.

Every row has `schema_version`; a reader refuses a newer one by name instead of guessing.
"""

import dataclasses
from collections.abc import Iterable, Mapping

import pydantic

from skillwalker.datatypes.improver import Answer, Exchange
from skillwalker.datatypes.scores import CaseResult, Iteration
from skillwalker.datatypes.trials import Trial, TrialKey, Usage
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.errors import StoreError
from skillwalker.metrics.built_in import track_results
from skillwalker.metrics.rows import tracked_row
from skillwalker.recording.checked import checked
from skillwalker.steps.step_5_score import score

SCHEMA_VERSION = 1

_TRIAL = pydantic.TypeAdapter(Trial)
_USAGE = pydantic.TypeAdapter(Usage)
_NUMBER = pydantic.TypeAdapter(int)
_USAGE_KEYS = tuple(field.name for field in dataclasses.fields(Usage))


def trial_key(trial: Trial) -> TrialKey:
    """What tells this trial from the others of its run."""
    return TrialKey(
        candidate=trial.candidate,
        case=trial.case,
        model_asked=trial.model_asked,
        run_index=trial.run_index,
        attempt=trial.attempt,
    )


def with_transcript(trial: Trial, path: str) -> Trial:
    """Say where the trial's stream lies."""
    return dataclasses.replace(trial, transcript=path)


def trial_row(run_id: str, trial: Trial) -> dict[str, object]:
    """Make a line of trials.jsonl."""
    usage = trial.usage
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "case": trial.case,
        "set": trial.set,
        "candidate": trial.candidate,
        "iteration": trial.iteration,
        "run_index": trial.run_index,
        "attempt": trial.attempt,
        "model": trial.model,
        "model_asked": trial.model_asked,
        "engine": trial.engine,
        "endpoint": trial.endpoint,
        "permission_mode": trial.permission_mode,
        "cli_version": trial.cli_version,
        "effort": trial.effort,
        "cell_key": trial.cell_key,
        "outcome": trial.outcome,
        "reason": trial.reason,
        "step": trial.step,
        "turns": trial.turns,
        "mode": trial.mode,
        "also_fired": trial.also_fired,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "cost_usd": usage.cost_usd,
        "cost_estimated": usage.cost_estimated,
        "duration_s": trial.duration,
        "transcript": trial.transcript,
    }


def read_trial(row: Mapping[str, object]) -> Trial:
    """Read a line of trials.jsonl.

    Raises:
        StoreError: the row is of a newer format, or lacks something.
    """
    check_version(row, "trials.jsonl")
    values = {key: value for key, value in row.items() if key not in _USAGE_KEYS}
    values["usage"] = {key: row.get(key) for key in _USAGE_KEYS}
    values["duration"] = values.pop("duration_s", None)
    for key in ("schema_version", "run_id"):
        values.pop(key, None)
    return checked(_TRIAL, values)


def check_version(row: Mapping[str, object], name: str) -> None:
    """Refuse a record that a newer Skillwalker wrote.

    Raises:
        StoreError: the version is unknown.
    """
    version = row.get("schema_version")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{name} has schema_version {version!r}, this Skillwalker reads {SCHEMA_VERSION};"
            " use the version that wrote it, or a newer one"
        )


def answer_rows(
    run_id: str, number: int, answer: Answer, *, is_whole: bool = True
) -> Iterable[dict[str, object]]:
    """Make the lines of improver.jsonl for one proposal: a line a call, the answer on the last."""
    for index, exchange in enumerate(answer.exchanges):
        last = is_whole and index == len(answer.exchanges) - 1
        yield {
            "schema_version": SCHEMA_VERSION,
            "run_id": run_id,
            "proposal": number,
            "call": index,
            "prompt": exchange.prompt,
            "answer": exchange.reply,
            "fault": exchange.fault,
            "model": exchange.model,
            "usage": dataclasses.asdict(exchange.usage),
            "final": last,
            "description": answer.description if last else None,
            "reason": answer.reason if last else None,
        }


def read_answers(rows: Iterable[Mapping[str, object]]) -> dict[int, Answer]:
    """Read the whole proposals of improver.jsonl; one that was cut off is left out.

    Raises:
        StoreError: a row is of a newer format, or lacks something.
    """
    answers: dict[int, Answer] = {}
    exchanges: list[Exchange] = []
    for line, row in enumerate(rows, start=1):
        where = f"improver.jsonl, line {line}"
        check_version(row, where)
        if row.get("call") == 0:
            exchanges = []
        exchanges.append(read_exchange(row, where=f"{where}: "))
        if row.get("final"):
            description = row.get("description")
            number = read_number(row, "proposal", where)
            answers[number] = Answer(
                description=None if description is None else str(description),
                reason=str(row.get("reason") or ""),
                exchanges=tuple(exchanges),
            )
    return answers


def read_number(row: Mapping[str, object], key: str, where: str) -> int:
    """Read the number that tells a row from the others.

    Raises:
        StoreError: it has none.
    """
    return checked(_NUMBER, row.get(key), f"{where}: {key}")


def read_exchange(row: Mapping[str, object], *, where: str = "") -> Exchange:
    """Read one improver call.

    Args:
        row: as it was written.
        where: begins the message where the caller does not name the line.

    Raises:
        StoreError: what it used is not there.
    """
    fault = row.get("fault")
    return Exchange(
        prompt=str(row.get("prompt")),
        reply=str(row.get("answer")),
        fault=None if fault is None else str(fault),
        model=str(row.get("model")),
        usage=checked(_USAGE, row.get("usage"), f"{where}usage"),
    )


def iteration_row(run_id: str, iteration: Iteration) -> dict[str, object]:
    """Make a line of scil-iteration.jsonl and its siblings."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "iteration": iteration.number,
        "phase": iteration.phase,
        "candidate": iteration.candidate,
        "description": iteration.description,
        **{side.value: _set_score(iteration, side) for side in (CaseSet.TRAIN, CaseSet.HOLDOUT)},
        "cases": [_case_row(result) for result in iteration.results],
        "metrics": [
            tracked_row(one) for one in (*iteration.metrics, *track_results(iteration.results))
        ],
    }


def _set_score(iteration: Iteration, side: CaseSet) -> dict[str, object]:
    """Score one side of an iteration."""
    figures = score(iteration.results, side)
    return {
        "passed": figures.passed,
        "failed": figures.failed,
        "undecided": figures.undecided,
        "total": figures.total,
        "accuracy": figures.accuracy,
    }


def _case_row(result: CaseResult) -> dict[str, object]:
    """Tell how a case did."""
    return {
        "case": result.case.name,
        "set": result.set,
        "should_trigger": result.case.should_trigger,
        "model": result.case.model,
        "triggered": result.triggered,
        "not_triggered": result.not_triggered,
        "undecided": result.undecided,
        "passed": result.passed,
    }
