"""How the stand-in chooses: by the listing that was sent, an improver by its brief, and faults."""

import json
from dataclasses import replace

import pytest

from skillwalker.datatypes.drafts import DraftRequest
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.drafting.draft import write_prompt
from skillwalker.errors import ConfigError
from skillwalker.standin.behaviour import RoutedBehaviour
from skillwalker.standin.fault_words import faults_in_path, parse_faults
from skillwalker.standin.replies import FaultKind, InjectedFault, Reply, Say, Use
from skillwalker.standin.server import MessageRequest

LISTING = """<system-reminder>
Available agent types for the Agent tool:
- demo:gap-finder: Compares a plan with the code; finds what is missing. (Tools: All tools)

When you launch multiple agents, do so.
</system-reminder>
<system-reminder>
The following skills are available for use with the Skill tool:

- demo:change-review: Reviews code changes. Use when someone wants a diff checked before the merge.
- demo:release-notes: Writes a changelog of what is new in a version.
</system-reminder>"""
TOOLS = [{"name": "Skill"}, {"name": "Agent"}]


def asked(
    prompt: str, *, turns: int = 0, tools: object = None, listing: str = LISTING
) -> MessageRequest:
    blocks = [{"type": "text", "text": listing}, {"type": "text", "text": prompt}]
    messages: list[object] = [{"role": "user", "content": blocks}]
    messages += [{"role": "assistant", "content": "x"}] * turns
    body: dict[str, object] = {"messages": messages, "tools": TOOLS if tools is None else tools}
    return MessageRequest(prefix="", number=1, headers={}, body=body, raw=b"")


def tool_calls(reply: Reply) -> list[tuple[str, object]]:
    return [
        (block.tool, block.input.get("skill") or block.input.get("subagent_type"))
        for block in reply.blocks
        if isinstance(block, Use)
    ]


CHOICES = {
    "skill": ("Please check this diff before the merge.", [("Skill", "demo:change-review")]),
    "neighbour": ("Write the changelog of the new version.", [("Skill", "demo:release-notes")]),
    "agent": ("Compare the plan with the code: what is missing?", [("Agent", "demo:gap-finder")]),
    "by name": ("Use the release-notes skill now.", [("Skill", "demo:release-notes")]),
    "nothing": ("What is the capital of Norway?", []),
}


@pytest.mark.parametrize(("prompt", "calls"), CHOICES.values(), ids=CHOICES.keys())
def test_the_listing_decides(prompt: str, calls: list[tuple[str, str]]) -> None:
    assert tool_calls(RoutedBehaviour()(asked(prompt))) == calls


def test_what_is_not_listed_or_has_no_tool_is_not_called() -> None:
    prompt = CHOICES["skill"][0]
    assert tool_calls(RoutedBehaviour()(asked(prompt, listing="hello"))) == []
    assert tool_calls(RoutedBehaviour()(asked(prompt, tools=[{"name": "Agent"}]))) == []


def test_a_later_turn_ends_the_conversation() -> None:
    reply = RoutedBehaviour(delay=0.5)(asked(CHOICES["skill"][0], turns=1))
    assert reply == Reply(blocks=(Say("Done."),), delay=0.5)


def test_repeats_differ_as_a_model_would_and_come_again_with_the_seed() -> None:
    vague = asked("Have a look at the changes in this code.")

    def draws(seed: int) -> list[bool]:
        behaviour = RoutedBehaviour(seed=seed)
        return [bool(tool_calls(behaviour(vague))) for _ in range(60)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


BRIEF = {
    "kind": "skill",
    "name": "change-review",
    "body": "Check the diff of a commit for faults before it is merged.",
    "current": "Helps.",
    "operator": "rewrite",
    "failures": [],
    "successes": [],
    "history": [],
    "siblings": [],
    "max_chars": 1024,
    "when_to_use": None,
}
IMPROVE = f"Improve it.\n<brief>\n{json.dumps(BRIEF)}\n</brief>\n"


def test_an_improver_gets_a_description() -> None:
    (block,) = RoutedBehaviour()(asked(IMPROVE, listing="")).blocks
    assert isinstance(block, Say)
    answer = json.loads(block.text)
    assert len(answer["description"]) > 20
    assert answer["description"] != "Helps."


def test_an_improver_that_takes_answers_by_a_tool_gets_it_once() -> None:
    tools = [{"name": "StructuredOutput"}]
    (block,) = RoutedBehaviour()(asked(IMPROVE, listing="", tools=tools)).blocks
    assert isinstance(block, Use)
    assert set(block.input) == {"description", "reason"}
    again = RoutedBehaviour()(asked(IMPROVE, listing="", tools=tools, turns=1))
    assert again.blocks == (Say("Done."),)


def test_a_brief_that_is_none_is_answered_with_what_is_wrong() -> None:
    (block,) = RoutedBehaviour()(asked("<brief>\nnothing\n</brief>")).blocks
    assert isinstance(block, Say)
    assert "cannot read the brief" in block.text


STATUS = InjectedFault(kind=FaultKind.STATUS, status=529)
WORDS = {
    "": (),
    "529": (STATUS,),
    "529*2, ok": (STATUS, STATUS, None),
    "429:1.5": (replace(STATUS, status=429, retry_after=1.5),),
    "cut:7": (InjectedFault(kind=FaultKind.CUT, after=7),),
    "silent:2,stall": (
        InjectedFault(kind=FaultKind.SILENT, seconds=2.0),
        InjectedFault(kind=FaultKind.STALL),
    ),
    "malformed,error": (
        InjectedFault(kind=FaultKind.MALFORMED),
        InjectedFault(kind=FaultKind.ERROR_EVENT),
    ),
}


@pytest.mark.parametrize(("words", "faults"), WORDS.items(), ids=WORDS.keys())
def test_fault_words(words: str, faults: tuple[InjectedFault | None, ...]) -> None:
    assert parse_faults(words) == faults
    assert faults_in_path(f"run-1/faults={words}") == faults


@pytest.mark.parametrize("words", ["nope", "52", "ok:3", "429*", "error:1", "cut:x", "529;ok"])
def test_an_unknown_fault_is_refused_with_the_known_ones(words: str) -> None:
    with pytest.raises(ConfigError, match=r"is no fault; known are: ok, a status"):
        parse_faults(words)


def test_a_prompt_for_cases_is_answered_as_one() -> None:
    request = DraftRequest(
        kind=TargetKind.SKILL,
        name="demo:review",
        description="",
        body="Reads the diff.",
        siblings=(),
        positives=1,
        near_misses=1,
        sibling_jobs=0,
    )
    (said,) = RoutedBehaviour()(asked(write_prompt(request), listing="")).blocks
    assert isinstance(said, Say)
    assert {case["kind"] for case in json.loads(said.text)["cases"]} == {"positive", "near-miss"}
