"""Which prompts say nearly the same, so that they are never split apart (pure).

Two prompts are near-duplicates when their words are the same, most of their words are, or half
of their character sequences are; groups join by single linkage. Scripts without spaces have no
words to compare, there each pair of neighbouring characters stands for one.

Source: facts of the design, "Discipline with 10-40 queries"; the candidate search is the prefix
filter of Chaudhuri et al. 2006, "A primitive operator for similarity joins in data cleaning".
"""

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from skillwalker.normal_form import normal_form

GRAM = 5
"""Characters of a sequence."""
LONGEST_WORD = 256
"""Characters of a run without spaces that are compared; longer ones are data, alike or not."""

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana, Han
    "\U00020000-\U0003ffff"
)
_PART = re.compile(rf"[{_SPACELESS}]+|[^{_SPACELESS}]+")
_RUN = re.compile(rf"[^{_SPACELESS}\s]+")
_SPACELESS_RUN = re.compile(rf"[{_SPACELESS}]{{2,}}")

Features = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measure:
    """A way to compare prompts: two are alike when they have enough features in common."""

    features: Callable[[str], Features]
    share: Fraction
    """Part of either set, at the least, that two prompts have in common when they are alike."""
    enough: Callable[[int, int], int]
    """Common features, at the least, that two sets of these sizes need."""


def normalise(prompt: str) -> str:
    """Give a prompt without what does not change its meaning: width, case and kind of spaces."""
    return " ".join(normal_form("NFKC", prompt).casefold().split())


def group_near_duplicates(prompts: Sequence[str]) -> tuple[int, ...]:
    """Give each prompt the number of its group, which is the place of the group's first prompt."""
    texts = [normalise(prompt) for prompt in prompts]
    groups = _Groups(len(texts))
    first: dict[str, int] = {}
    for index, text in enumerate(texts):
        groups.join(index, first.setdefault(text, index))
    distinct = list(first.values())
    texts = [_RUN.sub(_shortened, text) for text in texts]
    for measure in (_WORDS, _SEQUENCES):
        sets = {index: measure.features(texts[index]) for index in distinct}
        for left, right in _candidates(sets, measure):
            if not groups.joined(left, right):
                common = len(sets[left] & sets[right])
                if common >= measure.enough(len(sets[left]), len(sets[right])):
                    groups.join(left, right)
    return tuple(groups.first(index) for index in range(len(texts)))


def is_rewording(left: str, right: str) -> bool:
    """Say whether two prompts are one with a few words more: closer than a near miss is.

    A near miss has another word in the place of one; here all words of either are in the other.
    """
    first, second = (_RUN.sub(_shortened, normalise(text)) for text in (left, right))
    few, many = sorted((_words(first), _words(second)), key=len)
    own, other = _sequences(first), _sequences(second)
    return few <= many and len(own & other) >= _enough_for_jaccard(len(own), len(other))


def _shortened(run: re.Match[str]) -> str:
    """Put a hash in the place of pasted data: a megabyte of it has a million sequences."""
    found = run.group()
    if len(found) <= LONGEST_WORD:
        return found
    return hashlib.sha256(found.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _words(text: str) -> Features:
    # letters, marks and numbers: the marks belong to the words of many scripts
    letters = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in text)
    found: set[str] = set()
    for part in (part for word in letters.split() for part in _PART.findall(word)):
        if _SPACELESS_RUN.fullmatch(part):
            found.update(part[at : at + 2] for at in range(len(part) - 1))
        else:
            found.add(part)
    return frozenset(found or {text})


def _sequences(text: str) -> Features:
    return frozenset(text[at : at + GRAM] for at in range(max(1, len(text) - GRAM + 1)))


def _enough_for_cosine(left: int, right: int) -> int:
    return isqrt((16 * left * right - 1) // 25) + 1  # common / sqrt(left * right) >= 0.8


def _enough_for_jaccard(left: int, right: int) -> int:
    return -(-(left + right) // 3)  # common / (left + right - common) >= 0.5


# Cosine >= t: common >= t * sqrt(larger * smaller) and smaller >= common, so common is at least
# t^2 * larger. Jaccard >= t: common >= t * union >= t * larger.
_WORDS = _Measure(features=_words, share=Fraction(16, 25), enough=_enough_for_cosine)
_SEQUENCES = _Measure(features=_sequences, share=Fraction(1, 2), enough=_enough_for_jaccard)


def _candidates(sets: dict[int, Features], measure: _Measure) -> Iterator[tuple[int, int]]:
    """Give the pairs that may be alike, having looked at each set's rarest features only.

    In order of rarity, what two sets share is in the looked-at part of both, or in the rest of
    one of them; so that part must hold what they need beyond the larger rest.
    """
    counts = Counter(feature for features in sets.values() for feature in features)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    rests: dict[int, int] = {}
    for index, features in sets.items():
        rest = ceil(measure.share * len(features)) - 1
        rarest = sorted(features, key=lambda feature: (counts[feature], feature))
        shared: Counter[int] = Counter()
        for feature in rarest[: len(features) - rest]:
            shared.update(holders[feature])
            holders[feature].append(index)
        for other, common in shared.items():
            enough = measure.enough(len(features), len(sets[other]))
            if common + max(rest, rests[other]) >= enough:
                yield index, other
        rests[index] = rest


class _Groups:
    """Sets that are joined step by step; the first member stands for its set."""

    def __init__(self, size: int) -> None:
        self._leader = list(range(size))

    def first(self, index: int) -> int:
        while self._leader[index] != index:
            self._leader[index] = self._leader[self._leader[index]]
            index = self._leader[index]
        return index

    def joined(self, left: int, right: int) -> bool:
        return self.first(left) == self.first(right)

    def join(self, left: int, right: int) -> None:
        low, high = sorted((self.first(left), self.first(right)))
        self._leader[high] = low
