"""Files of other tools written as a suite of this project, or not at all."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import CallExpectation, Suite, Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import SuiteError
from skillwalker.faults import quoted
from skillwalker.foreign.alike import notes_of_alike
from skillwalker.foreign.documents import read_document
from skillwalker.foreign.entries import Document, ForeignCase, Imported
from skillwalker.foreign.reading import ReadCases, read_cases
from skillwalker.foreign.shapes import IsTarget
from skillwalker.foreign.tree import (
    ForeignSuite,
    Test,
    about,
    copy_files,
    find_suites,
    is_suite,
    point_to,
    suite_of,
)
from skillwalker.paths import Places
from skillwalker.suites.load import TESTS_FILE
from skillwalker.suites.new_suite import (
    NewCase,
    drop_empty,
    missing_folders,
    plugins_of,
    require_new,
    suite_values,
    write_suite,
)
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.known import known_targets

MOST_NAMED = 5
"""Names that a note lists."""


def known_by(target: Target) -> IsTarget:
    """Make the question whether a name in another tool's file means a target.

    The file may call it by its bare name, with a plugin's name before it, as a slash command or
    by its file.
    """
    names = {target.name, target.id, *([target.alias] if target.alias else [])}

    def is_target(name: str) -> bool:
        plain = name.strip().removeprefix("/").removesuffix(f"/{SKILL_FILE}")
        return plain in names or plain.rpartition(":")[2] == target.name

    return is_target


def import_queries(
    files: Sequence[tuple[Path, str]], *, suite: str, target: Target, written: str, places: Places
) -> Imported:
    """Write the trigger evals of some files as a new suite.

    Args:
        files: each with the name that messages call it by.
        suite: the new suite's name.
        target: the skill or agent that the entries are about.
        written: the target as the cases name it.
        places: the project's folders.

    Raises:
        SuiteError: an entry cannot be read, or the suite exists; nothing was written.
    """
    require_new(suite, places)
    documents = _read_all(files)
    read = read_cases(documents, known_by(target))
    rivals = _rivals(read.cases, target, places)
    facts = KINDS[target.kind]

    def fill(_folder: Path) -> dict[str, object]:
        cases = [_case(case, rivals) for case in read.cases]
        return suite_values(cases, target, written, places)

    loaded = write_suite(suite, places, fill)
    return _imported(loaded, places, _notes(read, rivals, facts.noun))


def _read_all(files: Sequence[tuple[Path, str]]) -> list[Document]:
    """Read all files; those that cannot be read are named together.

    Raises:
        SuiteError: there is one.
    """
    documents: list[Document] = []
    faults: list[str] = []
    for path, label in files:
        try:
            documents.append(read_document(path, label))
        except SuiteError as error:
            faults.append(str(error))
    if faults:
        more = (fault for document in documents for fault in document.faults)
        raise SuiteError("\n".join((*faults, *more)))
    return documents


def import_suites(
    suites: Sequence[ForeignSuite],
    *,
    suite: str | None,
    target: Target | None,
    written: str | None,
    places: Places,
) -> tuple[Imported, ...]:
    """Write suites of our own form into this project, with the files that they name.

    Args:
        suites: what was found.
        suite: one name for all their cases; None keeps each suite by itself.
        target: takes only the cases about it; None takes all, and the project must have their
            targets.
        written: the target as the cases are to name it.
        places: the project's folders.

    Raises:
        SuiteError: something is missing or wrong, or a suite exists; nothing was written.
    """
    groups = [(suite, tuple(suites))] if suite else [(each.name, (each,)) for each in suites]
    for name, _ in groups:
        require_new(name, places)
    is_target = known_by(target) if target is not None else None
    created = missing_folders(places.evals_dir)
    done: list[Imported] = []
    try:
        for name, members in groups:
            done.append(_import_group(name, members, is_target, target, written, places))
    except BaseException:
        for each in done:
            shutil.rmtree(places.evals_dir / each.name, ignore_errors=True)
        drop_empty(created)
        raise
    return tuple(done)


def suites_at(path: Path, label: str) -> tuple[ForeignSuite, ...] | None:
    """Read the suites at a path; None where it is a file of another tool.

    Raises:
        SuiteError: a folder has no suite, or a file cannot be read.
    """
    try:
        if path.is_dir():
            return find_suites(path, label)
    except OSError as error:
        raise SuiteError(f"{label}: cannot be read ({error.strerror}); check the path") from error
    document = read_document(path, label)
    return (suite_of(document, path.parent.resolve()),) if is_suite(document) else None


def _import_group(
    name: str,
    members: Sequence[ForeignSuite],
    is_target: IsTarget | None,
    target: Target | None,
    written: str | None,
    places: Places,
) -> Imported:
    kept = [
        (member, [test for test in member.tests if is_target is None or about(test, is_target)])
        for member in members
    ]
    left_out = sum(len(member.tests) - len(tests) for member, tests in kept)
    if not any(tests for _, tests in kept):
        raise SuiteError(f"no case of {', '.join(m.label for m in members)} is about the target")

    def fill(folder: Path) -> dict[str, object]:
        faults: list[str] = []
        for member, tests in kept:
            prefix = member.name if len(members) > 1 else ""
            faults += copy_files(member, tests, folder, prefix)
            for test in tests:
                _adopt(test, prefix, is_target, written)
        if faults:
            raise SuiteError("\n".join(faults))
        plugins = list(dict.fromkeys(name for member, _ in kept for name in member.plugins))
        if target is not None:
            plugins = plugins_of(target, places)
        return {"plugins": plugins, "tests": [test for _, tests in kept for test in tests]}

    loaded = write_suite(name, places, fill)
    cases = "1 case" if left_out == 1 else f"{left_out} cases"
    notes = (f"left out: {cases} about other targets",) if left_out else ()
    return _imported(loaded, places, notes)


def _adopt(test: Test, prefix: str, is_target: IsTarget | None, written: str | None) -> None:
    if prefix:
        test["name"] = f"{prefix}: {test.get('name', '')}"
    if is_target is not None and written is not None:
        point_to(test, is_target, written)


def _case(case: ForeignCase, rivals: dict[str, str]) -> NewCase:
    return NewCase(
        name=case.name,
        prompt=case.prompt,
        should_trigger=case.should_trigger,
        tags=case.tags,
        preferred=rivals.get(case.preferred or ""),
    )


def _rivals(cases: Sequence[ForeignCase], target: Target, places: Places) -> dict[str, str]:
    """Find what should fire instead among this project's targets, the target's plugin first."""
    wanted = {case.preferred for case in cases if case.preferred is not None}
    if not wanted:
        return {}
    known = [each for kind in TargetKind for each in known_targets(places, kind)]
    known.sort(key=lambda each: each.plugin != target.plugin)
    found: dict[str, str] = {}
    for name in wanted:
        match = next((each.id for each in known if known_by(each)(name)), None)
        if match is not None:
            found[name] = match
    return found


def _notes(read: ReadCases, rivals: dict[str, str], noun: str) -> tuple[str, ...]:
    notes = []
    if read.others:
        notes.append(f"the file says that it is about {_some(read.others)}")
    if read.left_out:
        entries = "1 entry" if read.left_out == 1 else f"{read.left_out} entries"
        notes.append(f"left out: {entries} about other {noun}s")
    if read.repeated:
        count = len(read.repeated)
        entries = "1 entry" if count == 1 else f"{count} entries"
        more = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
        notes.append(
            f"left out: {entries} with the prompt and label of an earlier one"
            f" ({', '.join(read.repeated[:MOST_NAMED])}{more})"
        )
    notes += notes_of_alike(read.cases)
    unknown = {case.preferred for case in read.cases if case.preferred} - set(rivals)
    if unknown:
        names = _some(sorted(unknown))
        notes.append(f"what should fire instead is not in this project and was left out: {names}")
    return tuple(notes)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(quoted(name) for name in names[:MOST_NAMED]) + more


def _imported(suite: Suite, places: Places, notes: tuple[str, ...]) -> Imported:
    calls = [
        [call for call in case.expect if isinstance(call, CallExpectation)]
        for case in suite.cases
        if case.type in {facts.case_type for facts in KINDS.values()}
    ]
    positive = sum(any(call.expected for call in each) for each in calls)
    path = suite.path / TESTS_FILE
    inside = path.is_relative_to(places.project)
    return Imported(
        name=suite.name,
        path=(path.relative_to(places.project) if inside else path).as_posix(),
        positive=positive,
        negative=len(calls) - positive,
        other=len(suite.cases) - len(calls),
        notes=notes,
    )
