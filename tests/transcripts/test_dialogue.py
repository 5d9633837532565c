from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.recorded import Said, Speaker
from skillwalker.transcripts.dialogue import read_dialogue

STREAMS = Path(__file__).parents[1] / "data" / "streams"


def stream(version: str, name: str) -> list[bytes]:
    return (STREAMS / version / f"{name}.jsonl").read_bytes().splitlines()


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_a_real_stream_reads_turn_by_turn(version: str) -> None:
    said = [
        (one.speaker, one.turn, one.tool or one.text)
        for one in read_dialogue(stream(version, "bash-then-skill"))
    ]
    assert said[:5] == [
        (Speaker.CLAUDE, 1, "On it."),
        (Speaker.TOOL, 1, "Bash"),
        (Speaker.ANSWER, 1, "hi"),
        (Speaker.CLAUDE, 2, "On it."),
        (Speaker.TOOL, 2, "Skill"),
    ]
    assert said[-1] == (Speaker.END, 3, "success")


def test_a_tool_is_shown_with_what_it_was_given() -> None:
    tool = read_dialogue(stream("2.1.332", "bash-then-skill"))[1]
    assert "command: echo hi" in tool.text


def test_a_subagent_speaks_within_the_turn_that_called_it() -> None:
    nested = [one for one in read_dialogue(stream("2.1.332", "agent-foreground")) if one.is_nested]
    assert nested
    assert {one.turn for one in nested} == {1}


def test_an_error_of_the_cli_is_an_end_and_not_claudes_word() -> None:
    said = read_dialogue(stream("2.1.332", "no-login"))
    assert {one.speaker for one in said} == {Speaker.END}
    assert all(one.is_error for one in said)
    assert "Not logged in" in said[0].text


def test_a_refused_tool_is_marked() -> None:
    lines = stream("2.1.332", "bash-denied")
    assert any(one.is_error and one.speaker is Speaker.ANSWER for one in read_dialogue(lines))


@given(st.lists(st.binary(max_size=80), max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_bytes_give_a_dialogue(lines: list[bytes]) -> None:
    assert all(isinstance(one, Said) for one in read_dialogue(lines))


@pytest.mark.parametrize(
    "content",
    ["null", "7", '"words"', "[7, null]", '[{"type": "text"}]', '[{"type": "tool_result"}]'],
)
def test_other_shapes_of_a_message_are_no_error(content: str) -> None:
    for kind in ("assistant", "user"):
        line = f'{{"type": "{kind}", "message": {{"content": {content}}}}}'
        read_dialogue([line.encode()])
