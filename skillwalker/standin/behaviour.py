"""How the stand-in answers: by the lexical router, by a script, with or without faults."""

import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import CompletionError
from skillwalker.simulation.answers import simulated_answer
from skillwalker.simulation.drafting import is_drafting
from skillwalker.simulation.grading import is_judging
from skillwalker.simulation.router import ListingEntry, choose
from skillwalker.standin.fault_words import faults_in_path
from skillwalker.standin.replies import InjectedFault, Reply, Say, Use
from skillwalker.standin.request import (
    ListedEntry,
    message_texts,
    read_listing,
    read_prompt,
    tool_names,
    turn_number,
)
from skillwalker.standin.server import Behaviour, MessageRequest

BRIEF_LINE = "<brief>"
"""Stands in every prompt of the improve step and in no other."""
_DONE = Reply(blocks=(Say("Done."),))


class RoutedBehaviour:
    """Chooses as the simulated engine does, from the listing that the request really holds.

    Args:
        seed: of the noise.
        delay: seconds before an answer, as a model would think.
    """

    def __init__(self, *, seed: int = 0, delay: float = 0.0) -> None:
        self._seed = seed
        self._delay = delay
        self._lock = threading.Lock()
        self._repeats: Counter[bytes] = Counter()

    def __call__(self, asked: MessageRequest) -> Reply:
        """Answer an improver's prompt, call what the prompt asks for, or just end the turn."""
        return replace(self._answer(asked), delay=self._delay)

    def _answer(self, asked: MessageRequest) -> Reply:
        question = completion_prompt(asked)
        if question is not None:
            return structured(_completed(question), asked)
        if turn_number(asked.body) > 1:
            return _DONE
        usable = tool_names(asked.body)
        listing = [one for one in read_listing(asked.body) if _tool_of(one.kind) in usable]
        prompt = read_prompt(asked.body)
        catalog = tuple(
            ListingEntry(name=one.name, kind=one.kind, text=one.text or "") for one in listing
        )
        repeat = self._repeat(prompt, catalog)
        name = choose(prompt, catalog, seed=self._seed, run_index=repeat)
        chosen = next((one for one in listing if one.name == name), None)
        return _DONE if chosen is None else _call(chosen, prompt)

    def _repeat(self, prompt: str, catalog: tuple[ListingEntry, ...]) -> int:
        """Count the repeats of one request, so that the noise differs between them."""
        key = sha256(repr((prompt, catalog)).encode(errors="surrogatepass")).digest()
        with self._lock:
            self._repeats[key] += 1
            return self._repeats[key] - 1


def scripted(replies: Sequence[Reply]) -> Behaviour:
    """Answer the requests of each path prefix in order; the last reply is repeated."""

    def answer(asked: MessageRequest) -> Reply:
        return replies[min(asked.number, len(replies)) - 1]

    return answer


def with_faults(behaviour: Behaviour, faults: Sequence[InjectedFault | None] = ()) -> Behaviour:
    """Let the first answers of each path prefix go wrong; None leaves one as it is.

    Args:
        behaviour: gives the answers.
        faults: in order; the last one is repeated for ever, also when it is None. A base URL
            with a segment `faults=WORDS` asks for its own.
    """

    def answer(asked: MessageRequest) -> Reply:
        reply = behaviour(asked)
        wanted = faults_in_path(asked.prefix) or faults
        if not wanted:
            return reply
        return replace(reply, fault=wanted[min(asked.number, len(wanted)) - 1])

    return answer


def completion_prompt(asked: MessageRequest) -> str | None:
    """Find the prompt of an improver, a judge or a drafter; None where a trial asks."""
    return next((text for text in message_texts(asked.body) if _is_question(text)), None)


def _is_question(text: str) -> bool:
    return BRIEF_LINE in text or is_judging(text) or is_drafting(text)


def structured(text: str, asked: MessageRequest) -> Reply:
    """Answer with one JSON object, by the tool for it where the CLI offers one."""
    if "StructuredOutput" in tool_names(asked.body):
        if turn_number(asked.body) > 1:
            return _DONE
        try:
            return Reply(blocks=(Use("StructuredOutput", json.loads(text)),))
        except ValueError:
            return Reply(blocks=(Say(text),))
    return Reply(blocks=(Say(text),), output_tokens=len(text) // 4)


def _completed(prompt: str) -> str:
    """Answer as the simulated completer does."""
    try:
        return simulated_answer(prompt)
    except CompletionError as error:
        return str(error)


def _tool_of(kind: TargetKind) -> str:
    return "Skill" if kind is TargetKind.SKILL else "Agent"


def _call(chosen: ListedEntry, prompt: str) -> Reply:
    if chosen.kind is TargetKind.SKILL:
        return Reply(blocks=(Say("I will use a skill."), Use("Skill", {"skill": chosen.name})))
    given: dict[str, object] = {
        "subagent_type": chosen.name,
        "description": "Do what was asked",
        "prompt": prompt,
    }
    return Reply(blocks=(Say("I will delegate this."), Use("Agent", given)))
