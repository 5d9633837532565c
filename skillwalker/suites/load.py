"""tests.json read and checked whole: a suite is either right in every line, or refused."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from skillwalker.datatypes.inputs import CallExpectation, Case, Suite
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import ConfigNotFoundError, SuiteError, TargetError
from skillwalker.faults import Loc, closest, find_faults, place, quoted, shown
from skillwalker.normal_form import normal_form
from skillwalker.paths import Places, is_file_name
from skillwalker.suites.cases import UnfinishedCase, build_case, draft_case
from skillwalker.suites.files import SuiteFiles
from skillwalker.suites.named import metric_faults, plugin_faults
from skillwalker.suites.schema import SuiteForm
from skillwalker.targets.kind import KINDS
from skillwalker.targets.names import resolve_either, resolve_target
from skillwalker.user_files import is_special, read_regular

TESTS_FILE = "tests.json"

Calls = dict[tuple[TargetKind, str], Path | TargetError]
"""What each written target is: its file, or why there is none."""


def list_suites(places: Places) -> tuple[str, ...]:
    """List the folders that hold a tests.json, by name."""
    try:
        entries = sorted(places.evals_dir.iterdir())
        return tuple(
            path.name for path in entries if is_file_name(path.name) and _holds_tests(path)
        )
    except OSError:
        return ()


def load_suite(places: Places, name: str) -> Suite:
    """Read a suite and check everything that can be checked without running a trial.

    Raises:
        ConfigNotFoundError: there is no such suite, or it has no tests.json.
        SuiteError: something in it is wrong; the message has one line for every fault.
    """
    folder = places.evals_dir / name
    if not is_file_name(name) or not _holds_tests(folder):
        raise ConfigNotFoundError(_no_suite(name, places))
    label = _relative(folder / TESTS_FILE, places)
    raw = _read_json(folder / TESTS_FILE, label)
    head, lines = _check_head(raw, places)
    entries = raw.get("tests")
    drafts = [draft_case(index, entry) for index, entry in enumerate(_listed(entries))]
    cases = [build_case(draft, SuiteFiles(folder=folder)) for draft in drafts]
    for loc, key in _repeats([*_listed(entries)]):
        drafts[int(loc[0])].faults.append(_twice(loc[1:], key))
    _check_cases(drafts, cases, places)
    lines += [f"{_tag(draft)}: {fault}" for draft in drafts for fault in draft.faults]
    if lines:
        raise SuiteError("\n".join(f"{label}: {line}" for line in lines))
    return Suite(
        name=name,
        path=folder,
        plugins=tuple(head.plugins),
        cases=tuple(cases),
        metrics=tuple(head.metrics),
    )


def _no_suite(name: str, places: Places) -> str:
    where = _relative(places.evals_dir, places)
    known = list_suites(places)
    if not known:
        return (
            f"there is no suite {quoted(name)}, nor any other in {where}/; write "
            f"{where}/<suite>/{TESTS_FILE} (skillwalker evals schema prints its form)"
        )
    return (
        f"there is no suite {quoted(name)}: a suite is a folder in {where}/ "
        f"that holds a {TESTS_FILE}; {closest(name, known)}"
    )


def _holds_tests(folder: Path) -> bool:
    # a pipe of that name is no tests.json either, but a reason to say so
    return (folder / TESTS_FILE).is_file() or is_special(folder / TESTS_FILE)


def _read_json(path: Path, label: str) -> Mapping[str, object]:
    try:
        text = read_regular(path).decode("utf-8-sig")
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_read_integer,
            object_pairs_hook=_Object,
        )
    except UnicodeDecodeError as error:
        raise SuiteError(
            f"{label}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except json.JSONDecodeError as error:
        raise SuiteError(
            f"{label}: line {error.lineno}, column {error.colno}: invalid JSON "
            f"({error.msg}); JSON has no comments, no single quotes and no comma before a bracket"
        ) from error
    except RecursionError as error:
        raise SuiteError(f"{label}: is nested too deep; flatten it") from error
    except ValueError as error:
        raise SuiteError(f"{label}: invalid JSON: {error}; correct the number") from error
    except OSError as error:
        raise SuiteError(f"{label}: cannot be read ({error.strerror})") from error
    if not isinstance(value, Mapping):
        raise SuiteError(
            f'{label}: must be an object with "tests", not {shown(value)}; '
            "skillwalker evals import reads other tools' files"
        )
    return value


class _Object(dict[str, object]):
    """A JSON object that remembers which of its keys were written more than once."""

    def __init__(self, pairs: Sequence[tuple[str, object]]) -> None:
        # half a surrogate pair in a key: no key of ours, and pydantic refuses the whole object
        super().__init__((key.encode(errors="replace").decode(), value) for key, value in pairs)
        counts = Counter(key for key, _ in pairs)
        self.repeated = tuple(key for key, times in counts.items() if times > 1)


def _read_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:  # more than Python reads
        raise ValueError(f"a whole number of {len(digits):,} digits") from error


def _refuse_constant(word: str) -> object:
    raise ValueError(f"{word} is no number of JSON")


def _check_head(raw: Mapping[str, object], places: Places) -> tuple[SuiteForm, list[str]]:
    """Check everything but the cases; give it and a line for every fault."""
    lines = [_twice(loc, key) for loc, key in _repeats(raw) if loc[:1] != ("tests",)]
    entries = raw.get("tests")
    if isinstance(entries, list) and entries:
        raw = {**raw, "tests": [{}]}  # the cases are checked one by one
    lines += [
        *plugin_faults(raw.get("plugins"), places),
        *metric_faults(raw.get("metrics"), places),
    ]
    try:
        return SuiteForm.model_validate(raw), lines
    except ValidationError as error:
        faults = [fault.message for fault in find_faults(error, SuiteForm)]
        return SuiteForm.model_construct(), faults + lines


def _repeats(raw: object) -> Iterator[tuple[Loc, str]]:
    """Find the keys that stand twice in one object, of which JSON would drop the first."""
    waiting: list[tuple[Loc, object]] = [((), raw)]
    while waiting:
        loc, value = waiting.pop()
        if isinstance(value, _Object):
            yield from ((loc, key) for key in value.repeated)
            waiting += [((*loc, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [((*loc, index), inner) for index, inner in enumerate(value)]


def _twice(loc: Loc, key: str) -> str:
    return f"{place((*loc, key))} is written twice; keep one"


def _check_cases(drafts: Sequence[UnfinishedCase], cases: Sequence[Case], places: Places) -> None:
    """Note what is wrong with cases in the light of the others and of the project."""
    _check_names(drafts)
    found = _find_targets(drafts, cases, places)
    _check_polarity(drafts, cases, found)


def _check_names(drafts: Sequence[UnfinishedCase]) -> None:
    first: dict[str, UnfinishedCase] = {}
    for draft in drafts:
        if draft.form.name is not None:
            # two ways to compose a letter look the same to people
            other = first.setdefault(normal_form("NFC", draft.form.name), draft)
            if other is not draft:
                draft.faults.append(f'"name" is also that of tests[{other.index}]; change one')


def _find_targets(drafts: Sequence[UnfinishedCase], cases: Sequence[Case], places: Places) -> Calls:
    """Look every written target up once; a case that names an unknown one is faulty.

    A file that cannot be read is no fault of the cases that name it: it is said once.
    """
    found: Calls = {}
    closed: set[str] = set()
    for draft, case in zip(drafts, cases, strict=True):
        for key, kind, written in dict.fromkeys(_written_targets(draft, case)):
            if (kind, written) not in found:
                found[kind, written] = _file_of(written, kind, places)
            fault = found[kind, written]
            if isinstance(fault, TargetError) and (said := _one_line(fault)) not in closed:
                draft.faults.append(f'"{key}": {said}')
                closed |= {said} if isinstance(fault.__cause__, OSError) else set()
        if case.preferred is not None:
            draft.faults += _preferred_faults(case.preferred, places)
    return found


def _preferred_faults(written: str, places: Places) -> list[str]:
    """Say why what should fire instead is no target; it may be a skill or an agent."""
    try:
        resolve_either(written, places)
    except TargetError as error:
        return [f'"preferred": {_one_line(error)}']
    return []


def _written_targets(draft: UnfinishedCase, case: Case) -> Iterator[tuple[str, TargetKind, str]]:
    for kind in TargetKind:
        file = draft.form.file_of(kind)
        if file is not None:
            yield KINDS[kind].suite_key, kind, file
    for call in case.expect:
        if isinstance(call, CallExpectation) and call.target != draft.form.file_of(call.kind):
            yield f"expect {KINDS[call.kind].expectation}", call.kind, call.target
    for _, form in draft.salvaged:
        for kind in TargetKind:
            salvaged = form.call(kind)
            written = None if salvaged is None or isinstance(salvaged, bool) else salvaged.target
            if written is not None and written != draft.form.file_of(kind):
                yield f"expect {KINDS[kind].expectation}", kind, written


def _file_of(written: str, kind: TargetKind, places: Places) -> Path | TargetError:
    try:
        return resolve_target(written, kind, places).path.resolve()
    except TargetError as error:
        return error


def _one_line(error: TargetError) -> str:
    return "; ".join(str(error).splitlines())


def _check_polarity(drafts: Sequence[UnfinishedCase], cases: Sequence[Case], found: Calls) -> None:
    first: dict[tuple[str, Path, bool], int] = {}
    for index, case in enumerate(cases):
        prompt = normal_form("NFC", " ".join(case.prompt.split()))
        for call, file in _known_calls(case, found) if prompt else ():
            first.setdefault((prompt, file, call.expected), index)
            other = first.get((prompt, file, not call.expected))
            if other is not None:
                drafts[index].faults.append(_contradiction(drafts[other], index, call))


def _known_calls(case: Case, found: Calls) -> Iterator[tuple[CallExpectation, Path]]:
    for call in case.expect:
        if isinstance(call, CallExpectation):
            file = found[call.kind, call.target]
            if isinstance(file, Path):
                yield call, file


def _contradiction(other: UnfinishedCase, index: int, call: CallExpectation) -> str:
    noun, target = KINDS[call.kind].noun, quoted(call.target)
    if other.index == index:
        return f"expects the {noun} {target} both to be called and not to be; keep one"
    wants = "not to be called" if call.expected else "to be called"
    return (
        f"has the same prompt as {_tag(other)}, which wants the {noun} {target} {wants}; "
        "change one of them"
    )


def _tag(draft: UnfinishedCase) -> str:
    name = draft.form.name
    return f"tests[{draft.index}]" + (f" {quoted(name)}" if name is not None else "")


def _listed(entries: object) -> Sequence[object]:
    return entries if isinstance(entries, list) else ()


def _relative(path: Path, places: Places) -> str:
    inside = path.is_relative_to(places.project)
    return (path.relative_to(places.project) if inside else path).as_posix()
