"""Does the best text take requests that belong to the target's neighbours (pure)?"""

from collections.abc import Iterable, Sequence

from skillwalker.datatypes.inputs import NeighbourCase
from skillwalker.datatypes.scores import CaseResult, NeighbourChange
from skillwalker.intervals import mean_change
from skillwalker.search.gate import pair, posterior_median


def compare_neighbours(
    neighbours: Sequence[NeighbourCase],
    before: Iterable[CaseResult],
    after: Iterable[CaseResult],
) -> tuple[NeighbourChange, ...]:
    """Compare how often each neighbour keeps its requests under the original and the best text.

    A request is taken when the target is called for it, whatever else fires.

    Args:
        neighbours: whose requests were measured.
        before: their results under the original, over all rounds.
        after: likewise under the best text.
    """
    owners = {(one.case.name, one.case.model): one.owner for one in neighbours}
    old, new = _by_owner(owners, before), _by_owner(owners, after)
    return tuple(_change(owner, old[owner], new.get(owner, [])) for owner in sorted(old))


def _by_owner(
    owners: dict[tuple[str, str], str], results: Iterable[CaseResult]
) -> dict[str, list[CaseResult]]:
    """Sort results by whose requests they are."""
    found: dict[str, list[CaseResult]] = {}
    for result in results:
        owner = owners[result.case.name, result.case.model]
        found.setdefault(owner, []).append(result)
    return found


def _change(
    owner: str, before: Sequence[CaseResult], after: Sequence[CaseResult]
) -> NeighbourChange:
    """Compare the requests of one neighbour."""
    pairs = [one for one in pair(before, after) if one.n0 and one.n1]
    change, error = mean_change(pairs) if pairs else (None, None)
    taken = {result.case.name for result in after if result.triggered} - {
        result.case.name for result in before if result.triggered
    }
    return NeighbourChange(
        target=owner,
        kept_before=sum(one.k0 for one in pairs),
        runs_before=sum(one.n0 for one in pairs),
        kept_after=sum(one.k1 for one in pairs),
        runs_after=sum(one.n1 for one in pairs),
        change=change,
        lasting=posterior_median(change, error),
        cases=tuple(sorted(taken)),
    )
