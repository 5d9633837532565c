"""Step 1: takes a suite's and a target's name, gives the target and the cases that concern it.

A name that is left out is found when there is only one thing it can mean; else the user is told
what there is to choose from, as the command line to type.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

from skillwalker.datatypes.inputs import CallExpectation, Case, Suite, Target, TriggerCase
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import SuiteError, TargetError
from skillwalker.faults import quoted
from skillwalker.paths import Places, in_project
from skillwalker.suites.load import list_suites, load_suite
from skillwalker.targets.kind import KINDS
from skillwalker.targets.names import resolve_either, resolve_target, siblings

MEASURE = "measure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What a run is about."""

    target: Target
    suite: str
    cases: tuple[TriggerCase, ...]
    """Sorted by name, so that their order in the file changes nothing."""
    siblings: tuple[Target, ...]
    """Listed beside the target: its rivals."""
    metrics: tuple[str, ...] = ()
    """Those that the suite has tracked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A target and a suite that has cases for it."""

    target: Target
    suite: str
    cases: tuple[TriggerCase, ...]

    @property
    def file(self) -> Path:
        """What two spellings of one target have in common."""
        return self.target.path.resolve()


def resolve(
    places: Places,
    *,
    kind: TargetKind,
    suite: str | None,
    target: str | None,
    trial_models: Sequence[str] = (),
    run_kind: str | None = None,
) -> Resolved:
    """Find the one target and the one suite that are meant.

    Args:
        places: the project.
        kind: skill or agent.
        suite: its name; None means the one that has cases for the target.
        target: in any written form; None means the one that the suite has cases for.
        trial_models: replace the model of every case; each case is there under each of them.
        run_kind: the command that asks, scil, acil or measure; a message proposes the same.

    Raises:
        SuiteError: no suite has cases for the target, or several have; or a suite is wrong.
        TargetError: the target is unknown, or there are several to choose from.
    """
    wanted = resolve_target(target, kind, places) if target is not None else None
    suites = _load_all(places, suite, (kind,), run_kind, wanted)
    pairs = [
        pair
        for loaded in suites
        for pair in pairs_of(loaded, kind, places)
        if wanted is None or pair.file == wanted.path.resolve()
    ]
    if not pairs:
        raise SuiteError(_nothing_found(places, kind, suites, wanted))
    if len({pair.file for pair in pairs}) > 1:
        problem = f"several {KINDS[kind].plural} have cases"
        raise TargetError(_choice(kind, problem, pairs, run_kind, places))
    if len(pairs) > 1:
        problem = f"several suites have cases for {pairs[0].target.id}"
        raise SuiteError(_choice(kind, problem, pairs, run_kind, places))
    pair = pairs[0]
    found = wanted if wanted is not None else pair.target
    cases = pair.cases
    if trial_models:
        cases = tuple(replace(case, model=model) for case in cases for model in trial_models)
    metrics = next((one.metrics for one in suites if one.name == pair.suite), ())
    return Resolved(
        target=found, suite=pair.suite, cases=cases, siblings=siblings(found), metrics=metrics
    )


def kind_meant(places: Places, *, target: str | None, suite: str | None) -> TargetKind:
    """Find out whether a skill or an agent is meant where a command takes both.

    Raises:
        TargetError: the target is neither, or is both and the suites do not tell.
        SuiteError: without a target, the suites have cases of both kinds or of none.
    """
    kinds = tuple(TargetKind)
    if target is not None:
        kinds = tuple(each.kind for each in resolve_either(target, places))
    if len(kinds) == 1:
        return kinds[0]
    suites = _load_all(places, suite, kinds, MEASURE)
    tested = tuple(kind for kind in kinds if any(any(_calls(one, kind)) for one in suites))
    if len(tested) == 1:
        return tested[0]
    if target is not None:
        raise SuiteError(
            f"{quoted(target)} names a skill and an agent, and the suites have cases for"
            f" {' and '.join(tested) or 'neither'}; name the target's file"
        )
    if not tested:
        raise SuiteError(_nothing_found(places, TargetKind.SKILL, suites, None))
    found = (
        (kind, pair) for kind in tested for one in suites for pair in pairs_of(one, kind, places)
    )
    lines = _commands(found, MEASURE, places)
    raise SuiteError("\n".join(("skills and agents have cases; choose one:", *lines)))


def _load_all(
    places: Places,
    suite: str | None,
    kinds: Sequence[TargetKind],
    run_kind: str | None,
    wanted: Target | None = None,
) -> tuple[Suite, ...]:
    """Read the suite that is named, else all of them.

    Raises:
        SuiteError: one of them is broken; the message names each, and what else can be run.
    """
    if suite is not None:
        return (load_suite(places, suite),)
    loaded, faults = [], []
    for name in list_suites(places):
        try:
            loaded.append(load_suite(places, name))
        except SuiteError as error:
            faults.append(str(error))
    if faults:
        pairs = (
            (kind, pair)
            for one in loaded
            for kind in kinds
            for pair in pairs_of(one, kind, places)
            if wanted is None or pair.file == wanted.path.resolve()
        )
        lines = _commands(pairs, run_kind, places)
        head = ["correct that, or choose a suite that is right:"] if lines else []
        raise SuiteError("\n".join((*faults, *head, *lines)))
    return tuple(loaded)


def pairs_of(suite: Suite, kind: TargetKind, places: Places) -> list[Pair]:
    """Sort the call cases of a suite by their targets, whatever way these are written.

    Raises:
        TargetError: a target of the suite cannot be read.
    """
    read: dict[str, Target] = {}
    targets: dict[Path, Target] = {}
    cases: dict[Path, dict[str, TriggerCase]] = {}
    for case, call in _calls(suite, kind):
        if call.target not in read:
            read[call.target] = resolve_target(call.target, kind, places)
        target = read[call.target]
        file = target.path.resolve()
        # of two spellings the same one, wherever they stand in the file
        targets[file] = min(targets.get(file, target), target, key=lambda one: str(one.path))
        cases.setdefault(file, {})[case.name] = _trigger_case(case, call.expected)
    return [
        Pair(
            target=target,
            suite=suite.name,
            cases=tuple(found for _, found in sorted(cases[file].items())),
        )
        for file, target in targets.items()
    ]


def _calls(suite: Suite, kind: TargetKind) -> Iterator[tuple[Case, CallExpectation]]:
    for case in suite.cases:
        if case.type is KINDS[kind].case_type:
            for call in case.expect:
                if isinstance(call, CallExpectation) and call.kind is kind:
                    yield case, call


def _trigger_case(case: Case, expected: bool) -> TriggerCase:
    return TriggerCase(
        name=case.name,
        prompt=case.prompt,
        should_trigger=expected,
        model=case.model,
        scaffold=case.scaffold,
        tags=case.tags,
        runs=case.runs,
        max_turns=case.max_turns,
        timeout=case.timeout,
        preferred=case.preferred,
    )


def _choice(
    kind: TargetKind, problem: str, pairs: Sequence[Pair], run_kind: str | None, places: Places
) -> str:
    lines = _commands(((kind, pair) for pair in pairs), run_kind, places)
    return "\n".join((f"{problem}; choose one:", *lines))


def _commands(
    pairs: Iterable[tuple[TargetKind, Pair]], run_kind: str | None, places: Places
) -> list[str]:
    commands = {in_project(_command(*pair, run_kind), places.said) for pair in pairs}
    return [f"  {command}" for command in sorted(commands)]


def _command(kind: TargetKind, pair: Pair, run_kind: str | None) -> str:
    facts, target, suite = KINDS[kind], quote(pair.target.id), quote(pair.suite)
    if run_kind == MEASURE:
        return f"skillwalker measure {target} --eval {suite}"
    return f"{facts.run_prefix} run --eval {suite} {facts.option} {target}"


def _nothing_found(
    places: Places, kind: TargetKind, suites: Sequence[Suite], wanted: Target | None
) -> str:
    facts = KINDS[kind]
    if not suites:
        return (
            f"there is no suite in {places.evals_dir}; {_first_suite(places, kind, wanted)}, or"
            f" write {_shown(places)}/<suite>/tests.json (skillwalker evals schema prints its form)"
        )
    of_target = f" for {wanted.id}" if wanted is not None else ""
    lines = (f"  {suite.name}: {_contents(suite)}" for suite in suites)
    return "\n".join(
        (
            f"no {facts.case_type} case{of_target}; add some with the expectation "
            f'{{"{facts.expectation}": true}} or {{"{facts.expectation}": false}}, or'
            f" {_first_suite(places, kind, wanted)}. There is:",
            *lines,
        )
    )


def _first_suite(places: Places, kind: TargetKind, wanted: Target | None) -> str:
    """Name the commands that make a suite."""
    named = quote(wanted.id) if wanted is not None else "TARGET"
    target = f"{KINDS[kind].option} {named}"
    made = {
        f"init {target}": "writes examples, free",
        f"evals draft {target}": "lets Claude propose cases",
        "evals import FILE": "takes other tools' evals",
    }
    commands = {in_project(f"skillwalker {words}", places.said): why for words, why in made.items()}
    return "make one: " + ", ".join(f"{command} ({why})" for command, why in commands.items())


def _shown(places: Places) -> Path:
    inside = places.evals_dir.is_relative_to(places.project)
    return places.evals_dir.relative_to(places.project) if inside else places.evals_dir


def _contents(suite: Suite) -> str:
    counts = Counter((case.type, case.target) for case in suite.cases)
    return ", ".join(
        f"{count} {kind} for {target}" if target is not None else f"{count} {kind}"
        for (kind, target), count in sorted(counts.items(), key=str)
    )
