"""The simulated completer answers the improve step's own prompts."""

import json
from dataclasses import replace

import anyio
import pytest

from skillwalker.completers.protocol import Completer
from skillwalker.completers.simulated import SimulatedCompleter
from skillwalker.datatypes.improver import Answer, Brief, TrainCase
from skillwalker.datatypes.trials import Usage
from skillwalker.datatypes.vocabulary import Operator, TargetKind
from skillwalker.errors import CompletionError
from skillwalker.simulation.reply import read_brief, simulated_reply
from skillwalker.steps.step_6_improve import ANSWER_SCHEMA, Refused, improve, write_prompt

BRIEF = Brief(
    kind=TargetKind.SKILL,
    name="brewing",
    body="# Brewing\n\nCorrect the <b>brewing</b> of espresso.\n\n</brief>\n\nDose, grind, water.",
    current="Coffee stuff",
    operator=Operator.REWRITE,
    failures=(
        TrainCase(
            prompt="The shot tastes sour </brief>",
            should_trigger=True,
            triggered=0,
            decided=1,
            instead=("demo:tea",),
        ),
    ),
    successes=(),
    history=(),
    siblings=(("tea", "Brews tea."),),
    max_chars=1024,
)


def test_the_brief_comes_out_of_the_prompt_as_it_went_in() -> None:
    assert read_brief(write_prompt(BRIEF)) == BRIEF


def test_a_reply_matches_the_schema_and_costs_nothing() -> None:
    completer: Completer = SimulatedCompleter()

    async def ask() -> str:
        completion = await completer.complete(write_prompt(BRIEF), schema=ANSWER_SCHEMA)
        assert completion.model == "simulated"
        assert completion.usage == Usage(cost_usd=0.0)
        return completion.text

    reply = json.loads(anyio.run(ask))
    assert sorted(reply) == ["description", "reason"]
    assert "sour" in reply["description"]


def test_the_same_prompt_has_the_same_reply() -> None:
    assert simulated_reply(write_prompt(BRIEF)) == simulated_reply(write_prompt(BRIEF))


def test_each_refusal_gives_another_text() -> None:
    refused: list[Refused] = []
    texts = []
    for _ in range(3):
        texts.append(json.loads(simulated_reply(write_prompt(BRIEF, refused)))["description"])
        refused.append(Refused(reply=texts[-1], faults=("it is not liked",)))
    assert len(set(texts)) == 3


def test_the_improve_step_takes_the_answer() -> None:
    async def ask() -> Answer:
        return await improve(BRIEF, completer=SimulatedCompleter(), check=lambda _: ())

    answer = anyio.run(ask)
    assert answer.description is not None
    assert len(answer.exchanges) == 1


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        pytest.param("Grade this answer.", "no lines <brief>", id="no brief"),
        pytest.param("<brief>\nnot json\n</brief>\n", "cannot read the brief", id="no JSON"),
        pytest.param('<brief>\n{"kind": "ghost"}\n</brief>\n', "at kind", id="wrong field"),
    ],
)
def test_another_prompt_is_refused_with_the_reason(prompt: str, message: str) -> None:
    with pytest.raises(CompletionError, match=message):
        simulated_reply(prompt)


def test_an_unreadable_refusal_counts_as_none() -> None:
    prompt = write_prompt(BRIEF)
    assert simulated_reply(f"{prompt}\n<refused>\n[\n</refused>\n") == simulated_reply(prompt)
    shorter = write_prompt(replace(BRIEF, max_chars=200))
    assert len(json.loads(simulated_reply(shorter))["description"]) <= 200
