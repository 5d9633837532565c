"""Recorded streams of both CLI versions, each with what it must say; and streams gone wrong."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.trials import Reading, Transcript
from skillwalker.datatypes.vocabulary import Mode, Outcome
from skillwalker.transcripts.outcome import read_outcome
from skillwalker.transcripts.stream import Ending, StreamParser, parse_stream
from tests.stream_cases import ALPHA, CASES, MODEL, VERSIONS, StreamCase

DATA = Path(__file__).parents[1] / "data" / "streams"
RECORDED = [
    pytest.param(version, case, id=f"{version}-{case.name}")
    for version in VERSIONS
    for case in CASES
]


def lines_of(version: str, name: str) -> list[bytes]:
    return (DATA / version / f"{name}.jsonl").read_bytes().splitlines()


def ending_of(version: str, name: str) -> Ending:
    recorded = json.loads((DATA / version / "exits.json").read_text())[name]
    return Ending(exit_code=recorded["exit_code"], stderr=recorded["stderr"], duration=1.0)


def read(transcript: Transcript, case: StreamCase) -> Reading:
    return read_outcome(transcript, case.called_as, model_asked=MODEL, max_turns=case.max_turns)


@pytest.mark.parametrize(("version", "case"), RECORDED)
def test_a_recorded_stream_says_what_it_must(version: str, case: StreamCase) -> None:
    transcript = parse_stream(
        lines_of(version, case.name),
        prompt=case.prompt,
        called_as=None,
        ending=ending_of(version, case.name),
    )
    reading = read(transcript, case)
    means = case.meaning(version)
    seen = (reading.outcome, reading.reason, reading.step, reading.mode, reading.also_fired)
    assert seen == (means.outcome, means.reason, means.step, means.mode, means.also), (
        transcript.detail
    )
    assert transcript.cli_version == version


@pytest.mark.parametrize(("version", "case"), RECORDED)
def test_stopping_at_the_first_call_says_the_same(version: str, case: StreamCase) -> None:
    lines = lines_of(version, case.name)
    whole = parse_stream(lines, prompt=case.prompt, ending=ending_of(version, case.name))
    stopped = parse_stream(
        lines,
        prompt=case.prompt,
        called_as=case.called_as,
        ending=ending_of(version, case.name),
    )
    assert read(stopped, case) == read(whole, case)
    if read(whole, case).outcome is Outcome.TRIGGERED:
        assert len(stopped.raw) < len(whole.raw)
        assert stopped.turns >= (read(stopped, case).step or 0)


def event(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def message(*blocks: object, number: int = 1, **fields: object) -> bytes:
    body = {
        "id": f"msg_{number}",
        "model": MODEL,
        "content": list(blocks),
        "stop_reason": None,
        "usage": {"input_tokens": 100, "output_tokens": 1},
    }
    return event(type="assistant", message=body, parent_tool_use_id=None, **fields)


def use(tool: str, **given: object) -> dict[str, object]:
    return {"type": "tool_use", "id": f"toolu_{tool}", "name": tool, "input": given}


INIT = event(type="system", subtype="init", claude_code_version="2.1.332", slash_commands=[])
SKILL_CALL = message(use("Skill", skill="demo:alpha"))
BASH_CALL = message(use("Bash", command="ls"))
TEXT = {"type": "text", "text": "hello"}
START = event(type="system", subtype="status", status="requesting")
RESULT = event(
    type="result", subtype="success", is_error=False, num_turns=1, result="bye", total_cost_usd=0.5
)


def outcome(lines: list[bytes], ending: Ending | None = None) -> Reading:
    transcript = parse_stream(lines, ending=ending)
    return read_outcome(transcript, ALPHA, model_asked=MODEL, max_turns=4)


def test_lines_that_are_no_events_are_passed_over() -> None:
    noise = [b"", b"warning: something", b"{not json", b"[1]", b"null", b'{"type": 7}', b"\xff\xfe"]
    noise += [event(type="brand_new", message=None), event(type="assistant"), event(type="user")]
    noise += [event(type="assistant", message={"content": ["x", {"type": "tool_use", "input": 3}]})]
    reading = outcome([INIT, *noise, SKILL_CALL, *noise, RESULT])
    assert (reading.outcome, reading.mode) == (Outcome.TRIGGERED, Mode.TOOL)


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_an_event_split_over_lines_is_put_together(parts: int) -> None:
    size = -(-len(SKILL_CALL) // parts)
    pieces = [SKILL_CALL[at : at + size] for at in range(0, len(SKILL_CALL), size)]
    assert outcome([INIT, *pieces, RESULT]).outcome is Outcome.TRIGGERED


def test_a_torn_last_line_is_no_call() -> None:
    reading = outcome([INIT, BASH_CALL, SKILL_CALL[:-40]], Ending(exit_code=None))
    assert (reading.outcome, reading.reason) == (Outcome.UNDECIDED, "crash")


TURNS = [INIT, BASH_CALL, message(TEXT, number=2), message(TEXT, number=3)]
ENDINGS = {
    "no line at all": ([], Ending(exit_code=0), "unfinished"),
    "crash": (TURNS, Ending(exit_code=139), "crash"),
    "killed": (TURNS, Ending(exit_code=None), "crash"),
    "ended without a result": (TURNS, Ending(exit_code=0), "unfinished"),
    "wall clock before two whole turns": (TURNS[:3], Ending(timed_out=True), "timeout"),
    "wall clock before any": (TURNS[:1], Ending(timed_out=True), "timeout"),
    "wall clock after two whole turns": (TURNS, Ending(timed_out=True), None),
    "silence": (TURNS, Ending(idle=True), "idle"),
    "crash after the result": ([*TURNS, RESULT], Ending(exit_code=139), "crash"),
    "ended by us after the result": ([*TURNS, RESULT], Ending(exit_code=None), None),
    "wall clock after the result": ([*TURNS[:2], RESULT], Ending(timed_out=True), None),
}


@pytest.mark.parametrize(("lines", "ending", "reason"), ENDINGS.values(), ids=ENDINGS.keys())
def test_how_the_process_ended(lines: list[bytes], ending: Ending, reason: str | None) -> None:
    expected = Outcome.NOT_TRIGGERED if reason is None else Outcome.UNDECIDED
    reading = outcome(lines, ending)
    assert (reading.outcome, reading.reason) == (expected, reason)
    with_call = outcome([INIT, SKILL_CALL, *lines], ending)
    assert with_call.outcome is Outcome.TRIGGERED


def test_the_error_on_stderr_is_the_detail_of_a_crash() -> None:
    transcript = parse_stream(
        [], ending=Ending(exit_code=1, stderr="error: unknown option '--x'\n")
    )
    assert transcript.failure == "crash"
    assert transcript.detail == "Claude Code ended with exit code 1: error: unknown option '--x'"


def test_of_several_errors_the_first_says_why_a_run_failed() -> None:
    refused = message(TEXT, error="rate_limit")
    later = message(TEXT, number=2, error="billing_error")
    ending = Ending(exit_code=1)
    assert outcome([INIT, refused, later], ending).reason == "rate"
    assert outcome([INIT, later, refused], ending).reason == "billing"
    failed = event(type="result", subtype="success", is_error=True, num_turns=1, result="x")
    assert outcome([INIT, refused, later, failed], ending).reason == "rate"


def test_a_plugin_that_was_not_loaded_is_a_set_up_error() -> None:
    broken = event(
        type="system", subtype="init", claude_code_version="2", plugin_errors=[{"message": "gone"}]
    )
    reading = outcome([broken, message(TEXT), RESULT])
    assert (reading.outcome, reading.reason) == (Outcome.UNDECIDED, "set_up")


def test_a_call_after_a_change_of_the_model_does_not_count() -> None:
    other = json.loads(SKILL_CALL)
    other["message"] |= {"id": "msg_2", "model": "claude-haiku-4-5"}
    reading = outcome([INIT, BASH_CALL, event(**other), RESULT])
    assert (reading.outcome, reading.reason) == (Outcome.UNDECIDED, "fallback")
    before = outcome([INIT, SKILL_CALL, event(**other), RESULT])
    assert before.outcome is Outcome.TRIGGERED


def test_a_refused_call_is_marked() -> None:
    answer = {"type": "tool_result", "tool_use_id": "toolu_Skill", "is_error": True}
    lines = [INIT, SKILL_CALL, event(type="user", message={"content": [answer]}), RESULT]
    (made,) = parse_stream(lines).calls
    assert made.refused
    (unanswered,) = parse_stream([INIT, SKILL_CALL]).calls
    assert not unanswered.refused


def delta(output_tokens: int) -> bytes:
    body = {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": output_tokens},
    }
    return event(type="stream_event", event=body, parent_tool_use_id=None)


def start(number: int) -> bytes:
    body = {"type": "message_start", "message": {"id": f"msg_{number}", "usage": {}}}
    return event(type="stream_event", event=body, parent_tool_use_id=None)


def test_blocks_of_one_message_are_counted_once() -> None:
    two_blocks = [start(1), message(TEXT), message(use("Bash")), delta(40)]
    usage = parse_stream([INIT, *two_blocks, RESULT]).usage
    assert (usage.input_tokens, usage.output_tokens) == (100, 40)
    assert (usage.cost_usd, usage.cost_estimated) == (None, False)


def test_a_turn_is_whole_when_its_message_has_ended() -> None:
    lines = [INIT, start(1), message(TEXT), delta(4), start(2), message(TEXT, number=2)]
    assert outcome(lines, Ending(timed_out=True)).reason == "timeout"
    assert outcome([*lines, delta(4)], Ending(timed_out=True)).outcome is Outcome.NOT_TRIGGERED


def test_a_run_with_two_results_is_over_with_the_second() -> None:
    busy = event(type="system", subtype="background_tasks_changed", tasks=[{"task_id": "a"}])
    idle = event(type="system", subtype="background_tasks_changed", tasks=[])
    parser = StreamParser()
    over = [parser.feed(line) or parser.is_over for line in (INIT, busy, RESULT, idle, RESULT)]
    assert over == [False, False, False, False, True]
    again = [parser.feed(START) or parser.is_over, parser.feed(RESULT) or parser.is_over]
    assert again == [False, True]
    first_failed = event(type="result", subtype="success", is_error=True, api_error_status=529)
    assert outcome([INIT, message(TEXT), first_failed, RESULT]).reason == "overloaded"


@pytest.mark.parametrize(
    ("status", "delay_ms", "ends"),
    [
        pytest.param(429, 3_600_000, True, id="an hour"),
        pytest.param(429, 20_001, True, id="just too long"),
        pytest.param(429, 20_000, False, id="bearable"),
        pytest.param(529, 3_600_000, False, id="no rate limit"),
        pytest.param(429, None, False, id="of unknown length"),
    ],
)
def test_a_long_wait_for_a_rate_limit_ends_the_trial(
    status: int, delay_ms: int | None, ends: bool
) -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "retry_delay_ms": delay_ms,
        "error_status": status,
    }
    parser = StreamParser(prompt="p")
    assert parser.feed(json.dumps(retry).encode()) is ends
    assert parser.feed(b'{"type": "system"}') is ends
    transcript = parser.finish(Ending(exit_code=None))
    assert (transcript.failure == "rate") is ends
    assert transcript.retry_after == (delay_ms / 1000 if ends and delay_ms else None)
    assert transcript.calls == ()
    if ends:
        assert (transcript.usage.cost_usd, transcript.turns) == (0.0, 0)
        assert "wait for" in (transcript.detail or "")


def test_a_rejected_rate_limit_says_when_it_ends() -> None:
    info = {"status": "rejected", "resetsAt": 1796042443}
    limited = event(type="rate_limit_event", rate_limit_info=info)
    allowed = event(type="rate_limit_event", rate_limit_info={**info, "status": "allowed_warning"})
    assert parse_stream([INIT, limited]).resets_at == 1796042443.0
    assert parse_stream([INIT, allowed]).resets_at is None


pieces = st.sampled_from(
    [INIT, SKILL_CALL, BASH_CALL, RESULT, b"{", b'{"type":"user","message":{"content":"x"}}']
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(pieces, st.binary(max_size=30)), max_size=8), st.integers(-2, 2))
def test_any_bytes_give_a_transcript(lines: list[bytes], exit_code: int) -> None:
    reading = outcome(lines, Ending(exit_code=exit_code))
    if SKILL_CALL in lines and b"{" not in lines:
        assert reading.outcome is not Outcome.NOT_TRIGGERED
    if RESULT not in lines:
        assert reading.outcome is not Outcome.NOT_TRIGGERED


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = ["type", "subtype", "message", "event", "error", "num_turns", "slash_commands", "content"]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["assistant", "user", "system", "result", "stream_event", "rate_limit_event"]),
    st.dictionaries(st.sampled_from(FIELDS), json_values),
)
def test_events_of_any_shape_are_read(kind: str, fields: dict[str, object]) -> None:
    line = event(**{**fields, "type": kind})
    transcript = parse_stream([INIT, line, SKILL_CALL, RESULT])
    assert [call.name for call in transcript.calls] == ["demo:alpha"]
