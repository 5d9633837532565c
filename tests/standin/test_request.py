"""What the stand-in finds in a request, in every shape that the CLI versions and models give it."""

import pytest

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.standin.request import (
    ListedEntry,
    read_listing,
    read_prompt,
    tool_names,
    turn_number,
)

AGENTS = """Available agent types for the Agent tool:
- claude: Catch-all. (Tools: *)
- demo:gap finder: First line.

<example>
- not an entry
</example> (Tools: Read, Bash)

When you launch multiple agents for independent work, send them in a single message."""
SKILLS = """The following skills are available for use with the Skill tool:

- demo:alpha: Does alpha: the &lt;x&gt; job.
- demo:folder (demo:other name): Has two names.
- crowded-out
- init: Initialize a new CLAUDE.md file"""
PROMPT = "Do - this: now\n- and that"


def reminder(text: str) -> dict[str, str]:
    return {"type": "text", "text": f"<system-reminder>\n{text}\n</system-reminder>\n"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def user(*blocks: object) -> dict[str, object]:
    return {"role": "user", "content": list(blocks)}


NEWER = f"# Environment\nLinux\n\n{AGENTS}\n\n{SKILLS}"
BODIES = {
    "older model": [user(reminder(AGENTS), reminder(SKILLS), reminder("date"), text(PROMPT))],
    "newer model, array": [
        user(reminder("attribution"), text(PROMPT)),
        {
            "role": "system",
            "content": [
                text(f"{NEWER}\n\n<total_tokens>1 left</total_tokens>\n\nToday's date is x.")
            ],
        },
    ],
    "newer model, string": [
        user(reminder("date"), text(PROMPT)),
        {"role": "system", "content": f"{AGENTS}\n\n{SKILLS}"},
    ],
}


def entry(name: str, text: str | None, alias: str | None = None) -> ListedEntry:
    return ListedEntry(kind=TargetKind.SKILL, name=name, alias=alias, text=text)


@pytest.mark.parametrize("messages", BODIES.values(), ids=BODIES.keys())
def test_prompt_and_listing_are_found(messages: list[object]) -> None:
    body = {"messages": messages}
    assert read_prompt(body) == PROMPT
    skills = [one for one in read_listing(body) if one.kind is TargetKind.SKILL]
    assert skills == [
        entry("demo:alpha", "Does alpha: the &lt;x&gt; job."),
        entry("demo:folder", "Has two names.", "demo:other name"),
        entry("crowded-out", None),
        entry("init", "Initialize a new CLAUDE.md file"),
    ]
    agents = [one for one in read_listing(body) if one.kind is TargetKind.AGENT]
    assert [one.name for one in agents] == ["claude", "demo:gap finder"]
    assert agents[1].text == "First line.\n\n<example>\n- not an entry\n</example>"


def test_a_description_over_several_lines_is_one_entry() -> None:
    listing = SKILLS.replace("the &lt;x&gt; job.", "one\n\ntwo\n</system-reminder> three")
    body = {"messages": [user(reminder(listing), text(PROMPT))]}
    found = {one.name: one.text for one in read_listing(body)}
    assert found["demo:alpha"] == "Does alpha: one\n\ntwo\n</system-reminder> three"
    assert list(found) == ["demo:alpha", "demo:folder", "crowded-out", "init"]


def test_the_turn_is_counted_by_the_answers_so_far() -> None:
    answer = {"role": "assistant", "content": "x"}
    messages = [user(text(PROMPT)), answer, user({"type": "tool_result"}), answer]
    assert turn_number({"messages": messages}) == 3
    assert read_prompt({"messages": messages}) == PROMPT


ODD: dict[str, dict[str, object]] = {
    "empty": {},
    "no list": {"messages": "x", "tools": 3},
    "odd content": {"messages": [1, {"content": None}, {"content": [2, {"type": "image"}]}]},
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD.keys())
def test_a_request_of_another_shape_holds_nothing(body: dict[str, object]) -> None:
    assert (read_listing(body), read_prompt(body), turn_number(body)) == ((), "", 1)
    assert tool_names(body) == frozenset()


def test_a_prompt_can_be_a_plain_string() -> None:
    assert read_prompt({"messages": [{"role": "user", "content": "hello"}]}) == "hello"
    assert tool_names({"tools": [{"name": "Skill"}]}) == {"Skill"}
