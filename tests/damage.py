"""Records of ours as damage leaves them: every key in turn lost, or of another type."""

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from skillwalker.errors import SkillwalkerError

OTHERS: tuple[object, ...] = (None, "x", 7, ["x"], {"x": []})


def damages(record: object) -> Iterator[tuple[str, Any]]:
    """Give copies of a record with one place of it damaged each, and the name of the place.

    Of the entries of a list only the first is damaged.
    """
    for path in _places(record):
        name = ".".join(map(str, path))
        for value in OTHERS:
            broken = copy.deepcopy(record)
            _holder(broken, path)[path[-1]] = value
            yield f"{name} = {value!r}", broken
        broken = copy.deepcopy(record)
        del _holder(broken, path)[path[-1]]
        yield f"{name} is lost", broken


def surprises(record: object, read: Callable[[Any], object]) -> list[str]:
    """Read a record damaged in every way; name what is neither read nor refused in one line."""
    found = []
    for name, broken in damages(record):
        try:
            read(broken)
        except SkillwalkerError as error:
            if "\n" in str(error):
                found.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001 (that none comes is what is tested)
            found.append(f"{name}: {error!r}")
    return found


def _places(record: object, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path of every place in a record."""
    inner: dict[Any, object] = {}
    if isinstance(record, Mapping):
        inner = dict(record)
    elif isinstance(record, list) and record:
        inner = {0: record[0]}
    for key, value in inner.items():
        yield (*above, key)
        yield from _places(value, (*above, key))


def _holder(record: Any, path: tuple[Any, ...]) -> Any:
    """Go to what holds the last place of a path."""
    for key in path[:-1]:
        record = record[key]
    return record
