"""Prompts of files that nearly say the same, told before they are counted as many."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from skillwalker.foreign.entries import ForeignCase
from skillwalker.suites.near_duplicates import group_near_duplicates, is_rewording

MOST_PAIRS = 5
"""Pairs that a note lists."""


def notes_of_alike(cases: Sequence[ForeignCase]) -> Iterator[str]:
    """Note which prompts count as one with an earlier one, and which reword one of the other label.

    Args:
        cases: of all files, none of them twice.
    """
    groups: defaultdict[int, list[ForeignCase]] = defaultdict(list)
    numbers = group_near_duplicates([case.prompt for case in cases])
    for case, number in zip(cases, numbers, strict=True):
        groups[number].append(case)
    same: list[str] = []
    opposite: list[str] = []
    for group in groups.values():
        first: dict[bool, ForeignCase] = {}
        for case in group:
            other = first.setdefault(case.should_trigger, case)
            if other is not case:
                same.append(f"{case.where} as {other.where}")
        opposite += (
            f"{second.where} and {one.where}"
            for one, second in combinations(group, 2)
            if one.should_trigger is not second.should_trigger
            and is_rewording(one.prompt, second.prompt)
        )
    if same:
        yield f"asked nearly the same, so that both count as one: {_some(same)}"
    if opposite:
        yield f"one wording with opposite labels; check them: {_some(opposite)}"


def _some(pairs: Sequence[str]) -> str:
    more = f" and {len(pairs) - MOST_PAIRS} more" if len(pairs) > MOST_PAIRS else ""
    return "; ".join(pairs[:MOST_PAIRS]) + more
