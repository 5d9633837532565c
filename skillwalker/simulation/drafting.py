"""Proposes cases without a model: a target's own words, put into ready sentences.

It understands nothing. It exists so that drafting can be tried offline and a first suite has
something to be replaced; whoever shows its cases says so. The same request has the same cases.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from pydantic import TypeAdapter, ValidationError

from skillwalker.datatypes.drafts import DraftedCase, DraftKind, DraftRequest
from skillwalker.errors import CompletionError
from skillwalker.simulation.lexical.vocabulary import TermEvidence
from skillwalker.simulation.lexical.words import GENERIC_WEIGHT, terms

REQUEST_LINE: Final = "<request>"
"""Stands alone on a line of every prompt that asks for cases and in no other."""
_REQUEST: Final = re.compile(
    r"^<request>[^\S\n]*$(.*?)^</request>[^\S\n]*$", re.MULTILINE | re.DOTALL
)
_MOST_WORDS: Final = 24
_LONGEST_WORD: Final = 24

_POSITIVE: Final = (
    "Something about the {a} looks wrong to me, and the {b} may be why. Can you go through it?",
    "I hand this over tomorrow: {a} and {b} have to be in order by then. Where do we stand?",
    "{a}?? {b}?? no idea where to begin, please just take over",
    "We have argued all week whether our {a} is any good. Work it out and tell me what to change.",
    "Before this goes out, have a proper look at the {a} that came back with the {b}.",
    "My lead asked for the {a} to be sorted out today. There is {b} in it too. Help!",
    "Here is what I have so far. What is missing, apart from {a} and {b}?",
    "Nobody here knows {a} well enough, so could you do this one, {b} and everything?",
    "Start with the {a}, then the {b}, and write down whatever you find on the way.",
    "Last time the {a} broke because of {b}. Make sure that does not happen again.",
    "How would you tackle {a} in our case? Then go ahead and do it, {b} included.",
    "The new colleague left {a} half finished; {b} is untouched. Please complete the job.",
)
_NEAR_MISS: Final = (
    "Write a four-line birthday poem that rhymes {a} with {b}.",
    "What does the word {a} mean in everyday English, and where does it come from?",
    "Book the small meeting room on Friday; the subject is {a} and {b}.",
    "Translate the two words {a} and {b} into French and Spanish.",
    "Which podcast episodes on {a} would you recommend to a listener of fourteen?",
    "I am naming my band after {a}. Is {b} a better name?",
    "Put {a}, {b} and Tuesday into alphabetical order.",
    "Draft an invitation to the evening class on {b}; {a} comes up in week two.",
    "In a single sentence: who first used the term {a}?",
    "Rename the folder {a} to {b} and change nothing else.",
    "Set a timer for ten minutes, the label is {a}.",
    "Add a slide that says only {a}, in large letters, with {b} beneath it.",
)
_SIBLING: Final = (
    "This one is about {a}: please take care of it, and of the {b} as well.",
    "I need {a} done properly this afternoon, together with {b}.",
    "Could somebody who knows {a} do the {b} for me?",
    "Our {b} is a mess. Sort it out and mind the {a}.",
)


def is_drafting(prompt: str) -> bool:
    """Say whether a prompt asks for cases."""
    return f"\n{REQUEST_LINE}\n" in prompt


def simulated_draft(prompt: str) -> str:
    """Write the reply to a prompt that asks for cases; what was refused is passed over.

    Raises:
        CompletionError: there is no request in it.
    """
    found = _REQUEST.search(prompt)
    try:
        if found is None:
            raise CompletionError("the simulated improver found no request for cases in its prompt")
        request = TypeAdapter(DraftRequest).validate_json(found.group(1))
    except ValidationError as error:
        fault = error.errors()[0]["msg"]
        raise CompletionError(f"the simulated improver cannot read the request: {fault}") from error
    cases = [
        {"kind": str(case.kind), "prompt": case.prompt, "sibling": case.sibling or ""}
        for case in propose(request)
    ]
    return json.dumps({"cases": cases}, ensure_ascii=False)


def propose(request: DraftRequest) -> Iterator[DraftedCase]:
    """Yield more prompts of each kind than are asked for, as far as the sentences last."""
    words = _words_of(request.body, request.description, request.name)
    if request.positives:
        for prompt in _filled(_POSITIVE, words):
            yield DraftedCase(kind=DraftKind.POSITIVE, prompt=prompt)
    if request.near_misses:
        for prompt in _filled(_NEAR_MISS, (*words[1:], words[0])):
            yield DraftedCase(kind=DraftKind.NEAR_MISS, prompt=prompt)
    if request.sibling_jobs:
        yield from _sibling_jobs(request)


def _sibling_jobs(request: DraftRequest) -> Iterator[DraftedCase]:
    """Take the siblings in turn, each in another sentence."""
    filled = [
        (name, tuple(_filled(_SIBLING, _words_of("", text, name))))
        for name, text in request.siblings
    ]
    for turn in range(len(_SIBLING)):
        for place, (name, prompts) in enumerate(filled):
            prompt = prompts[(turn + place) % len(prompts)]
            yield DraftedCase(kind=DraftKind.SIBLING, prompt=prompt, sibling=name)


def _filled(sentences: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Put words into each sentence, two at a time and round again."""
    for place, sentence in enumerate(sentences):
        first, second = (words[(2 * place + step) % len(words)] for step in (0, 1))
        yield sentence.format(a=first, b=second)


def _words_of(body: str, description: str, name: str) -> tuple[str, ...]:
    """Choose the words that tell a target's work: the body's frequent ones, then the others."""
    frequent = [term.surface for term in TermEvidence((), (), body).body_topics()]
    others = [
        term.surface for term in terms(f"{description}\n{body}") if term.weight > GENERIC_WEIGHT
    ]
    spoken = [part for part in re.split(r"[\W_]+", name.rpartition(":")[2]) if part]
    chosen = [
        word
        for word in dict.fromkeys((*frequent, *others, *spoken))
        if 2 <= len(word) <= _LONGEST_WORD
    ]
    return tuple(chosen[:_MOST_WORDS]) or ("this",)
