"""Says whether what a case expects was met, by one trial and over all its runs (pure).

What a judge is needed for is graded elsewhere (`judge_rows`); here it is only said whether there is
an answer to grade.

A trial that went wrong never fails an expectation: it says nothing about it, and the row's status
is `infrastructure`. A call that was seen before a failure still counts, as in `transcript.py`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from skillwalker.datatypes.evals import Check, EvalCase, EvalTrial, ResultRow, Status
from skillwalker.datatypes.inputs import (
    CallExpectation,
    Expectation,
    JudgeExpectation,
    TextExpectation,
)
from skillwalker.datatypes.trials import CalledAs, Reading, Transcript
from skillwalker.datatypes.vocabulary import Mode, Outcome
from skillwalker.targets.kind import KINDS
from skillwalker.transcripts.outcome import is_model_asked, read_outcome

TURN_LIMIT = "turn_limit"
"""The turn limit came before the answer: it is ours as often as the user's, so it is no failure,
but running the trial again would change nothing."""
NOT_RUN = "was not run"
NO_JUDGE = "no judge was asked"

_USED_OTHERWISE = {
    Mode.COMMAND: "was named by the prompt itself as a slash command",
    Mode.NESTED: "was used only inside a subagent",
    Mode.READ: "had its file read, which is no call",
}


def check(expectation: Expectation, trial: EvalTrial, called_as: CalledAs | None) -> Check:
    """Say what a trial means for an expectation.

    Args:
        expectation: one claim of the case.
        trial: the last attempt of a run.
        called_as: the names of the target that a call expectation speaks of.
    """
    match expectation:
        case CallExpectation():
            return _check_call(expectation, trial, called_as)
        case TextExpectation():
            return missing_answer(trial) or _check_text(expectation, trial.transcript.answer)
        case JudgeExpectation():
            return missing_answer(trial) or Check(status=Status.UNKNOWN, why=NO_JUDGE)


def undecided_reason(case: EvalCase, trial: EvalTrial) -> str | None:
    """Name why a trial says nothing about something that its case expects; None if it says all."""
    checks = (
        check(expectation, trial, names)
        for expectation, names in zip(case.case.expect, case.called_as, strict=True)
    )
    return next((found.reason for found in checks if found.reason is not None), None)


def evaluate_case(
    case: EvalCase,
    trials: Sequence[EvalTrial],
    *,
    cause: str | None = None,
    judged: Mapping[int, tuple[ResultRow, ...]] | None = None,
) -> tuple[ResultRow, ...]:
    """Make the rows of a case, one for each expectation, and for a rubric those of its criteria.

    An expectation is met when more of its decided runs say so than say no. Source: the majority
    vote of the loop (`CaseResult.passed`).

    Args:
        case: what was expected.
        trials: the last attempt of each run; none when the run ended before it.
        cause: why the run ended early, for the cases that were not run.
        judged: the rows of each rubric, by the place of its expectation.
    """
    rows: list[ResultRow] = []
    pairs = zip(case.case.expect, case.called_as, strict=True)
    for place, (expectation, names) in enumerate(pairs):
        if judged is not None and place in judged:
            rows += judged[place]
            continue
        checks = [check(expectation, trial, names) for trial in trials]
        rows.append(vote(case, expectation, checks, cause))
    return tuple(rows)


def status_of(rows: Sequence[ResultRow]) -> Status:
    """Say how a case ended: one failure fails it, and what is not known is not passed.

    Of a rubric only the sum counts: its threshold says how many criteria may fail.
    """
    found = {row.status for row in rows if row.criterion is None}
    order = (Status.FAILED, Status.INFRASTRUCTURE, Status.UNKNOWN)
    return next((status for status in order if status in found), Status.PASSED)


def _check_call(
    expectation: CallExpectation, trial: EvalTrial, called_as: CalledAs | None
) -> Check:
    if called_as is None:
        raise ValueError(f"a call expectation needs the names of {expectation.target!r}")
    reading = read_outcome(
        trial.transcript, called_as, model_asked=trial.model_asked, max_turns=trial.max_turns
    )
    if reading.outcome is Outcome.UNDECIDED:
        return _nothing(reading.reason or "unfinished", trial.transcript.detail)
    met = (reading.outcome is Outcome.TRIGGERED) is expectation.expected
    return Check(
        status=Status.PASSED if met else Status.FAILED,
        why=_what_happened(expectation.target, reading, trial.transcript),
    )


def _what_happened(target: str, reading: Reading, transcript: Transcript) -> str:
    """Tell whether the target was called, and what was called beside it."""
    if reading.outcome is Outcome.TRIGGERED:
        said = f"{target} was called at turn {reading.step}"
    elif reading.mode is not None:
        said = f"{target} {_USED_OTHERWISE.get(reading.mode, 'was not called')}"
    else:
        turns = "1 turn" if transcript.turns == 1 else f"{transcript.turns} turns"
        said = f"{target} was not called within {turns}"
    others = ", ".join(reading.also_fired)
    return f"{said}; also called: {others}" if others else said


def _check_text(expectation: TextExpectation, answer: str) -> Check:
    if not answer.strip():
        return Check(status=Status.FAILED, why="the answer is empty")
    found = expectation.text in answer
    return Check(
        status=Status.PASSED if found is expectation.contains else Status.FAILED,
        why="the answer contains it" if found else "the answer does not contain it",
    )


def missing_answer(trial: EvalTrial) -> Check | None:
    """Say why a trial's last words are not Claude's answer; None where they are."""
    transcript = trial.transcript
    if transcript.failure is not None:
        return _nothing(transcript.failure, transcript.detail)
    if not is_model_asked(transcript.model, trial.model_asked):
        return _nothing("wrong_model", f"{trial.model_asked} was asked, not {transcript.model}")
    if transcript.timed_out:
        return _nothing("timeout", 'the time ran out before the answer; raise "timeout"')
    if transcript.turns == 0:
        return _nothing("no_request", "Claude Code sent no request")
    if transcript.ended_by_limit:
        detail = f'{trial.max_turns} turns ended before the answer; raise "maxTurns"'
        return _nothing(TURN_LIMIT, detail)
    return None


def _nothing(reason: str, detail: str | None) -> Check:
    """Say that a trial says nothing."""
    why = f"the trial says nothing: {reason}" + (f" ({detail})" if detail else "")
    return Check(status=Status.INFRASTRUCTURE, why=why, reason=reason)


def vote(
    case: EvalCase, expectation: Expectation, checks: Sequence[Check], cause: str | None
) -> ResultRow:
    """Vote over the runs of a case."""
    counts = Counter(one.status for one in checks)
    passed, failed = counts[Status.PASSED], counts[Status.FAILED]
    status = _majority(counts)
    expect_type, value = _written(expectation)
    call = expectation if isinstance(expectation, CallExpectation) else None
    judge = expectation if isinstance(expectation, JudgeExpectation) else None
    return ResultRow(
        suite=case.suite,
        test_name=case.case.name,
        expect_type=expect_type,
        expect_value=value,
        status=status,
        reasoning=_reasoning(status, checks, cause),
        target=call.target if call else None,
        runs_passed=passed,
        runs_failed=failed,
        runs_undecided=case.runs - passed - failed,
        judge_model=judge.model if judge else None,
        rubric_file=value if judge else None,
    )


def _majority(counts: Counter[Status]) -> Status:
    """Say what most decided runs say; a tie is not known."""
    passed, failed = counts[Status.PASSED], counts[Status.FAILED]
    if passed != failed:
        return Status.PASSED if passed > failed else Status.FAILED
    return Status.INFRASTRUCTURE if not counts or counts[Status.INFRASTRUCTURE] else Status.UNKNOWN


def _reasoning(status: Status, checks: Sequence[Check], cause: str | None) -> str:
    """Quote the first run that says what the row says."""
    if not checks:
        return f"{NOT_RUN}: {cause or 'the run ended before it'}"
    agreeing = [one for one in checks if one.status is status]
    why = (agreeing or checks)[0].why
    return why if len(checks) == 1 else f"{why} ({len(agreeing)} of {len(checks)} runs say so)"


def _written(expectation: Expectation) -> tuple[str, str]:
    """Give the key and the value of an expectation as tests.json has them."""
    match expectation:
        case CallExpectation(kind=kind, expected=expected):
            return KINDS[kind].expectation, "true" if expected else "false"
        case TextExpectation(text=text, contains=contains):
            return ("result-contains" if contains else "result-does-not-contain"), text
        case JudgeExpectation(rubric_file=rubric):
            return "llm-judge", rubric.as_posix()
