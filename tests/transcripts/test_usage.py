"""What a run used and cost: each message once, from one price list, unknown when not seen."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillwalker.datatypes.trials import CalledAs, Usage
from skillwalker.transcripts.events import Tokens
from skillwalker.transcripts.stream import Ending, StreamParser
from skillwalker.transcripts.usage import UsageMeter
from tests.stream_cases import ALPHA, MODEL, VERSIONS

DATA = Path(__file__).parents[1] / "data" / "streams"
KILLED = Ending(exit_code=None, timed_out=True)
TEXT = {"type": "text", "text": "hello"}


def price(model: str, tokens: Tokens) -> float | None:
    """A dollar for ten thousand tokens, of one model only."""
    return ((tokens.input or 0) + (tokens.output or 0)) * 1e-4 if model == MODEL else None


def used(
    lines: list[bytes], ending: Ending | None = None, *, called_as: CalledAs | None = None
) -> Usage:
    parser = StreamParser(price=price, called_as=called_as)
    for line in lines:
        parser.feed(line)
    return parser.finish(ending or Ending()).usage


def recorded(version: str, name: str, *, called_as: CalledAs | None = None) -> Usage:
    lines = (DATA / version / f"{name}.jsonl").read_bytes().splitlines()
    exits = json.loads((DATA / version / "exits.json").read_text())[name]
    return used(lines, Ending(exit_code=exits["exit_code"]), called_as=called_as)


def event(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def message(block: object, *, number: int = 1, model: str = MODEL) -> bytes:
    body = {
        "id": f"msg_{number}",
        "model": model,
        "content": [block],
        "usage": {"input_tokens": 100, "output_tokens": 1},
    }
    return event(type="assistant", message=body)


def streamed(**body: object) -> bytes:
    return event(type="stream_event", event=body)


def start(number: int = 1) -> bytes:
    return streamed(type="message_start", message={"id": f"msg_{number}", "usage": {}})


def piece(**delta: str) -> bytes:
    return streamed(type="content_block_delta", delta=delta)


def end(output_tokens: int) -> bytes:
    return streamed(
        type="message_delta",
        delta={"stop_reason": "end_turn"},
        usage={"output_tokens": output_tokens},
    )


def result(**fields: object) -> bytes:
    whole = {"subtype": "success", "is_error": False, "num_turns": 1, "result": "bye"}
    return event(type="result", total_cost_usd=0.5, **{**whole, **fields})


INIT = event(type="system", subtype="init", claude_code_version="2.1.332", slash_commands=[])
ASKING = event(type="system", subtype="status", status="requesting")
REFUSED = (
    "no-login",
    "no-server",
    "prompt-built-in",
    "status-400-credit",
    "status-401",
    "status-403",
    "status-404",
    "status-429",
    "status-529",
)
UNKNOWN = Usage(cost_usd=None, cost_estimated=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_request_cost_nothing(version: str, name: str) -> None:
    assert recorded(version, name) == Usage(cost_usd=0.0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["silent", "status-500"])
def test_a_server_without_an_answer_has_an_unknown_cost(version: str, name: str) -> None:
    assert recorded(version, name) == UNKNOWN


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="nothing-said"),
        pytest.param([INIT], id="begun"),
        pytest.param([INIT, ASKING], id="asking"),
    ],
)
@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(KILLED, id="timeout"),
        pytest.param(Ending(exit_code=None, idle=True), id="idle"),
        pytest.param(Ending(exit_code=-9), id="killed"),
    ],
)
def test_a_run_ended_before_any_usage_has_an_unknown_cost(
    lines: list[bytes], ending: Ending
) -> None:
    assert used(lines, ending) == UNKNOWN


def test_a_program_that_ends_before_it_asks_cost_nothing() -> None:
    assert used([], Ending(exit_code=1, stderr="unknown option")) == Usage(cost_usd=0.0)
    assert used([INIT, ASKING], Ending(exit_code=1)) == UNKNOWN


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "name", ["text-only", "two-turns-bash-skill", "agent", "skill-forked", "skill-in-subagent"]
)
def test_a_finished_run_counts_what_every_request_used(version: str, name: str) -> None:
    last = json.loads((DATA / version / f"{name}.jsonl").read_bytes().splitlines()[-1])
    (all_used,) = last["modelUsage"].values()
    usage = recorded(version, name)
    tokens = (usage.input_tokens, usage.output_tokens)
    assert tokens == (all_used["inputTokens"], all_used["outputTokens"])
    assert usage.cost_usd == pytest.approx(sum(tokens) * 1e-4)
    assert not usage.cost_estimated


@pytest.mark.parametrize("stopped_by", [result(), b""], ids=["finished", "killed"])
def test_the_total_of_the_cli_is_no_price(stopped_by: bytes) -> None:
    lines = [INIT, start(), message(TEXT), end(40), stopped_by]
    assert used(lines, Ending(exit_code=None)).cost_usd == pytest.approx(0.014)
    other = [INIT, start(), message(TEXT, model="another"), end(40), stopped_by]
    assert used(other, Ending(exit_code=None)).cost_usd is None


def test_a_dated_id_and_its_family_are_one_model() -> None:
    dated = f"{MODEL}-20250929"
    counts = {dated: {"inputTokens": 100, "outputTokens": 40}}
    usage = used([INIT, start(), message(TEXT), end(40), result(modelUsage=counts)])
    assert (usage.input_tokens, usage.output_tokens) == (100, 40)
    assert not usage.cost_estimated


def test_a_request_that_broke_down_after_others_makes_an_estimate() -> None:
    lines = [INIT, start(), message(TEXT), end(40)]
    broken = result(is_error=True, api_error_status=500, result="API Error: 500")
    refused = result(is_error=True, api_error_status=529, result="API Error: 529")
    assert used([*lines, broken]).cost_estimated
    assert not used([*lines, refused]).cost_estimated


@pytest.mark.parametrize(
    ("lines", "output"),
    [
        pytest.param([message(TEXT)], 2, id="a-block"),
        pytest.param([piece(thinking="t" * 400)], 100, id="thinking"),
        pytest.param([piece(text="t" * 400), piece(partial_json="j" * 41)], 111, id="pieces"),
        pytest.param([piece(signature="s" * 400)], 1, id="signature"),
        pytest.param(
            [
                message(
                    {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "x" * 80}}
                )
            ],
            24,
            id="tool-input",
        ),
    ],
)
def test_a_message_that_was_cut_off_is_estimated_from_what_it_wrote(
    lines: list[bytes], output: int
) -> None:
    begun = streamed(
        type="message_start",
        message={"id": "msg_1", "model": MODEL, "usage": {"input_tokens": 100, "output_tokens": 1}},
    )
    usage = used([INIT, begun, *lines], KILLED)
    assert (usage.output_tokens, usage.cost_estimated) == (output, True)
    assert usage.cost_usd == pytest.approx((100 + output) * 1e-4)
    whole = used([INIT, begun, *lines, end(7)], KILLED)
    assert (whole.output_tokens, whole.cost_estimated) == (7, True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_ended_at_its_trigger_is_an_estimate(version: str) -> None:
    stopped = recorded(version, "skill-bare", called_as=ALPHA)
    assert stopped.cost_estimated
    assert 1 < stopped.output_tokens < recorded(version, "skill-bare").output_tokens


def test_a_message_that_was_cut_off_in_a_finished_run_is_an_estimate() -> None:
    usage = recorded("2.1.332", "cut-in-text")
    assert usage.cost_estimated


@given(inputs=st.lists(st.integers(0, 100_000), min_size=1, max_size=8), data=st.data())
def test_messages_cost_the_same_in_whichever_order_they_came(
    inputs: list[int], data: st.DataObject
) -> None:
    numbered = list(enumerate(inputs))
    costs = {_metered(order).cost_usd for order in (numbered, data.draw(st.permutations(numbered)))}
    assert len(costs) == 1


def _metered(messages: Sequence[tuple[int, int]]) -> Usage:
    meter = UsageMeter(lambda _model, tokens: (tokens.input or 0) * 1.1e-6)
    for number, count in messages:
        tokens = Tokens(input=count, output=1)
        meter.add(f"msg_{number}", tokens, is_final=True, model=MODEL)
    return meter.usage({})
