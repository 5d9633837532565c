"""Writes what many nights came to as Markdown: a row a variant, and a row a night."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from bench.nights.catalogue import Became, Catalogue, NightFigures
from skillwalker.intervals import wilson

HEAD = (
    "| what changes | variant | targets | changes for the worse | targets ever harmed (90 %)"
    " | ever below the user's text | gain at the end | better | reverts proposed, right | trials"
    " a target | last change |\n|---|---|---|---|---|---|---|---|---|---|---|"
)
NIGHT_HEAD = (
    "| night | measured | rechecked | searched | trials | applied | truly worse"
    " | reverts proposed, right |\n|---|---|---|---|---|---|---|---|"
)


def row(change: str, variant: str, catalogues: Sequence[Catalogue]) -> str:
    """Write what all catalogues of a variant came to."""
    targets = [target for catalogue in catalogues for target in catalogue.targets]
    nights = [night for catalogue in catalogues for night in catalogue.nights]
    applied = sum(night.applied for night in nights)
    harms = sum(night.harms for night in nights)
    return (
        f"| {change} | {variant} | {len(targets)} | {harms} of {applied}"
        f" | {_share([target.harmed for target in targets])}"
        f" | {_share([target.below for target in targets])}"
        f" | {100 * fmean(target.gain for target in targets):+.1f}"
        f" | {_better(targets):.0%}"
        f" | {sum(night.proposals for night in nights)}, {sum(night.right for night in nights)}"
        f" | {sum(night.trials for night in nights) / len(targets):.0f}"
        f" | night {max(map(last_change, catalogues))} |"
    )


def last_change(catalogue: Catalogue) -> int:
    """Give the last night in which a file was written; 0 where none was."""
    return max((at for at, night in enumerate(catalogue.nights, 1) if night.applied), default=0)


def night_rows(catalogues: Sequence[Catalogue]) -> Iterator[str]:
    """Write a line for each night that did something, the mean of all catalogues."""
    for number, nights in enumerate(zip(*(one.nights for one in catalogues), strict=True), 1):
        if any(night.trials for night in nights):
            yield _night_row(number, nights)


def _night_row(number: int, nights: Sequence[NightFigures]) -> str:
    """Write one night's line."""
    count = len(nights)
    measured, rechecked, searched, applied, harms, proposals, right = (
        sum(figures) / count
        for figures in zip(
            *(
                (n.measured, n.rechecked, n.searched, n.applied, n.harms, n.proposals, n.right)
                for n in nights
            ),
            strict=True,
        )
    )
    trials = sum(night.trials for night in nights) / count
    return (
        f"| {number} | {measured:.1f} | {rechecked:.1f} | {searched:.1f} | {trials:.0f}"
        f" | {applied:.1f} | {harms:.1f} | {proposals:.1f}, {right:.1f} |"
    )


def _better(targets: Sequence[Became]) -> float:
    """Give the share of targets that are truly better at the end."""
    return sum(target.gain > 0 for target in targets) / len(targets)


def _share(holds: Sequence[bool]) -> str:
    """Write a share with its 90 % interval."""
    low, high = wilson(sum(holds), len(holds))
    return f"{sum(holds) / len(holds):.1%} ({100 * low:.1f} to {100 * high:.1f})"
