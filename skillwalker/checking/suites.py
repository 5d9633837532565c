"""What is wrong with the files of a suite, and which of its cases are about which target."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from skillwalker.checking.findings import (
    CheckedTarget,
    CheckFinding,
    TargetCase,
    TargetCases,
    split_remedy,
)
from skillwalker.datatypes.inputs import CallExpectation, Suite, Target
from skillwalker.datatypes.vocabulary import Severity, TargetKind
from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.paths import Places
from skillwalker.suites.files import PROMPTS, RUBRICS, SCAFFOLDS
from skillwalker.suites.load import TESTS_FILE, load_suite
from skillwalker.targets.file import list_target
from skillwalker.targets.kind import KINDS
from skillwalker.targets.resolved import ResolvedTargets
from skillwalker.user_files import read_regular

KEYS = {PROMPTS: "promptFile", RUBRICS: "rubricFile", SCAFFOLDS: "scaffold"}
"""Key by which a case names what lies in each folder of a suite."""
OTHERWISE = "correct it; 'skillwalker evals schema' prints the form"

_NAME = re.compile(r'"name"\s*:\s*("(?:[^"\\]|\\.)*")')
_CASE = re.compile(r'tests\[\d+\] ("(?:[^"\\]|\\.)*")')
_LINE = re.compile(r"line (\d+), column \d+: ")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlace:
    """A suite by its name, in the project that it belongs to."""

    places: Places
    name: str

    @property
    def path(self) -> Path:
        """Its tests.json."""
        return self.places.evals_dir / self.name / TESTS_FILE


@dataclass(slots=True)
class CheckedTargets:
    """The targets that were read, so that each is read and listed once."""

    by_path: dict[Path, CheckedTarget] = field(default_factory=dict)
    resolved: ResolvedTargets = field(default_factory=ResolvedTargets)

    def add(self, target: Target) -> CheckedTarget:
        """Take a target, or give the one that was read from that file before."""
        path = target.path.resolve()
        if path not in self.by_path:
            self.by_path[path] = CheckedTarget(target=target, listed=list_target(target))
        return self.by_path[path]

    def find(self, written: str, kind: TargetKind, places: Places) -> CheckedTarget:
        """Find what a suite that was read whole names, which is there."""
        return self.add(self.resolved.resolve(written, kind, places))


def read_suite(place: SuitePlace) -> tuple[Suite | None, tuple[CheckFinding, ...]]:
    """Read a suite; give it, or a finding for everything that the loader refuses."""
    try:
        return load_suite(place.places, place.name), ()
    except SuiteError as error:
        lines = _lines_of_names(place.path)
        return None, tuple(_fault(line, place, lines) for line in str(error).splitlines())


def _fault(text: str, place: SuitePlace, lines: dict[str, int]) -> CheckFinding:
    _, mark, said = text.partition(f"{TESTS_FILE}: ")
    said = said if mark else text
    at = _LINE.match(said)
    case = _CASE.match(said)
    line = int(at[1]) if at else lines.get(case[1]) if case else None
    message, remedy = split_remedy(said, OTHERWISE)
    return CheckFinding(
        rule="suite",
        severity=Severity.ERROR,
        path=place.path,
        line=line,
        message=message,
        remedy=remedy,
    )


def _lines_of_names(path: Path) -> dict[str, int]:
    """Give the line on which each case is named, by the name as messages quote it."""
    try:
        text = read_regular(path).decode("utf-8-sig")
    except (OSError, ValueError):
        return {}
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for match in _NAME.finditer(line):
            try:
                found.setdefault(quoted(json.loads(match[1])), number)
            except ValueError:
                continue
    return found


def cases_by_target(
    suite: Suite, place: SuitePlace, known: CheckedTargets
) -> tuple[TargetCases, ...]:
    """Sort the call cases of a suite by the target that they are about."""
    lines = _lines_of_names(place.path)
    found: dict[Path, CheckedTarget] = {}
    cases: defaultdict[Path, list[TargetCase]] = defaultdict(list)
    for case in suite.cases:
        for call in case.expect:
            if isinstance(call, CallExpectation) and case.type is KINDS[call.kind].case_type:
                checked = known.find(call.target, call.kind, place.places)
                path = checked.target.path.resolve()
                found[path] = checked
                line = lines.get(quoted(case.name))
                cases[path].append(TargetCase(case=case, line=line, expected=call.expected))
    return tuple(
        TargetCases(suite=suite, path=place.path, checked=checked, cases=tuple(cases[path]))
        for path, checked in found.items()
    )


def check_files(place: SuitePlace) -> Iterator[CheckFinding]:
    """Find what lies in a suite and is named by no case of it."""
    try:
        raw = json.loads(read_regular(place.path).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return  # said already
    for part, key in KEYS.items():
        used = set(_values(raw, key))
        for path in _there(place.path.parent / part, whole=part == SCAFFOLDS):
            name = path.relative_to(place.path.parent / part).as_posix()
            if not any(each == name or each.startswith(f"{name}/") for each in used):
                yield CheckFinding(
                    rule="unused-file",
                    severity=Severity.WARNING,
                    path=path,
                    line=None,
                    message=f"no case of the suite {quoted(place.name)} names it",
                    remedy=f'name it as "{key}" in a case, or remove it',
                )


def _values(raw: object, key: str) -> Iterator[str]:
    waiting = [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(value.get(key), str):
                yield value[key]
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _there(folder: Path, *, whole: bool) -> list[Path]:
    """List the files of a folder, or the folders in it, without hidden ones."""
    if not folder.is_dir():
        return []
    if whole:
        return sorted(path for path in folder.iterdir() if path.is_dir())
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")


def check_folder(evals_dir: Path) -> Iterator[CheckFinding]:
    """Find folders that look like a suite and have no tests.json."""
    if not evals_dir.is_dir():
        return
    for folder in sorted(path for path in evals_dir.iterdir() if path.is_dir()):
        looks_like_one = (folder / PROMPTS).is_dir() or any(folder.glob("*.json"))
        if looks_like_one and not (folder / TESTS_FILE).exists():
            yield CheckFinding(
                rule="no-tests",
                severity=Severity.ERROR,
                path=folder,
                line=None,
                message=f"holds no {TESTS_FILE}, so it is no suite",
                remedy="write one, or read another tool's file by 'skillwalker evals import'",
            )
