"""Puts a mistyped word right, when a known word is one typing slip away."""

from collections.abc import Iterable
from functools import lru_cache

from skillwalker.simulation.lexical.stems import near_keys
from skillwalker.simulation.lexical.thesaurus import listed_words
from skillwalker.simulation.lexical.words import Term, terms


class Speller:
    """Knows the words of a text, and those of the thesaurus.

    Args:
        text: its spelling is trusted.
    """

    def __init__(self, text: str) -> None:
        trusted = terms(text)
        self._right = {term.keys for term in trusted}
        self._by_slip = _by_slip(trusted)

    def put_right(self, term: Term) -> Term:
        """Give the known word that a term is a misspelling of; a term that is none, itself."""
        if len(term.keys) > 1 or term.keys in self._right or term.keys in _listed_keys():
            return term
        slips = sorted(near_keys(term.keys[0]))
        known = (by_slip.get(slip) for by_slip in (self._by_slip, _listed()) for slip in slips)
        return next((word for word in known if word is not None), term)


def _by_slip(trusted: Iterable[Term]) -> dict[str, Term]:
    """Map spellings with a slip to the first word that they may stand for."""
    found: dict[str, Term] = {}
    for term in trusted:
        for slip in near_keys(term.keys[0]) if len(term.keys) == 1 else ():
            found.setdefault(slip, term)
    return found


@lru_cache(maxsize=1)
def _listed() -> dict[str, Term]:
    """Map spellings with a slip to the thesaurus's words."""
    return _by_slip(terms(listed_words()))


@lru_cache(maxsize=1)
def _listed_keys() -> frozenset[tuple[str, ...]]:
    """Give the keys of the thesaurus's words."""
    return frozenset(term.keys for term in terms(listed_words()))
