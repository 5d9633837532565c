"""Puts a mistyped word right, when a known word is one typing slip away."""

from collections.abc import Iterable

from skillwalker.lexical.stems import near_keys
from skillwalker.lexical.thesaurus import listed_words
from skillwalker.lexical.words import Term, terms


class Speller:
    """Knows the words of some texts, and those of the thesaurus.

    Args:
        texts: whose spelling is trusted, the first one most.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        trusted = [term for text in (*texts, listed_words()) for term in terms(text)]
        self._right = {term.keys for term in trusted}
        self._by_slip: dict[str, Term] = {}
        for term in trusted:
            for slip in near_keys(term.keys[0]) if len(term.keys) == 1 else ():
                self._by_slip.setdefault(slip, term)

    def put_right(self, term: Term) -> Term:
        """Give the known word that a term is a misspelling of; a term that is none, itself."""
        if len(term.keys) > 1 or term.keys in self._right:
            return term
        slips = sorted(near_keys(term.keys[0]) & self._by_slip.keys())
        return self._by_slip[slips[0]] if slips else term
