"""What an eval run will do: its cases, chosen and checked before anything is spent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from skillwalker.completers.protocol import resolve_model
from skillwalker.config import EvalConfig
from skillwalker.datatypes.evals import PlannedCase
from skillwalker.datatypes.inputs import Case, Suite
from skillwalker.errors import ConfigError, SuiteError, TargetError
from skillwalker.evaluation.cases import CALL_KINDS, plan_case
from skillwalker.evaluation.known import KnownTargets
from skillwalker.faults import closest, quoted
from skillwalker.paths import Places, in_project
from skillwalker.suites.load import list_suites, load_suite

NO_ANSWERS = "simulated"
"""The engine that writes no answers and asks no model."""
ON_THIS_MACHINE = "local"
"""The engine in which a real plugin would act outside a container."""
MOST_NAMED = 5
"""Cases that a message lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOrder:
    """What is asked of an eval run."""

    suites: tuple[str, ...]
    """Their names; none means the only one there is."""
    tests: tuple[str, ...]
    """Names of the cases to run; none runs all."""
    engine: str
    config: EvalConfig


def plan_cases(places: Places, order: EvalOrder) -> tuple[PlannedCase, ...]:
    """Choose the cases and find out what each is run with.

    Raises:
        SuiteError: a suite is missing or wrong, no case has the name, or a case cannot be run
            as its type asks; every fault is a line.
        ConfigError: the engine cannot run a case of the chosen ones.
    """
    suites = tuple(_load_all(places, order.suites))
    chosen = [
        (suite, index, case)
        for suite in suites
        for index, case in enumerate(suite.cases)
        if not order.tests or case.name in order.tests
    ]
    _refuse_unknown(suites, order.tests)
    _refuse_what_cannot_run([(suite, case) for suite, _, case in chosen], order)
    resolve = str if order.engine == NO_ANSWERS else resolve_model
    known = KnownTargets(places)
    planned: list[PlannedCase] = []
    lines: list[str] = []
    for suite, index, case in chosen:
        try:
            planned.append(plan_case(known, suite, case, order.config, resolve_model=resolve))
        except TargetError as error:
            where = f"evals/{suite.name}/tests.json: tests[{index}] {quoted(case.name)}"
            lines += [f"{where}: {line}" for line in str(error).splitlines()]
    if lines:
        raise SuiteError("\n".join(lines))
    return tuple(planned)


def _refuse_unknown(suites: Sequence[Suite], tests: Sequence[str]) -> None:
    """See that every named case is one."""
    names = [case.name for suite in suites for case in suite.cases]
    where = ", ".join(suite.name for suite in suites)
    lines = [
        f"--test {quoted(test)}: {where} has no such case; {closest(test, names)}"
        for test in dict.fromkeys(tests)
        if test not in names
    ]
    if lines:
        raise SuiteError("\n".join(lines))


def _load_all(places: Places, names: Sequence[str]) -> Iterator[Suite]:
    """Read the suites; every fault of each is said at once."""
    known = list_suites(places)
    if not names and len(known) != 1:
        commands = (f"skillwalker evals run --eval {quote(name)}" for name in known)
        listed = "\n".join(f"  {in_project(command, places.said)}" for command in commands)
        if not known:
            raise SuiteError(f"there is no suite in {places.evals_dir}")
        raise SuiteError(f"there are several suites; choose some:\n{listed}")
    faults: list[SuiteError] = []
    for name in dict.fromkeys(names or known):
        try:
            yield load_suite(places, name)
        except SuiteError as error:
            faults.append(error)
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise SuiteError("\n".join(str(fault) for fault in faults))


def _refuse_what_cannot_run(chosen: Sequence[tuple[Suite, Case]], order: EvalOrder) -> None:
    work = [(suite, case) for suite, case in chosen if case.type not in CALL_KINDS]
    names = [f"{quoted(case.name)} ({suite.name}, {case.type})" for suite, case in work]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    named = ", ".join(names[:MOST_NAMED]) + more
    if work and order.engine == NO_ANSWERS:
        raise ConfigError(
            f"the simulated engine writes no answers, so it cannot run {named}; choose a call "
            "case with --test, or another engine with --engine"
        )
    if work and order.engine == ON_THIS_MACHINE and not order.config.unsafe_local:
        raise ConfigError(
            f"the real plugins of {named} would act on this machine; use --engine docker, or "
            "allow it with --unsafe-local"
        )
