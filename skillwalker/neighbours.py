"""Finds the target's rivals, and the requests that belong to them: their own suites' positives."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from skillwalker.datatypes.inputs import NeighbourCase, Target, TriggerCase
from skillwalker.errors import ConfigError, SuiteError, TargetError
from skillwalker.paths import Places
from skillwalker.steps.step_1_resolve import Pair, pairs_of
from skillwalker.suites.load import list_suites, load_suite
from skillwalker.suites.near_duplicates import group_near_duplicates
from skillwalker.targets.names import listed_at

SIBLINGS, NOBODY = "plugin", "none"
"""Words that `--neighbours` takes beside paths."""


def rivals_of(
    target: Target, siblings: Sequence[Target], neighbours: Sequence[str], places: Places
) -> tuple[Target, ...]:
    """Find what a model could choose instead of the target.

    Args:
        target: the skill or agent under trial.
        siblings: those of its own plugin or project.
        neighbours: `plugin` for the siblings, `none` alone for nobody, else paths of files or
            folders, relative to the project; each is searched for skills and agents.
        places: the project.

    Raises:
        ConfigError: `none` stands beside another.
        TargetError: there is nothing at a path, or it cannot be read.
    """
    if NOBODY in neighbours and len(set(neighbours)) > 1:
        raise ConfigError("--neighbours none stands alone; leave it or the others out")
    rivals: dict[Path, Target] = {}
    for name in neighbours:
        if name == SIBLINGS:
            found: Sequence[Target] = siblings
        else:
            found = () if name == NOBODY else _at(name, places)
        rivals.update({one.path.resolve(): one for one in found})
    rivals.pop(target.path.resolve(), None)
    return tuple(rivals.values())


def _at(written: str, places: Places) -> tuple[Target, ...]:
    """Read what is to stand beside the target at a path.

    Raises:
        TargetError: there is nothing, or it cannot be read.
    """
    path = places.project / written
    try:
        if not os.path.lexists(path):
            raise TargetError(
                "there is no such file or folder; name a SKILL.md, an agent's .md or a folder with"
                f" some, or {SIBLINGS} or {NOBODY}"
            )
        return listed_at(path, without=places.output_dir)
    except TargetError as error:
        raise TargetError(f"--neighbours {written}: {error}") from error


def neighbour_cases(
    places: Places,
    rivals: Sequence[Target],
    own: Sequence[TriggerCase],
    trial_models: Sequence[str] = (),
    resolve_model: Callable[[str], str] = str,
) -> tuple[NeighbourCase, ...]:
    """Find what users ask of the rivals, in every suite of the project.

    A prompt that the target's own suite has a case for is left to that.

    Args:
        places: the project.
        rivals: what is shown beside the target.
        own: the target's cases.
        trial_models: replace the model of every case; each is there under each of them.
        resolve_model: gives the full id behind an alias.

    Raises:
        SuiteError: a suite is wrong, so that it cannot be known whose requests it holds.
        TargetError: a suite names a target that cannot be read.
    """
    owners = {rival.path.resolve(): rival.id for rival in rivals}
    asked = {case.prompt for case in own}
    found: dict[tuple[str, str], NeighbourCase] = {}
    for pair in _pairs(places, rivals):
        owner = owners.get(pair.file)
        if owner is None:
            continue
        for case in pair.cases:
            if case.should_trigger and case.prompt not in asked:
                # A false alarm of the target here is a request taken from its owner.
                name = f"{owner} in {pair.suite}: {case.name}"
                for model in map(resolve_model, trial_models or (case.model,)):
                    negative = _as_negative(case, name, model)
                    found[name, model] = NeighbourCase(owner=owner, case=negative, group=name)
    return _grouped([found[key] for key in sorted(found)])


def _grouped(neighbours: Sequence[NeighbourCase]) -> tuple[NeighbourCase, ...]:
    """Join near-duplicates, and what is one request on several models, by the first one's name."""
    groups = group_near_duplicates([one.case.prompt for one in neighbours])
    return tuple(
        replace(one, group=neighbours[first].case.name)
        for one, first in zip(neighbours, groups, strict=True)
    )


def _as_negative(case: TriggerCase, name: str, model: str) -> TriggerCase:
    """Make a rival's request one in which the target should stay out."""
    return TriggerCase(
        name=name,
        prompt=case.prompt,
        should_trigger=False,
        model=model,
        scaffold=case.scaffold,
        tags=case.tags,
        max_turns=case.max_turns,
        timeout=case.timeout,
    )


def _pairs(places: Places, rivals: Sequence[Target]) -> Iterator[Pair]:
    """Go through the targets of all suites that are of a rival's kind."""
    kinds = sorted({rival.kind for rival in rivals})
    for name in list_suites(places) if kinds else ():
        try:
            suite = load_suite(places, name)
        except SuiteError as error:
            raise SuiteError(
                f"{error}\n--guard-neighbours reads every suite; mend this one, or leave the"
                " flag out"
            ) from error
        for kind in kinds:
            yield from pairs_of(suite, kind, places)
