"""A measurement held against an earlier run of the same target."""

from dataclasses import dataclass

LUCK = 0.1
"""Chance of having become better above which a loss may be luck."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Flipped:
    """A case whose verdict was another one than before, and that was run again for that."""

    case: str
    model: str
    should_trigger: bool
    before: tuple[int, int]
    """Correct of decided trials in the earlier run."""
    after: tuple[int, int]
    """The same now, the extra runs included."""
    stands: bool
    """Whether the verdict is still another one after the extra runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComparable:
    """A case that is in no figure of the comparison."""

    case: str
    model: str
    """Empty where no model ran it."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """What became of a target since an earlier run, over the cases that both decided."""

    run_id: str
    """The earlier run."""
    change: float | None
    """Of balanced accuracy, as a fraction; None where no case of one class was decided in both."""
    interval: tuple[float, float] | None
    """90 % interval of `change` over cases."""
    p_better: float | None
    """Chance that the target does better now."""
    recall_change: float | None
    specificity_change: float | None
    dropped_points: float | None
    """Points of balanced accuracy that were lost; 0 where none were, None where not measured."""
    threshold: float
    """Points from which on a loss counts as a drop."""
    dropped: bool | None
    """Whether it fell by at least `threshold` and not by luck; None where that cannot be told."""
    flipped: tuple[Flipped, ...]
    differences: tuple[str, ...]
    """What else differs between the runs, so that a change may be due to it."""
    not_comparable: tuple[NotComparable, ...]
    recall_interval: tuple[float, float] | None = None
    """90 % interval of `recall_change` over its cases; None of under two, or not recorded."""
    specificity_interval: tuple[float, float] | None = None

    def fell_by(self, points: float) -> bool | None:
        """Say whether it fell by so many points and not by luck; None where it cannot be told."""
        if self.dropped is None:
            return None
        return fell(self.change, self.p_better, points)


def fell(change: float | None, p_better: float | None, points: float) -> bool | None:
    """Say whether a loss is as large as that and no luck; None where nothing was measured.

    Args:
        change: of balanced accuracy, as a fraction.
        p_better: chance that it is better now.
        points: in which the least loss is told.
    """
    if change is None or p_better is None:
        return None
    is_large = change < 0 and -100 * change >= points - _ROUNDING
    return is_large and p_better <= LUCK
