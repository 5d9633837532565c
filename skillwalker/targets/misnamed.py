"""Files that were to be a skill and are named skill.md in other letters: Claude Code loads none."""

import os
from collections.abc import Iterator
from pathlib import Path

from skillwalker.datatypes.inputs import Listed, Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.paths import Places
from skillwalker.targets.file import empty_target, unread
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import PROJECT_FOLDER, searched

RULE = "misnamed"
"""Of the finding; `evals check` has it by the same name."""


def is_misnamed(path: Path) -> bool:
    """Say whether a file lies where a skill's does, beside none, and is written otherwise."""
    is_like = path.name.lower() == SKILL_FILE.lower() and path.name != SKILL_FILE
    in_skills = path.parent.parent.name == KINDS[TargetKind.SKILL].folder
    return is_like and in_skills and not (path.parent / SKILL_FILE).is_file()


def find_misnamed(folder: Path, *, without: Path | None = None) -> Iterator[Path]:
    """Search a folder for such files, in order of their paths.

    Args:
        folder: to search.
        without: one below it that is passed over.
    """
    for where, folders, names in os.walk(folder):
        here = Path(where)
        folders[:] = searched(here, folders, without)
        yield from (here / name for name in sorted(names) if is_misnamed(here / name))


def known_misnamed(places: Places) -> tuple[Path, ...]:
    """List such files of a project, where its skills lie."""
    roots = (*places.plugin_folders(), places.project / PROJECT_FOLDER, places.project)
    folders = dict.fromkeys(root / KINDS[TargetKind.SKILL].folder for root in roots)
    return tuple(dict.fromkeys(path for folder in folders for path in find_misnamed(folder)))


def shown_misnamed(path: Path, position: Position | None = None) -> tuple[Target, Listed]:
    """Show such a file as one of which Claude is shown nothing.

    Args:
        path: the file's.
        position: overrides what the folders say.
    """
    target = empty_target(path, TargetKind.SKILL, position)
    why = f"Claude Code loads a skill from a file named {SKILL_FILE} alone; rename it"
    return target, unread(target, why, rule=RULE)
