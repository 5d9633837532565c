"""The targets that suites name, each found and read once however many cases name it."""

from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.errors import TargetError
from skillwalker.paths import Places
from skillwalker.targets.file import require_triggerable
from skillwalker.targets.names import resolve_target


class ResolvedTargets:
    """What was found for each name, as it lay when it was first asked for."""

    def __init__(self) -> None:
        self._found: dict[tuple[Path, str, TargetKind, bool], Target | TargetError] = {}

    def resolve(
        self, written: str, kind: TargetKind, places: Places, *, triggerable: bool = False
    ) -> Target:
        """Find the file that a written target means.

        Args:
            written: as a suite names it.
            kind: whether a skill or an agent is meant.
            places: of the suite's project.
            triggerable: whether to refuse one that can never be called.

        Raises:
            TargetError: there is none, it cannot be read, or it is refused.
        """
        key = places.project, written, kind, triggerable
        if key not in self._found:
            self._found[key] = _resolve(written, kind, places, triggerable=triggerable)
        found = self._found[key]
        if isinstance(found, TargetError):
            raise TargetError(str(found))
        return found


def _resolve(
    written: str, kind: TargetKind, places: Places, *, triggerable: bool
) -> Target | TargetError:
    try:
        target = resolve_target(written, kind, places)
        if triggerable:
            require_triggerable(target)
    except TargetError as error:
        return error
    return target
