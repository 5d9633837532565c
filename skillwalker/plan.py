"""What a run will do: resolved, split and checked, before anything is spent or written."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from skillwalker.config import LoopConfig
from skillwalker.datatypes.inputs import ListingPlace, SplitCase, Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.paths import Places
from skillwalker.steps.step_1_resolve import resolve
from skillwalker.steps.step_2_split import split_cases
from skillwalker.target import place_in_listing
from skillwalker.target_file import require_triggerable


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run will do: resolved, split and checked, with nothing spent yet."""

    kind: str
    """scil, acil or measure: the first word of the run's files."""
    suite: str
    target: Target
    target_path: str
    """Relative to the project where it lies inside."""
    rivals: tuple[Target, ...]
    cases: tuple[SplitCase, ...]
    listing: ListingPlace
    config: LoopConfig


def prepare(
    places: Places,
    *,
    kind: TargetKind,
    suite: str | None,
    target: str | None,
    config: LoopConfig,
    run_kind: str,
    with_rivals: bool = True,
    resolve_model: Callable[[str], str] = str,
) -> Plan:
    """Resolve the target and its cases, split them, and see what Claude Code is shown.

    Args:
        places: the project.
        kind: skill or agent.
        suite: its name; None means the only one that has cases for the target.
        target: as written; None means the only one that the suite has cases for.
        config: how it is measured.
        run_kind: scil, acil or measure.
        with_rivals: whether siblings are shown beside the target.
        resolve_model: gives the full id behind an alias, which means another model in each
            version of the CLI.

    Raises:
        SuiteError: the suite is missing or wrong, or cannot be split as asked.
        TargetError: the target is missing, or can never trigger.
    """
    resolved = resolve(
        places, kind=kind, suite=suite, target=target, trial_model=config.trial_model
    )
    found = resolved.target
    require_triggerable(found)
    called = tuple(replace(case, model=resolve_model(case.model)) for case in resolved.cases)
    cases = split_cases(called, suite=resolved.suite, target=found.id, fraction=config.holdout)
    inside = found.path.is_relative_to(places.project)
    return Plan(
        kind=run_kind,
        suite=resolved.suite,
        target=found,
        target_path=(found.path.relative_to(places.project) if inside else found.path).as_posix(),
        rivals=resolved.siblings if with_rivals else (),
        cases=cases,
        listing=place_in_listing(
            found, resolved.siblings if with_rivals else (), model=cases[0].case.model
        ),
        config=config,
    )
