"""What passes between the readers: an entry as it stands, and the case that it means."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a file holds."""

    label: str
    """The file, as messages name it."""
    value: object
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Where the entries of a list stand, by the list's key; the empty one is the file itself."""
    faults: tuple[str, ...] = ()
    """A line for each part of it that cannot be read; `value` lacks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignEntry:
    """One entry of a file, before anyone knows what it says."""

    where: str
    """File and place in it: `queries.json: evals[3]`."""
    values: object
    """Its keys; a bare text is a prompt."""
    given: bool | None = None
    """Whether it should trigger, where the list that it stands in says so."""
    is_near: bool = False
    """Whether that list is one of near misses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntries:
    """The entries of a file, and what of it is about other skills."""

    entries: tuple[ForeignEntry, ...]
    left_out: int = 0
    about: str | None = None
    """The skill that the file says it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignCase:
    """An entry that was understood."""

    where: str
    name: str
    prompt: str
    should_trigger: bool
    preferred: str | None = None
    """What should fire instead, by the name in the file."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A suite that was written."""

    name: str
    path: str
    """Its tests.json, from the project on."""
    positive: int
    negative: int
    other: int
    """Cases of the types that measure work, not calls; only a suite's own format has them."""
    notes: tuple[str, ...] = ()
    """What was left out, and why."""
