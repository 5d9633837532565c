"""Where the entries lie in a file: which list, under which key, for which skill."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePath

from skillwalker.errors import SuiteError
from skillwalker.faults import quoted, shown
from skillwalker.foreign.entries import Document, ForeignEntry, FoundEntries, Values
from skillwalker.foreign.forms import form_of
from skillwalker.foreign.keys import (
    LISTS,
    NEAR,
    NEGATIVE,
    POSITIVE,
    SIDES,
    SKILL_KEYS,
    TRIGGER_LISTS,
)

IsTarget = Callable[[str], bool]


def find_entries(document: Document, is_target: IsTarget) -> FoundEntries:
    """Find the entries of a file.

    Args:
        document: the file.
        is_target: whether a name in the file means the target.

    Raises:
        SuiteError: the file is of no known shape, or holds no entry for the target.
    """
    value = document.value
    if isinstance(value, list):
        found = _from_list(document, value, is_target)
    elif isinstance(value, Mapping):
        found = _from_object(document, value, is_target)
    else:
        raise _unknown(document)
    if not found.entries:
        what = form_of(PurePath(document.label).suffix.lower())
        if found.left_out:
            what = f"it has {found.left_out} for other skills: name one of these instead"
        raise SuiteError(f"{document.label}: holds no entry for the target; {what}")
    return found


def _from_list(document: Document, items: Sequence[object], is_target: IsTarget) -> FoundEntries:
    if items and all(_is_set(item) and _skill_of(item) is not None for item in items):
        sets = [(f"[{at}]", _skill_of(item), item) for at, item in enumerate(items)]
        return _from_sets(document, sets, is_target)
    return FoundEntries(entries=tuple(_entries(document, "", items)))


def _from_object(document: Document, value: Values, is_target: IsTarget) -> FoundEntries:
    sets = value.get("skills") if isinstance(value.get("skills"), Mapping) else value
    if isinstance(sets, Mapping) and sets and all(_is_set(inner) for inner in sets.values()):
        rows = [(place(str(name)), str(name), inner) for name, inner in sets.items()]
        return _from_sets(document, rows, is_target)
    keys = [key for key in TRIGGER_LISTS if key in value] or [key for key in LISTS if key in value]
    entries = [entry for key in keys for entry in _entries(document, key, value[key])]
    if not keys or _is_set(value):
        entries += _sides(document, "", value)
    if not keys and not _is_set(value):
        raise _unknown(document)
    return FoundEntries(entries=tuple(entries), about=_skill_of(value))


def place(key: str, prefix: str = "") -> str:
    """Write a key behind what it stands in, as in `cases.near`."""
    return f"{prefix}.{key}" if prefix else key


def _is_set(value: object) -> bool:
    """Say whether a value sorts its entries into lists by what should happen."""
    if not isinstance(value, Mapping):
        return False
    return any(isinstance(value.get(key), list) for key in SIDES)


def _skill_of(value: object) -> str | None:
    if not isinstance(value, Mapping):
        return None
    names = (value.get(key) for key in SKILL_KEYS)
    return next((name for name in names if isinstance(name, str) and name), None)


def _from_sets(
    document: Document, sets: Sequence[tuple[str, str | None, object]], is_target: IsTarget
) -> FoundEntries:
    """Take the set of the target; the others are about other skills."""
    entries: list[ForeignEntry] = []
    left_out = 0
    for where, name, values in sets:
        inner = list(_sides(document, where, values))
        if name is not None and is_target(name):
            entries += inner
        else:
            left_out += len(inner)
    return FoundEntries(entries=tuple(entries), left_out=left_out)


def _sides(document: Document, prefix: str, values: object) -> Iterator[ForeignEntry]:
    if not isinstance(values, Mapping):
        return
    for keys, given in ((POSITIVE, True), (NEGATIVE, False), (NEAR, False)):
        for key in keys:
            if key in values:
                where = place(key, prefix)
                yield from _entries(document, where, values[key], given, is_near=keys is NEAR)


def _entries(
    document: Document,
    key: str,
    items: object,
    given: bool | None = None,
    *,
    is_near: bool = False,
) -> Iterator[ForeignEntry]:
    if not isinstance(items, list):
        raise SuiteError(
            f"{document.label}: {quoted(key)} must be a list of entries, not {shown(items)}"
        )
    lines = document.lines.get(key)
    for at, item in enumerate(items):
        where = f"{document.label}: " + (f"line {lines[at]}" if lines else f"{key}[{at}]")
        yield ForeignEntry(where=where, values=item, given=given, is_near=is_near)


def _unknown(document: Document) -> SuiteError:
    lists = ", ".join(quoted(key) for key in (*LISTS, *TRIGGER_LISTS[:1]))
    return SuiteError(
        f"{document.label}: is of no known shape; read are a list of entries, an object with one "
        f"of {lists}, and one with the lists "
        f'"{POSITIVE[0]}" and "{NEGATIVE[0]}" (or those names with "_prompts")'
    )
