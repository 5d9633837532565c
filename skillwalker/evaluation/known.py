"""The targets of one plan, each read once however many cases name it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.trials import CalledAs
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.calling import called_as
from skillwalker.targets.file import list_target, read_target
from skillwalker.targets.names import siblings
from skillwalker.targets.place import files_of
from skillwalker.targets.resolved import ResolvedTargets

Names = tuple[CalledAs | None, ...]


class KnownTargets:
    """What the cases of one plan name, as it lay when it was first asked for.

    Args:
        places: the project's folders.
    """

    def __init__(self, places: Places) -> None:
        self.places = places
        self._resolved = ResolvedTargets()
        self._installed: dict[Path, tuple[Target, ...]] = {}
        self._listed: dict[Path, tuple[Target, ...]] = {}
        self._names: dict[tuple[tuple[Path | None, ...], tuple[Path, ...]], Names] = {}

    def resolve(self, written: str, kind: TargetKind, *, triggerable: bool = False) -> Target:
        """Find the file that a written target means.

        Args:
            written: as a suite names it.
            kind: whether a skill or an agent is meant.
            triggerable: whether to refuse one that can never be called.

        Raises:
            TargetError: there is none, it cannot be read, or it is refused.
        """
        return self._resolved.resolve(written, kind, self.places, triggerable=triggerable)

    def with_siblings(self, own: Target) -> tuple[Target, ...]:
        """Give a target, then those that Claude Code lists beside it."""
        if own.path not in self._installed:
            self._installed[own.path] = (own, *siblings(own))
        return self._installed[own.path]

    def listed_in(self, root: Path) -> tuple[Target, ...]:
        """Read what Claude Code lists of a folder; a file that it cannot read it does not list."""
        if root not in self._listed:
            self._listed[root] = tuple(_listed_in(root))
        return self._listed[root]

    def called_as(self, own: Target, loaded: Sequence[Target]) -> CalledAs:
        """Give the names of a target that is loaded."""
        (names,) = self.names([own], loaded)
        if names is None:
            raise ValueError(f"{own.path} is not among what is loaded")
        return names

    def names(self, calls: Sequence[Target | None], loaded: Sequence[Target]) -> Names:
        """Give the names of each target among what is loaded; None where it is not."""
        key = (
            tuple(None if target is None else target.path for target in calls),
            tuple(target.path for target in loaded),
        )
        if key not in self._names:
            self._names[key] = tuple(_names(calls, loaded))
        return self._names[key]


def _listed_in(root: Path) -> Iterator[Target]:
    for kind in TargetKind:
        for path in files_of(root, kind):
            try:
                target = read_target(path, kind)
            except TargetError:
                continue
            if list_target(target).listed:
                yield target


def _names(calls: Sequence[Target | None], loaded: Sequence[Target]) -> Iterator[CalledAs | None]:
    files = {target.path.resolve(): target for target in loaded}
    for target in calls:
        one = files.get(target.path.resolve()) if target is not None else None
        others = tuple(other for other in loaded if other is not one)
        yield called_as(one, others) if one is not None else None
