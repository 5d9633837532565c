"""What is wrong with files before they are skills or agents: names, places, bytes, manifests."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillwalker.checking.findings import CheckFinding
from skillwalker.checking.skill_folders import check_skill_folder
from skillwalker.datatypes.vocabulary import Severity, TargetKind
from skillwalker.errors import TargetError
from skillwalker.faults import quoted
from skillwalker.paths import MANIFEST
from skillwalker.targets.kind import KINDS, SKILL_FILE
from skillwalker.targets.place import NOT_SEARCHED, has_frontmatter
from skillwalker.user_files import read_regular


def unreadable(path: Path, error: TargetError) -> CheckFinding:
    """Say that a file cannot be read at all."""
    return CheckFinding(
        rule="unreadable",
        severity=Severity.ERROR,
        path=path,
        line=None,
        message=str(error).splitlines()[0],
        remedy="make it a regular file that you may read",
    )


def check_folders(folders: Sequence[Path]) -> Iterator[CheckFinding]:
    """Find what was meant to be a skill or a plugin and is none by its name or its manifest."""
    for folder in folders:
        for where, inner, names in os.walk(folder):
            inner[:] = sorted(name for name in inner if name not in NOT_SEARCHED)
            here = Path(where)
            if here.parent.name == KINDS[TargetKind.SKILL].folder and SKILL_FILE not in names:
                yield from check_skill_folder(here, inner, names)
            if here.name == KINDS[TargetKind.SKILL].folder:
                yield from _loose(here, names)
            if here.name == MANIFEST.parent.name and MANIFEST.name in names:
                yield from _manifest(here / MANIFEST.name)


def _loose(folder: Path, names: Sequence[str]) -> Iterator[CheckFinding]:
    for name in sorted(names):
        path = folder / name
        if name.lower().endswith(".md") and name != SKILL_FILE and has_frontmatter(path):
            yield CheckFinding(
                rule="loose-file",
                severity=Severity.ERROR,
                path=path,
                line=None,
                message="a skill is a folder: Claude Code does not load a file from here",
                remedy=f"move it to {path.stem}/{SKILL_FILE}",
            )


def _manifest(path: Path) -> Iterator[CheckFinding]:
    try:
        manifest = json.loads(read_regular(path))
        name = manifest.get("name") if isinstance(manifest, dict) else None
        wrong = "" if isinstance(name, str) and name else "it has no name"
    except (OSError, ValueError, RecursionError) as error:
        name, wrong = None, f"it is no JSON ({error})"
    folder = path.parent.parent.name
    if not wrong and name != folder:
        yield CheckFinding(
            rule="manifest-name",
            severity=Severity.INFO,
            path=path,
            line=None,
            message=f"the folder is called {quoted(folder)}, the plugin {quoted(str(name))}",
            remedy=f"write {quoted(f'{name}:NAME')} where a target is named",
        )
    if wrong:
        yield CheckFinding(
            rule="manifest",
            severity=Severity.ERROR,
            path=path,
            line=None,
            message=f"the plugin's manifest cannot be read: {wrong}",
            remedy='write an object with the plugin\'s "name"',
        )
