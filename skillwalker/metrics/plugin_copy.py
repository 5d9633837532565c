"""A throw-away copy of a target's plugin that holds a candidate, for commands to look at.

The plugin is whole: a command may count, build or test what is in it. In project position only
skills and agents are copied, for a `.claude` folder also holds a user's history and login.
"""

import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from skillwalker.datatypes.inputs import Target
from skillwalker.datatypes.vocabulary import Position, TargetKind
from skillwalker.errors import SkillwalkerError, TargetError
from skillwalker.frontmatter.text import replace_description
from skillwalker.scratch import is_full, no_place, scratch_folder
from skillwalker.targets.kind import KINDS
from skillwalker.targets.place import NOT_SEARCHED, place_of
from skillwalker.user_files import is_special, real_path


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginCopy:
    """The copy."""

    root: Path
    file: Path
    """The candidate's file in it."""


@contextmanager
def copy_with(
    target: Target, description: str, *, temporary: Path, leave_out: Sequence[Path] = ()
) -> Iterator[PluginCopy]:
    """Copy a target's plugin with a candidate in the target's file; gone at the end.

    Args:
        target: the skill or agent.
        description: the candidate.
        temporary: where temporary folders lie.
        leave_out: folders that are not copied, such as that of recorded runs.

    Raises:
        TargetError: the description cannot be written into the file.
        EngineUnavailableError: the copy cannot be made.
    """
    content = target.content
    if description != target.description:
        content = replace_description(content, description, target.kind, target.position)
    with scratch_folder(temporary) as folder:
        source = _source(target)
        root = folder / source.name
        file = root / target.path.relative_to(source)
        try:
            _copy(target, source, root, leave_out)
            file.unlink(missing_ok=True)  # a link would lead to the user's own file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        except OSError as error:  # shutil's own is one, and holds those of single files
            raise _failed(source, root, error) from error
        yield PluginCopy(root=root, file=file)


def _source(target: Target) -> Path:
    """Say what is copied: the plugin; of a file that stands alone, its own folder."""
    place = place_of(target.path, target.kind, target.position)
    return place.root if place.certain else target.path.parent


def _failed(source: Path, root: Path, error: OSError) -> SkillwalkerError:
    """Say whether it was the place of the copy that failed, or a file of the plugin."""
    if isinstance(error, shutil.Error) and not is_full(error):
        first = error.args[0][0][-1] if error.args and error.args[0] else error
        return TargetError(f"{source} cannot be copied to measure it ({first})")
    return no_place(root, error)


def _copy(target: Target, source: Path, root: Path, leave_out: Sequence[Path]) -> None:
    left_out = {real_path(path) for path in leave_out}

    def ignored(folder: str, names: list[str]) -> Collection[str]:
        here = Path(folder)
        return {
            name
            for name in names
            if name in NOT_SEARCHED or is_special(here / name) or real_path(here / name) in left_out
        }

    if target.position is Position.PROJECT and source != target.path.parent:
        folders = [KINDS[kind].folder for kind in TargetKind]
    elif target.kind is TargetKind.AGENT and source == target.path.parent:
        folders = []  # an agent's file beside files that nobody called a plugin
    else:
        folders = [""]
    root.mkdir(parents=True)
    for name in folders:
        if (source / name).is_dir():
            shutil.copytree(
                source / name, root / name, symlinks=True, ignore=ignored, dirs_exist_ok=True
            )
