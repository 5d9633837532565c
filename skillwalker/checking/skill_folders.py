"""What is wrong with a folder that was to be a skill: no SKILL.md, or a name that is changed."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.checking.findings import CheckedTarget, CheckFinding
from skillwalker.datatypes.vocabulary import Position, Severity, TargetKind
from skillwalker.faults import quoted
from skillwalker.paths import MANIFEST
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import PROJECT_FOLDER

_PORTABLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""Source: the specification of Agent Skills (agentskills.io), `name`."""


def check_skill_folder(
    folder: Path, inner: Sequence[str], names: Sequence[str]
) -> Iterator[CheckFinding]:
    """Say why Claude Code finds no skill in a folder of a `skills` folder.

    Args:
        folder: one that has no file of the name SKILL.md.
        inner: names of its folders.
        names: names of its files.
    """
    misnamed = [name for name in sorted(names) if name.lower() == SKILL_FILE.lower()]
    for name in misnamed:
        yield CheckFinding(
            rule="misnamed",
            severity=Severity.ERROR,
            path=folder / name,
            line=None,
            message=f"Claude Code loads a skill from a file named {SKILL_FILE} alone",
            remedy=f"rename it to {SKILL_FILE}",
        )
    if SKILL_FILE in inner:
        yield CheckFinding(
            rule="misnamed",
            severity=Severity.ERROR,
            path=folder / SKILL_FILE,
            line=None,
            message=f"is a folder: Claude Code loads a skill from a file named {SKILL_FILE}",
            remedy=f"write the skill to a file {SKILL_FILE} in {folder.name}",
        )
    elif not misnamed and _should_be_skill(folder):
        yield CheckFinding(
            rule="no-skill-file",
            severity=Severity.WARNING,
            path=folder,
            line=None,
            message=f"has no {SKILL_FILE}, so Claude Code finds no skill in it",
            remedy=f"write {SKILL_FILE}, remove the folder, or begin its name with '_'",
        )


def _should_be_skill(folder: Path) -> bool:
    """Say whether a folder lies where skills do, and is not there for other files."""
    skills, root = folder.parent, folder.parent.parent
    if folder.name[0] in "._" or next(folder.rglob(SKILL_FILE), None) is not None:
        return False
    is_loaded = root.name == PROJECT_FOLDER or (root / MANIFEST).is_file()
    return is_loaded or any(path.is_file() for path in skills.glob(f"*/{SKILL_FILE}"))


def check_name(checked: CheckedTarget) -> Iterator[CheckFinding]:
    """Tell that a skill is not called as its folder is, here or with other tools."""
    target, name = checked.target, checked.listed.name
    folder = target.path.parent.name
    lies_in_skills = target.path.parent.parent.name == KINDS[TargetKind.SKILL].folder
    if target.kind is not TargetKind.SKILL or name is None or not lies_in_skills:
        return
    bare = name.removeprefix(f"{target.plugin}:") if target.position is Position.PLUGIN else name
    if bare != folder and bare != checked.target.alias:
        message = f"the folder is called {quoted(folder)}, and Claude sees {quoted(name)}"
        remedy = "name the folder as Claude sees it"
    elif folder.isascii() and not _PORTABLE.fullmatch(folder):
        message = (
            f"Claude Code takes the name {quoted(folder)}, the specification of Agent Skills does"
            " not"
        )
        remedy = "use lower-case letters, digits and single hyphens where other tools read it too"
    else:
        return
    yield CheckFinding(
        rule="name-form",
        severity=Severity.INFO,
        path=target.path,
        line=None,
        message=message,
        remedy=remedy,
    )
