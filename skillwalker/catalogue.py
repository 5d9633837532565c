"""All that a project can measure: each target with each suite that has cases for it.

One broken suite hides no other: it is named with its reason, and the rest goes on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import SkillwalkerError
from skillwalker.paths import Places
from skillwalker.steps.step_1_resolve import pairs_of
from skillwalker.suites.load import list_suites, load_suite


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class CatalogueEntry:
    """One thing to measure."""

    path: str
    """Of the target's file, relative to the project where it lies inside; a target's only name
    that no other target can have."""
    suite: str
    kind: TargetKind
    target: str
    """Its id, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A suite that cannot be measured."""

    suite: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """All that can be measured, in the order of paths and suites, and what cannot."""

    entries: tuple[CatalogueEntry, ...]
    broken: tuple[Broken, ...]


def read_catalogue(
    places: Places, *, kinds: Sequence[TargetKind] = tuple(TargetKind), suite: str | None = None
) -> Catalogue:
    """Look into every suite of a project.

    Args:
        places: the project.
        kinds: of the targets that are wanted.
        suite: only this one.

    Raises:
        SuiteError: the suites' folder cannot be read.
    """
    entries: list[CatalogueEntry] = []
    broken: list[Broken] = []
    for name in list_suites(places) if suite is None else (suite,):
        try:
            entries += _entries(places, name, kinds)
        except SkillwalkerError as error:
            broken.append(Broken(suite=name, reason=str(error)))
    return Catalogue(entries=tuple(sorted(entries)), broken=tuple(broken))


def of_shard(
    entries: Sequence[CatalogueEntry], shard: int, shards: int
) -> tuple[CatalogueEntry, ...]:
    """Choose the part of a catalogue that one of several machines takes.

    A target goes where the hash of its path says, so that a new one moves no other, and all
    suites of a target, which share its file, go to one machine.

    Args:
        entries: the whole catalogue.
        shard: the machine's number, from 1.
        shards: how many there are.
    """
    return tuple(entry for entry in entries if _place(entry) % shards == shard - 1)


def path_in(project: Path, path: Path) -> str:
    """Write a path relative to the project where it lies inside, as `Entry.path` is."""
    inside = path.is_relative_to(project)
    return (path.relative_to(project) if inside else path).as_posix()


def _entries(places: Places, name: str, kinds: Sequence[TargetKind]) -> Iterator[CatalogueEntry]:
    loaded = load_suite(places, name)
    for kind in kinds:
        for pair in pairs_of(loaded, kind, places):
            yield CatalogueEntry(
                path=path_in(places.project, pair.target.path),
                suite=pair.suite,
                kind=kind,
                target=pair.target.id,
            )


def _place(entry: CatalogueEntry) -> int:
    return int.from_bytes(sha256(entry.path.encode("utf-8", "surrogatepass")).digest()[:8], "big")
