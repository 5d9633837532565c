"""Chooses the words by which a description would catch some prompts and leave others alone.

It reads prompts as bags of terms, so nothing of a prompt's wording can come out of it but words.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from skillwalker.datatypes.improver import TrainCase
from skillwalker.simulation.lexical.spelling import Speller
from skillwalker.simulation.lexical.words import (
    CONCEPT_WEIGHT,
    GENERIC_WEIGHT,
    LONGEST_WORD,
    Term,
    match,
    terms,
    weights,
)

ENOUGH: Final = 2.0
"""Matching weight at which a prompt counts as caught."""
_NEAR_MISS: Final = 0.9
"""Matching weight from which a prompt that should not trigger needs a boundary."""
_BOUNDARY_ENOUGH: Final = 1.6
_WRONG_COUNTS: Final = 2.0
"""How much more a case that fails counts than one that passes."""
_HARM: Final = 1.2
_BODY_BONUS: Final = 0.4
_BODY_MOST: Final = 3
_LONGEST_WORD: Final = 24
_LONGEST_RUN: Final = 8
"""Of a script without spaces: what is longer is several words."""
_FIRST_UNSPACED: Final = "\u3000"
_CODE: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|(?P<chunk>[!-_a-~]+)",
    re.DOTALL,
)
_ADDRESS: Final = re.compile(r"[/\\@].|[(){}=<>_$]")
_FILE_NAME: Final = re.compile(r".+\.[A-Za-z]{1,5}\b")


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A train prompt as a bag of terms."""

    terms: tuple[Term, ...]
    keys: frozenset[str]
    counts: float
    """How much this case weighs."""


def _prompt(case: TrainCase, speller: Speller, *, wrong: bool) -> _Prompt:
    """Cut a prompt up, leaving code, paths and addresses out and putting typing slips right."""
    found = tuple(speller.put_right(term) for term in terms(_prose(case.prompt)))
    keys = frozenset(key for term in found for key in term.keys)
    return _Prompt(found, keys, _WRONG_COUNTS if wrong else 1.0)


def _prose(text: str) -> str:
    """Leave out code, paths, addresses and names of files."""
    return _CODE.sub(_without_code, text)


def _without_code(found: re.Match[str]) -> str:
    chunk = found["chunk"]
    if chunk is None or len(chunk) > LONGEST_WORD or _ADDRESS.search(chunk):
        return " "
    return _FILE_NAME.sub(" ", chunk, count=1)


def _can_be_named(term: Term) -> bool:
    """Say whether a term may stand in a description as a word of its own."""
    if term.surface >= _FIRST_UNSPACED:
        return len(term.surface) <= _LONGEST_RUN
    return 2 <= len(term.surface) <= _LONGEST_WORD and not any(map(str.isdigit, term.surface))


def _caught(prompt: _Prompt, known: dict[str, float]) -> float:
    """Add up how well a description of those weights holds a prompt's terms."""
    distinct = {term.keys: term for term in prompt.terms}
    return sum(match(term, known) for term in distinct.values())


def learn(known: dict[str, float], term: Term) -> None:
    """Add a term to what a description says."""
    known.update(dict.fromkeys(term.keys, term.weight))
    known.update(dict.fromkeys(term.concepts, CONCEPT_WEIGHT))


class TermEvidence:
    """What the train cases and the body say about each term.

    Args:
        failures: cases that failed.
        successes: cases that passed.
        body: the target's own text.
    """

    def __init__(
        self, failures: Sequence[TrainCase], successes: Sequence[TrainCase], body: str
    ) -> None:
        marked = [(case, True) for case in failures] + [(case, False) for case in successes]
        marked.sort(key=lambda pair: (not pair[1], pair[0].prompt))
        speller = Speller(body)
        prompts = [(case, _prompt(case, speller, wrong=wrong)) for case, wrong in marked]
        self._wanted = [prompt for case, prompt in prompts if case.should_trigger]
        self._unwanted = [prompt for case, prompt in prompts if not case.should_trigger]
        told = terms(_prose(body))
        self._body = Counter(term.keys for term in told)
        self._body_terms = {term.keys: term for term in told}

    def _need(self, term: Term) -> float:
        return sum(p.counts for p in self._wanted if p.keys.issuperset(term.keys))

    def _harm(self, term: Term) -> float:
        return sum(p.counts for p in self._unwanted if p.keys.issuperset(term.keys))

    def score(self, term: Term) -> float:
        """Weigh what a term catches against what it catches wrongly."""
        body = min(_BODY_MOST, self._body[term.keys])
        return self._need(term) - _HARM * self._harm(term) + _BODY_BONUS * body

    def worth(self, text: str) -> float:
        """Weigh a sentence: how well it holds wanted prompts more than unwanted ones."""
        known = weights(text)
        good = sum(prompt.counts * _caught(prompt, known) for prompt in self._wanted)
        return good - sum(prompt.counts * _caught(prompt, known) for prompt in self._unwanted)

    def _ranked(self, candidates: Iterable[Term]) -> list[Term]:
        """Sort terms by what they are worth, the generic ones last."""
        unique = {term.keys: term for term in candidates if _can_be_named(term)}
        return sorted(
            unique.values(),
            key=lambda t: (t.weight <= GENERIC_WEIGHT, -self.score(t), t.surface),
        )

    def shared_topics(self) -> list[Term]:
        """List what several wanted prompts share, or one of them with the body."""
        seen = Counter(keys for p in self._wanted for keys in {term.keys for term in p.terms})
        return [
            term
            for term in self._ranked(term for p in self._wanted for term in p.terms)
            if term.weight > GENERIC_WEIGHT
            and self.score(term) > 0
            and (seen[term.keys] > 1 or self._body[term.keys])
        ]

    def body_topics(self) -> list[Term]:
        """List the body's own frequent words that no unwanted prompt holds."""
        return [
            term
            for term in self._ranked(self._body_terms.values())
            if term.weight > GENERIC_WEIGHT and self._body[term.keys] > 1 and not self._harm(term)
        ]

    def missing_topics(self, known: dict[str, float]) -> list[Term]:
        """List the fewest words that would make every wanted prompt match.

        Args:
            known: key -> weight of what the description says already.
        """
        known = dict(known)
        missing: list[Term] = []
        for prompt in self._wanted:
            caught = _caught(prompt, known)
            for term in self._ranked(prompt.terms):
                if caught >= ENOUGH or self.score(term) < 0:
                    break
                if term.weight > GENERIC_WEIGHT and not known.keys() >= set(term.keys):
                    missing.append(term)
                    learn(known, term)
                    caught = _caught(prompt, known)
        return missing

    def boundaries(self, known: dict[str, float]) -> list[Term]:
        """List words of unwanted prompts that a description with those words would catch.

        Args:
            known: key -> weight of what the description says already.
        """
        wanted = frozenset(key for prompt in self._wanted for key in prompt.keys)
        chosen: dict[tuple[str, ...], Term] = {}
        for prompt in self._unwanted:
            if _caught(prompt, known) < _NEAR_MISS:
                continue
            held = sum(term.weight for term in prompt.terms if term.keys in chosen)
            free = (t for t in prompt.terms if not wanted.intersection(t.keys))
            ranked = self._ranked(t for t in free if not known.keys() & set(t.keys))
            for term in sorted(ranked, key=lambda t: (t.weight <= GENERIC_WEIGHT, -self._harm(t))):
                if held >= _BOUNDARY_ENOUGH:
                    break
                if term.keys not in chosen:
                    chosen[term.keys] = term
                    held += term.weight * len(term.keys)
        return list(chosen.values())
