"""A stand-in's script: what is read, what is refused, and who gets which reply."""

import json
from pathlib import Path

import pytest

from skillwalker.errors import ConfigError
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply, Say, Use
from skillwalker.standin.script import Script, by_turn, read_script
from skillwalker.standin.server import MessageRequest

SCRIPT = [
    {"text": "Let me look."},
    {"text": "On it.", "tool": "Skill", "input": {"skill": "demo:review"}, "delay": 2},
    {"tool": "Bash", "input": {"command": "ls"}},
    {"fault": "429:3"},
    {},
]
REPLIES = (
    Reply(blocks=(Say("Let me look."),)),
    Reply(blocks=(Say("On it."), Use("Skill", {"skill": "demo:review"})), delay=2.0),
    Reply(blocks=(Use("Bash", {"command": "ls"}),)),
    Reply(fault=InjectedFault(kind=FaultKind.STATUS, status=429, retry_after=3.0)),
    Reply(),
)


def write(folder: Path, content: object) -> Path:
    path = folder / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_replies_are_read_as_written(tmp_path: Path) -> None:
    assert read_script(write(tmp_path, SCRIPT)) == Script(replies=REPLIES)


def test_replies_to_judges_stand_apart(tmp_path: Path) -> None:
    found = read_script(write(tmp_path, [{"judge": {"a": "passed"}}, {"text": "x"}]))
    assert found.judgements == ({"a": "passed"},)
    assert found.replies == (Reply(blocks=(Say("x"),)),)
    assert read_script(write(tmp_path, [{"judge": {}}])).replies[0].blocks == (Say("Done."),)


WRONG = [
    pytest.param("[{", "no JSON", id="no JSON"),
    pytest.param([], "the whole file", id="no reply"),
    pytest.param({"text": "x"}, "the whole file", id="no list"),
    pytest.param([{}, {"txt": "x"}], "reply 2, txt", id="an unknown key"),
    pytest.param([{"text": 3}], "reply 1, text", id="a wrong type"),
    pytest.param([{"delay": -1}], "reply 1, delay", id="a wait that is none"),
    pytest.param([{"input": {"a": 1}}], "reply 1: input needs the tool", id="input alone"),
    pytest.param([{}, {"fault": "bogus"}], "reply 2: .*bogus", id="an unknown fault"),
    pytest.param([{"judge": {"a": "good"}}], "reply 1, judge", id="no verdict"),
    pytest.param([{"judge": {}, "text": "x"}], "reply 1: judge stands alone", id="judge and text"),
    pytest.param([{"fault": "529,ok"}], "reply 1: one reply has one fault", id="two faults"),
]


@pytest.mark.parametrize(("content", "words"), WRONG)
def test_what_is_no_script_is_refused_with_its_place(
    tmp_path: Path, content: object, words: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(ConfigError, match=words) as refused:
        read_script(path)
    assert str(path) in str(refused.value)


def test_a_missing_script_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_script(tmp_path / "none.json")


def asked(turn: int, text: str = "Hello.") -> MessageRequest:
    messages: list[dict[str, object]] = [{"role": "user", "content": text}]
    for _ in range(turn - 1):
        messages += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "more"}]
    return MessageRequest(prefix="", number=9, headers={}, body={"messages": messages}, raw=b"")


def test_each_conversation_gets_the_script_and_an_improver_does_not() -> None:
    improved = Reply(blocks=(Say("improved"),))
    answer = by_turn(Script(replies=REPLIES[:2]), otherwise=lambda _asked: improved)
    turns = [answer(asked(turn)) for turn in (1, 2, 3, 1)]
    assert turns == [REPLIES[0], REPLIES[1], REPLIES[1], REPLIES[0]]
    assert answer(asked(1, "Improve:\n<brief>\n{}\n</brief>\n")) == improved


JUDGING = (
    '<criteria>\n[{"id": "c1", "criterion": "a"}, {"id": "c2", "criterion": "b"}]\n</criteria>'
)


def verdicts_of(reply: Reply) -> list[str]:
    (block,) = reply.blocks
    assert isinstance(block, Say)
    return [one["verdict"] for one in json.loads(block.text)["verdicts"]]


def test_judges_get_their_own_replies_in_order() -> None:
    script = Script(replies=REPLIES[:1], judgements=({"a": "passed"}, {"*": "unknown"}))
    answer = by_turn(script, otherwise=lambda _asked: Reply())
    said = [verdicts_of(answer(asked(1, f"Grade:\n{JUDGING}"))) for _ in range(3)]
    assert said == [["passed", "failed"], ["unknown", "unknown"], ["unknown", "unknown"]]
    unscripted = by_turn(Script(replies=REPLIES[:1]), otherwise=lambda _asked: Reply())
    assert unscripted(asked(1, f"Grade:\n{JUDGING}")) == Reply()
