"""One case of an eval run: which target it is about, and what is installed for its trials.

Four types of case, four plans. A call case measures a description, so it gets the throw-away copy
of step 3 and stops at the first call. A prompt case measures the work, so it gets the suite's real
plugins and runs to its end; an agent-prompt case is a prompt case whose prompt asks for the agent.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import Aim, EvalCase, Loaded, PlannedCase
from skillwalker.datatypes.inputs import CallExpectation, Case, JudgeExpectation, Suite, Target
from skillwalker.datatypes.trials import CalledAs
from skillwalker.datatypes.vocabulary import CaseType, Position, TargetKind
from skillwalker.errors import TargetError
from skillwalker.evaluation.known import KnownTargets
from skillwalker.paths import Places
from skillwalker.targets.file import list_target, require_triggerable
from skillwalker.targets.kind import KINDS
from skillwalker.targets.place import PROJECT_FOLDER, place_of

CALL_KINDS: Final = {KINDS[kind].case_type: kind for kind in TargetKind}
"""The call types, and the kind of target that each measures."""
CALL_TURNS, CALL_TIMEOUT = 4, 180.0
"""Limits of a call case: those of the loop."""
WORK_TURNS, WORK_TIMEOUT = 100, 1800.0
"""Limits of a prompt case: far beyond what work takes, so that only what hangs is ended."""
DELEGATION = "Use the {agent} agent for this task, and give me its answer:\n\n{prompt}"


def plan_case(
    known: KnownTargets,
    suite: Suite,
    case: Case,
    config: EvalConfig,
    *,
    resolve_model: Callable[[str], str] = str,
) -> PlannedCase:
    """Find out what a case is run with.

    Args:
        known: the targets of the project.
        suite: that the case is of.
        case: as written.
        config: of the run.
        resolve_model: gives the full id behind an alias, which means another model in each version
            of Claude Code.

    Raises:
        TargetError: a target is missing, can never trigger, or cannot be installed for this type.
    """
    case = replace(case, model=resolve_model(config.trial_model or case.model))
    calls = [
        known.resolve(one.target, one.kind) if isinstance(one, CallExpectation) else None
        for one in case.expect
    ]
    kind = CALL_KINDS.get(case.type)
    if kind is not None:
        return _plan_call(known, _own_target(known, case, kind), suite, case, calls, config)
    return _plan_work(known, suite, case, calls, config)


# --- a call case: a throw-away copy, stopped at the call ----------------------------------------


def _own_target(known: KnownTargets, case: Case, kind: TargetKind) -> Target:
    """Find what a call case measures: its own target, else that of its first call expectation."""
    calls = (one for one in case.expect if isinstance(one, CallExpectation) and one.kind is kind)
    written = case.target if case.target is not None else next(calls).target
    return known.resolve(written, kind, triggerable=True)


def _plan_call(
    known: KnownTargets,
    own: Target,
    suite: Suite,
    case: Case,
    calls: Sequence[Target | None],
    config: EvalConfig,
) -> PlannedCase:
    loaded = known.with_siblings(own)
    names = known.names(calls, loaded)
    for target, found in zip(calls, names, strict=True):
        if target is not None and found is None:
            raise TargetError(
                f"expects something of {target.id}, which a case of type {case.type} about {own.id}"
                " does not install; make it a prompt case"
            )
    own_names = known.called_as(own, loaded)
    only_own = all(one is not None and one.path.samefile(own.path) for one in calls)
    return PlannedCase(
        case=_eval_case(suite, case, names, config, turns=CALL_TURNS, timeout=CALL_TIMEOUT),
        prompt=case.prompt,
        scaffold=case.scaffold,
        loaded=Loaded(copied=loaded),
        stops_at=own_names if only_own else None,
        aim=Aim(
            target=own,
            called_as=own_names,
            expected=_expected(case, calls, own),
        ),
    )


# --- a prompt case: real plugins, run to its end ------------------------------------------------


def _plan_work(
    known: KnownTargets,
    suite: Suite,
    case: Case,
    calls: Sequence[Target | None],
    config: EvalConfig,
) -> PlannedCase:
    agent = None
    if case.type is CaseType.AGENT_PROMPT and case.target is not None:
        agent = known.resolve(case.target, TargetKind.AGENT, triggerable=True)
    named = [target for target in (*calls, agent) if target is not None]
    plugin_dirs, project = _folders(known.places, suite, named)
    roots = (*plugin_dirs, *([project / PROJECT_FOLDER] if project else []))
    listed = tuple(target for root in roots for target in known.listed_in(root))
    names = known.names(calls, listed)
    for target, found in zip(calls, names, strict=True):
        if target is not None and found is None:
            require_triggerable(target)
            raise TargetError(f"{target.id} is not installed in this case's trials")
    prompt = case.prompt
    if agent is not None:
        prompt = DELEGATION.format(agent=list_target(agent).name or agent.name, prompt=prompt)
    return PlannedCase(
        case=_eval_case(suite, case, names, config, turns=WORK_TURNS, timeout=WORK_TIMEOUT),
        prompt=prompt,
        scaffold=case.scaffold,
        loaded=Loaded(plugin_dirs=plugin_dirs, project_dir=project),
        stops_at=None,
        aim=_aim(case, [*calls, agent], [*names, *known.names([agent], listed)]),
        may_act=True,
    )


def _aim(
    case: Case, targets: Sequence[Target | None], names: Sequence[CalledAs | None]
) -> Aim | None:
    """Give the first target that a call is expected of, else the agent that gets the prompt."""
    for target, called in zip(targets, names, strict=True):
        if target is not None and called is not None:
            expected = _expected(case, targets[: len(case.expect)], target)
            return Aim(target=target, called_as=called, expected=expected)
    return None


def _folders(
    places: Places, suite: Suite, named: Sequence[Target]
) -> tuple[tuple[Path, ...], Path | None]:
    """Give the suite's plugins and those of named targets, and the project if it is needed."""
    found = [folder for name in suite.plugins if (folder := places.plugin_folder(name))]
    project = None
    for target in named:
        root = place_of(target.path, target.kind, target.position).root
        if target.position is Position.PLUGIN:
            found.append(root)
        elif root == places.project / PROJECT_FOLDER:
            project = places.project
        else:
            raise TargetError(
                f"{target.id} lies in {root}, and only the project's own {PROJECT_FOLDER} can be "
                "installed with its real files; copy it there, or make this a call case"
            )
    distinct: dict[Path, Path] = {}
    for folder in found:
        distinct.setdefault(folder.resolve(), folder)
    return tuple(distinct.values()), project


# --- both ---------------------------------------------------------------------------------------


def _expected(case: Case, calls: Sequence[Target | None], own: Target) -> bool | None:
    """Say whether a case expects a call of a target; None when it does not say."""
    for expectation, target in zip(case.expect, calls, strict=True):
        if target is None or not isinstance(expectation, CallExpectation):
            continue
        if target.path.samefile(own.path):
            return expectation.expected
    return None


def _eval_case(
    suite: Suite,
    case: Case,
    names: tuple[CalledAs | None, ...],
    config: EvalConfig,
    *,
    turns: int,
    timeout: float,
) -> EvalCase:
    """Make the part that is recorded: paths are those inside the suite's folder."""
    scaffold = case.scaffold
    return EvalCase(
        suite=suite.name,
        case=replace(
            case,
            scaffold=None if scaffold is None else _inside(scaffold, suite),
            expect=tuple(
                replace(one, rubric_file=_inside(one.rubric_file, suite))
                if isinstance(one, JudgeExpectation)
                else one
                for one in case.expect
            ),
        ),
        plugins=suite.plugins,
        called_as=names,
        runs=case.runs or config.repeats,
        max_turns=case.max_turns or config.max_turns or turns,
        timeout=case.timeout or config.timeout or timeout,
    )


def _inside(path: Path, suite: Suite) -> Path:
    return path.relative_to(suite.path) if path.is_relative_to(suite.path) else path
