"""Records of an eval run and their rows on disk: one place knows the keys, both ways."""

import dataclasses
from collections.abc import Iterator, Mapping

import pydantic

from skillwalker.datatypes.evals import (
    EvalCase,
    EvalLine,
    EvalOutcome,
    EvalSummary,
    EvalTrial,
    ResultRow,
)
from skillwalker.datatypes.inputs import CallExpectation
from skillwalker.datatypes.judging import JudgeCall
from skillwalker.datatypes.trials import OutputFile
from skillwalker.errors import StoreError
from skillwalker.recording.checked import checked
from skillwalker.recording.records import SCHEMA_VERSION, check_version, trial_row
from skillwalker.recording.rows import read_json

OWN_EVENT = "skillwalker"
"""Type of the event that we write behind those of Claude Code: what was read in them."""

_CASE = pydantic.TypeAdapter(EvalCase)
_TRIAL = pydantic.TypeAdapter(EvalTrial)
_FILE = pydantic.TypeAdapter(OutputFile)
_JUDGE = pydantic.TypeAdapter(JudgeCall)
_JUDGE_KEYS = tuple(field.name for field in dataclasses.fields(JudgeCall))


def case_row(run_id: str, case: EvalCase, *, engine: str) -> dict[str, object]:
    """Make a line of test-config.jsonl: enough to evaluate the case's trials from it alone."""
    record = dataclasses.asdict(case)
    test = record["case"]
    test["scaffold"] = None if case.case.scaffold is None else case.case.scaffold.as_posix()
    for expectation in test["expect"]:
        if "rubric_file" in expectation:
            expectation["rubric_file"] = expectation["rubric_file"].as_posix()
    return {
        "schema_version": SCHEMA_VERSION,
        "test_run_id": run_id,
        "suite": case.suite,
        "test": test,
        "plugins": case.plugins,
        "called_as": [
            None if names is None else {**names, "names": sorted(names["names"])}
            for names in record["called_as"]
        ],
        "runs": case.runs,
        "max_turns": case.max_turns,
        "timeout_s": case.timeout,
        "engine": engine,
    }


def read_case(row: Mapping[str, object]) -> EvalCase:
    """Read a line of test-config.jsonl.

    Raises:
        StoreError: the row is of a newer format, or lacks something.
    """
    check_version(row, "test-config.jsonl")
    keys = ("suite", "plugins", "called_as", "runs", "max_turns")
    values = {key: row.get(key) for key in keys}
    values |= {"case": row.get("test"), "timeout": row.get("timeout_s")}
    case = checked(_CASE, values, "test-config.jsonl")
    is_call = [isinstance(one, CallExpectation) for one in case.case.expect]
    if is_call != [names is not None for names in case.called_as]:
        raise StoreError("test-config.jsonl: called_as does not fit the expectations of the test")
    return case


def event_rows(run_id: str, trial: EvalTrial) -> Iterator[dict[str, object]]:
    """Make the lines of test-run.jsonl for a trial: its events as received, then what was read."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "test_run_id": run_id,
        "suite": trial.suite,
        "test_name": trial.case,
        "run_index": trial.run_index,
        "attempt": trial.attempt,
    }
    for line in trial.transcript.raw:
        yield {**head, "event": _event(line)}
    output = trial.transcript.output
    read = dataclasses.asdict(dataclasses.replace(trial.transcript, raw=(), output=None))
    read["duration_s"] = read.pop("duration")
    del read["raw"]
    # The files themselves are rows of output-files.jsonl.
    read["output"] = None if output is None else {"fault": output.fault}
    yield {
        **head,
        "event": {
            "type": OWN_EVENT,
            "model_asked": trial.model_asked,
            "max_turns": trial.max_turns,
            "engine": trial.engine,
            "simulated": trial.simulated,
            "endpoint": trial.endpoint,
            "permission_mode": trial.permission_mode,
            "transcript": read,
        },
    }


def read_event_row(row: Mapping[str, object]) -> EvalTrial | None:
    """Read a trial from the line that closes it; the events themselves give None.

    Raises:
        StoreError: the row is of a newer format, or lacks something.
    """
    check_version(row, "test-run.jsonl")
    event = row.get("event")
    if not isinstance(event, dict) or event.get("type") != OWN_EVENT:
        return None
    values = {key: value for key, value in event.items() if key != "type"}
    read = values.pop("transcript", None)
    if isinstance(read, dict):
        duration = {"duration": read.get("duration_s")}
        read = {key: value for key, value in read.items() if key != "duration_s"} | duration
    values |= {key: row.get(key) for key in ("suite", "run_index", "attempt")}
    values |= {"case": row.get("test_name"), "transcript": read}
    return checked(_TRIAL, values, "test-run.jsonl")


def output_rows(run_id: str, trial: EvalTrial) -> Iterator[dict[str, object]]:
    """Make the lines of output-files.jsonl for a trial."""
    for file in trial.transcript.output.files if trial.transcript.output is not None else ():
        yield {
            "schema_version": SCHEMA_VERSION,
            "test_run_id": run_id,
            "suite": trial.suite,
            "test_name": trial.case,
            "run_index": trial.run_index,
            "attempt": trial.attempt,
            **dataclasses.asdict(file),
        }


def scaffold_row(run_id: str, suite: str, scaffold: str, file: OutputFile) -> dict[str, object]:
    """Make a line of scaffold-files.jsonl."""
    return {
        "schema_version": SCHEMA_VERSION,
        "test_run_id": run_id,
        "suite": suite,
        "scaffold": scaffold,
        **dataclasses.asdict(file),
    }


def read_file_row(row: Mapping[str, object], name: str) -> OutputFile:
    """Read a file of output-files.jsonl or scaffold-files.jsonl.

    Raises:
        StoreError: the row is of a newer format, or lacks something.
    """
    check_version(row, name)
    keys = ("path", "size", "text", "reason", "link")
    return checked(_FILE, {key: row.get(key) for key in keys}, name)


def line_row(run_id: str, line: EvalLine) -> dict[str, object]:
    """Make a line of trials.jsonl: that of the loop, and what a case of a suite has beside it."""
    return {
        **trial_row(run_id, line.trial),
        "suite": line.suite,
        "case_type": line.case_type,
        "target": line.target,
        "target_kind": line.target_kind,
        "should_trigger": line.expected,
    }


def judge_row(run_id: str, call: JudgeCall) -> dict[str, object]:
    """Make a line of judge.jsonl."""
    return {
        "schema_version": SCHEMA_VERSION,
        "test_run_id": run_id,
        **dataclasses.asdict(call),
    }


def read_judge_row(row: Mapping[str, object]) -> JudgeCall:
    """Read a line of judge.jsonl.

    Raises:
        StoreError: the row is of a newer format, or lacks something.
    """
    check_version(row, "judge.jsonl")
    values = {key: row.get(key) for key in _JUDGE_KEYS}
    return checked(_JUDGE, values, "judge.jsonl")


def result_row(run_id: str, row: ResultRow) -> dict[str, object]:
    """Make a line of test-results.jsonl."""
    return {
        "schema_version": SCHEMA_VERSION,
        "test_run_id": run_id,
        **dataclasses.asdict(row),
        "passed": row.passed,
    }


def eval_summary_record(summary: EvalSummary) -> dict[str, object]:
    """Make test-run-summary.json."""
    record = dataclasses.asdict(summary)
    record["usage"] = {name: dataclasses.asdict(total) for name, total in summary.usage}
    return {"schema_version": SCHEMA_VERSION, **record}


def outcome_record(outcome: EvalOutcome) -> dict[str, object]:
    """Make the JSON object of `evals run` and `evals score`: the summary and every row."""
    run_id = outcome.summary.test_run_id
    return {
        **eval_summary_record(outcome.summary),
        "results": [result_row(run_id, row) for row in outcome.rows],
    }


def _event(line: bytes) -> object:
    """Give an event as it was received; what could not be read again is kept as a text."""
    try:
        return read_json(line)
    except (ValueError, RecursionError):
        return {"type": "text", "text": line.decode(errors="replace")}
