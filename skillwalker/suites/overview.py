"""What lies in the suites of a project, broken ones included."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillwalker.datatypes.inputs import CallExpectation, Suite
from skillwalker.datatypes.vocabulary import CaseType, TargetKind
from skillwalker.errors import SuiteError
from skillwalker.paths import Places
from skillwalker.suites.load import list_suites, load_suite
from skillwalker.targets.file import can_trigger, shown_file
from skillwalker.targets.kind import KINDS
from skillwalker.targets.known import known_files, users_files, with_owner
from skillwalker.targets.names import resolve_target


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetCounts:
    """How many call cases of a suite are about one target."""

    kind: TargetKind
    target: str
    """Its id, whatever way the cases write it."""
    positive: int
    negative: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOverview:
    """One suite: its contents, or else its faults."""

    name: str
    cases: tuple[tuple[CaseType, int], ...] = ()
    targets: tuple[TargetCounts, ...] = ()
    plugins: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BareTarget:
    """A skill or agent that no suite has cases about."""

    kind: TargetKind
    target: str
    """Its id."""
    can_trigger: bool
    """Else no case about it can be measured."""


def overview(places: Places) -> tuple[SuiteOverview, ...]:
    """Look into every suite, by name; a broken one has faults instead of contents."""
    return tuple(_look_into(places, name) for name in list_suites(places))


def targets_without_suite(
    places: Places, suites: Sequence[SuiteOverview]
) -> tuple[BareTarget, ...]:
    """List what has no cases yet, of the project and then of the user.

    Args:
        places: the project's folders.
        suites: what `overview` found.
    """
    tested = {(each.kind, each.target) for suite in suites for each in suite.targets}
    found = (
        BareTarget(kind=kind, target=with_owner(target, places).id, can_trigger=can_trigger(listed))
        for files in (known_files, users_files)
        for kind in TargetKind
        for target, listed in (shown_file(file, kind) for file in files(places, kind))
    )
    bare = {(each.kind, each.target): each for each in found}
    return tuple(each for key, each in bare.items() if key not in tested)


def _look_into(places: Places, name: str) -> SuiteOverview:
    try:
        suite = load_suite(places, name)
    except SuiteError as error:
        return SuiteOverview(name=name, faults=tuple(str(error).splitlines()))
    counts = Counter(case.type for case in suite.cases)
    return SuiteOverview(
        name=name,
        cases=tuple((kind, counts[kind]) for kind in CaseType if counts[kind]),
        targets=_targets(suite, places),
        plugins=suite.plugins,
    )


def _targets(suite: Suite, places: Places) -> tuple[TargetCounts, ...]:
    counts = Counter(
        (call.kind, resolve_target(call.target, call.kind, places).id, call.expected)
        for case in suite.cases
        for call in case.expect
        if isinstance(call, CallExpectation) and case.type is KINDS[call.kind].case_type
    )
    return tuple(
        TargetCounts(
            kind=kind,
            target=target,
            positive=counts[kind, target, True],
            negative=counts[kind, target, False],
        )
        for kind, target in sorted({(kind, target) for kind, target, _ in counts})
    )
