"""What is wrong between skills and agents: two that mean the same, and a listing that is full."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.checking.descriptions import description_line
from skillwalker.checking.findings import CheckedTarget, CheckFinding
from skillwalker.checking.overlap import find_overlaps
from skillwalker.datatypes.vocabulary import ListingState, Severity, TargetKind
from skillwalker.faults import quoted
from skillwalker.listing.budget import budget_chars
from skillwalker.listing.listed import listing_states
from skillwalker.targets.kind import KINDS

MODEL = "sonnet"
"""The model whose room for the listing is asked for: the default of a case."""
MOST_NAMED = 5
"""Names that a message lists."""


def check_overlap(targets: Sequence[CheckedTarget]) -> Iterator[CheckFinding]:
    """Find descriptions of one kind that ask for the same prompts."""
    for kind in TargetKind:
        own = [each for each in targets if each.target.kind is kind and _can_be_called(each)]
        for pair in find_overlaps([each.target.description for each in own]):
            first, second = own[pair.first], own[pair.second]
            if first.target.content == second.target.content:
                yield _copies(first, second)
                continue
            one = str(first.target.path) if _same_id(first, second) else quoted(first.target.id)
            yield CheckFinding(
                rule="overlap",
                severity=Severity.WARNING,
                path=second.target.path,
                line=description_line(second),
                message=(
                    f"{pair.share * 100:.0f} % of what this description and that of "
                    f"{one} say is in both: "
                    "Claude cannot tell which one to call"
                ),
                remedy="say in each what it does not do, and which of the two does that",
            )


def _same_id(first: CheckedTarget, second: CheckedTarget) -> bool:
    return first.target.id == second.target.id


def _can_be_called(checked: CheckedTarget) -> bool:
    return checked.listed.listed and bool(checked.target.description.strip())


def _copies(first: CheckedTarget, second: CheckedTarget) -> CheckFinding:
    return CheckFinding(
        rule="copy",
        severity=Severity.WARNING,
        path=second.target.path,
        line=None,
        message=f"is the same file as {first.target.path}",
        remedy="remove one of them",
    )


def check_names(targets: Sequence[CheckedTarget]) -> Iterator[CheckFinding]:
    """Find files that Claude Code would list under one name, of which it takes the first."""
    first: dict[tuple[TargetKind, str], CheckedTarget] = {}
    for checked in targets:
        name = checked.listed.name
        if name is None:
            continue
        other = first.setdefault((checked.target.kind, name), checked)
        if other is not checked and other.target.path.resolve() != checked.target.path.resolve():
            facts = KINDS[checked.target.kind]
            yield CheckFinding(
                rule="same-name",
                severity=Severity.WARNING,
                path=checked.target.path,
                line=None,
                message=(
                    f"is listed as {quoted(name)}, and so is {other.target.path}: "
                    f"{facts.article} {facts.noun} of that name is only one of them"
                ),
                remedy="rename one of them",
            )


def check_room(targets: Sequence[CheckedTarget]) -> Iterator[CheckFinding]:
    """Find skills that a model gets by their bare name, since the listing is full."""
    roots: defaultdict[Path, list[CheckedTarget]] = defaultdict(list)
    for checked in targets:
        if checked.target.kind is TargetKind.SKILL and checked.listed.listed:
            roots[checked.target.path.parent.parent].append(checked)
    for root, own in roots.items():
        states = listing_states([each.listed for each in own], model=MODEL)
        bare = [listed for listed, state in states if state is ListingState.NAME_ONLY]
        if bare:
            names = ", ".join(quoted(listed.name or "") for listed in bare[:MOST_NAMED])
            more = f" and {len(bare) - MOST_NAMED} more" if len(bare) > MOST_NAMED else ""
            yield CheckFinding(
                rule="full-listing",
                severity=Severity.WARNING,
                path=root,
                line=None,
                message=(
                    f"{len(bare)} of these {len(own)} skills are shown by their bare name, since "
                    f"the listing of {MODEL} has room for {budget_chars(MODEL):,} columns: "
                    f"{names}{more}"
                ),
                remedy="shorten descriptions, split the plugin, or remove what is not used",
            )
