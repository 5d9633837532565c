"""Step 2: takes the cases and a fraction, gives each case its side: train or holdout (pure).

A case's side hangs on words alone: the hash of suite, target, label and the words of one member
of its near-duplicate group. So nothing moves when cases are renamed or put in another order, or
when one like no other is added, and no seed can be tried until the split suits. The price is that
the share varies in small suites, and that a near-duplicate which is added or taken out may take
its whole group to the other side: two groups that it joins can lie on two.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.inputs import SplitCase, TriggerCase
from skillwalker.datatypes.vocabulary import CaseSet
from skillwalker.errors import SuiteError
from skillwalker.suites.near_duplicates import group_near_duplicates, normalise

LEAST_A_SIDE = 2
"""Cases of each class that a side needs: a rate of one case says nothing."""
GROUP_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A case and where its group stands between 0 and 2^256."""

    case: TriggerCase
    point: int


def split_cases(
    cases: tuple[TriggerCase, ...], *, suite: str, target: str, fraction: float
) -> tuple[SplitCase, ...]:
    """Put each case into train or holdout, near-duplicates of one label together.

    Args:
        cases: of one target.
        suite: its name; with the target it makes the hash this suite's own.
        target: the target's id.
        fraction: expected share of the holdout, from 0 (all train) to below 1.

    Returns:
        The cases in their order.

    Raises:
        SuiteError: a side has fewer than two cases of a class; says what would do.
    """
    placed = _place(cases, suite, target)
    if fraction > 0:
        _check_sides(placed, suite, target, fraction)
    return tuple(
        SplitCase(
            case=one.case,
            set=CaseSet.HOLDOUT if _is_holdout(one.point, fraction) else CaseSet.TRAIN,
            group=f"{one.point:064x}"[:GROUP_DIGITS],
        )
        for one in placed
    )


def _place(cases: Sequence[TriggerCase], suite: str, target: str) -> tuple[_Placed, ...]:
    points = [0] * len(cases)
    for label in (True, False):
        members = [at for at, case in enumerate(cases) if case.should_trigger is label]
        groups = group_near_duplicates([cases[at].prompt for at in members])
        keys: dict[int, str] = {}
        for at, group in zip(members, groups, strict=True):
            key = _digest(normalise(cases[at].prompt))
            keys[group] = min(key, keys.get(group, key))
        word = "should trigger" if label else "should not trigger"
        for at, group in zip(members, groups, strict=True):
            points[at] = int(_digest(suite, target, word, keys[group]), 16)
    return tuple(_Placed(case=case, point=point) for case, point in zip(cases, points, strict=True))


def _digest(*parts: str) -> str:
    """Hash texts so that no other texts give the same bytes: each is led by its length."""
    state = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(encoded))
        state.update(encoded)
    return state.hexdigest()


def _is_holdout(point: int, fraction: float) -> bool:
    return point < fraction * 2.0**256


def _check_sides(placed: Sequence[_Placed], suite: str, target: str, fraction: float) -> None:
    short = [
        f"{count} {word} in {side}"
        for side in (CaseSet.TRAIN, CaseSet.HOLDOUT)
        for word, points in _classes(placed)
        if (count := _count(points, side, fraction)) < LEAST_A_SIDE
    ]
    if short:
        raise SuiteError(
            f"suite {suite!r}, target {target!r}: --holdout {fraction:g} leaves "
            f"{' and '.join(short)}; each side needs {LEAST_A_SIDE} positive and "
            f"{LEAST_A_SIDE} negative cases: {_remedy(placed, fraction)}"
        )


def _classes(placed: Sequence[_Placed]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Give the points of the positive and the negative cases, in order."""
    return tuple(
        (word, tuple(sorted(one.point for one in placed if one.case.should_trigger is label)))
        for word, label in (("positive", True), ("negative", False))
    )


def _count(points: Sequence[int], side: CaseSet, fraction: float) -> int:
    held = sum(_is_holdout(point, fraction) for point in points)
    return held if side is CaseSet.HOLDOUT else len(points) - held


def _remedy(placed: Sequence[_Placed], fraction: float) -> str:
    classes = _classes(placed)
    missing = [
        f"{need} more {word}"
        for word, points in classes
        if (need := 2 * LEAST_A_SIDE - len(points)) > 0
    ]
    if missing:
        return f"add at least {' and '.join(missing)}, or use --holdout 0"
    fits = [
        share / 100
        for share in range(1, 100)
        if all(
            _count(points, side, share / 100) >= LEAST_A_SIDE
            for side in (CaseSet.TRAIN, CaseSet.HOLDOUT)
            for _, points in classes
        )
    ]
    if fits:
        nearest = min(fits, key=lambda share: abs(share - fraction))
        return f"--holdout {nearest:g} would do"
    return "no share would do with these cases; add some in other words, or use --holdout 0"
