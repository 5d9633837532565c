"""Suites that have our form already: the reference's `test-suites/`, or a suite of elsewhere."""

import copy
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.foreign.documents import read_document
from skillwalker.foreign.entries import Document
from skillwalker.foreign.shapes import IsTarget
from skillwalker.suites.files import PROMPTS, RUBRICS, SCAFFOLDS, SuiteFiles
from skillwalker.suites.load import TESTS_FILE

Test = dict[str, object]
TARGET_KEYS = ("skillFile", "agentFile")
CALLS = {"skill-call": "skill", "agent-call": "agent"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignSuite:
    """A folder with a tests.json that is not under this project's evals."""

    name: str
    folder: Path
    label: str
    plugins: tuple[str, ...]
    tests: tuple[Test, ...]


def is_suite(document: Document) -> bool:
    """Say whether a file is a tests.json of our form rather than a list of queries."""
    value = document.value
    tests = value.get("tests") if isinstance(value, Mapping) else None
    if not isinstance(tests, list) or not tests:
        return False
    return any(
        isinstance(test, Mapping)
        and (isinstance(test.get("expect"), list) or any(key in test for key in TARGET_KEYS))
        for test in tests
    )


def find_suites(path: Path, label: str) -> tuple[ForeignSuite, ...]:
    """Read the suites at a folder: itself, or those in it.

    Raises:
        SuiteError: there is none, or one has no list of tests.
    """
    folders = [path] if (path / TESTS_FILE).is_file() else sorted(_holders(path))
    if not folders:
        raise SuiteError(
            f"{label}: holds no {TESTS_FILE}, nor does a folder in it; name the files instead"
        )
    return tuple(
        _read(folder, f"{label}/{folder.name}" if folder != path else label) for folder in folders
    )


def suite_of(document: Document, folder: Path) -> ForeignSuite:
    """Take a tests.json of our form as the suite of the folder that it lies in.

    Raises:
        SuiteError: it has no list of tests, or one of them is no object.
    """
    value = document.value
    tests = value.get("tests") if isinstance(value, Mapping) else None
    plugins = value.get("plugins") if isinstance(value, Mapping) else None
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise SuiteError(f'{document.label}: "tests" must be a list of objects')
    return ForeignSuite(
        name=folder.name,
        folder=folder,
        label=document.label,
        plugins=tuple(name for name in plugins if isinstance(name, str))
        if isinstance(plugins, list)
        else (),
        tests=tuple(copy.deepcopy(tests)),
    )


def _holders(path: Path) -> Iterator[Path]:
    return (child for child in path.iterdir() if (child / TESTS_FILE).is_file())


def _read(folder: Path, label: str) -> ForeignSuite:
    return suite_of(read_document(folder / TESTS_FILE, f"{label}/{TESTS_FILE}"), folder.resolve())


def about(test: Test, is_target: IsTarget) -> bool:
    """Say whether a test has to do with the target."""
    return any(is_target(name) for _, _, name in _targets(test))


def point_to(test: Test, is_target: IsTarget, written: str) -> None:
    """Let a test name the target as this project does."""
    for holder, key, name in _targets(test):
        if is_target(name):
            holder[key] = written


def _targets(test: Test) -> Iterator[tuple[dict[str, object], str, str]]:
    """Give every place in a test that names a target."""
    places = [(test, key) for key in TARGET_KEYS]
    expect = test.get("expect")
    for claim in expect if isinstance(expect, list) else ():
        for key, noun in CALLS.items():
            call = claim.get(key) if isinstance(claim, dict) else None
            if isinstance(call, dict):
                places.append((call, noun))
    for holder, key in places:
        name = holder.get(key)
        if isinstance(name, str):
            yield holder, key, name


def copy_files(suite: ForeignSuite, tests: Sequence[Test], into: Path, prefix: str) -> list[str]:
    """Copy what tests name into a suite's folder, and let them name the copies.

    Args:
        suite: where the files lie.
        tests: some of its tests; their names of files are changed.
        into: the new suite's folder.
        prefix: folder inside `prompts/`, `rubrics/` and `scaffolds/`; empty for none.

    Returns:
        A line for every file that is missing, unreadable or outside the suite.
    """
    source = SuiteFiles(folder=suite.folder)
    faults = []
    for at, test in enumerate(tests):
        for part, holder, key in _files(test):
            name = str(holder[key])
            try:
                _copy(source, part, name, into / part / prefix)
            except SuiteError as error:
                faults.append(f"{suite.label}: tests[{at}] {quoted(key)} {error}")
            holder[key] = f"{prefix}/{name}" if prefix else name
    return faults


def _files(test: Test) -> Iterator[tuple[str, dict[str, object], str]]:
    named = [(PROMPTS, test, "promptFile"), (SCAFFOLDS, test, "scaffold")]
    expect = test.get("expect")
    for claim in expect if isinstance(expect, list) else ():
        judge = claim.get("llm-judge") if isinstance(claim, dict) else None
        if isinstance(judge, dict):
            named.append((RUBRICS, judge, "rubricFile"))
    for part, holder, key in named:
        if isinstance(holder.get(key), str):
            yield part, holder, key


def _copy(source: SuiteFiles, part: str, name: str, into: Path) -> None:
    if part == SCAFFOLDS:
        if not (into / name).exists():
            shutil.copytree(source.scaffold(name), into / name, symlinks=True)
        return
    path = source.rubric(name) if part == RUBRICS else source.folder / PROMPTS / name
    if part == PROMPTS:
        source.prompt(name)
    (into / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, into / name)
