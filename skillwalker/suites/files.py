"""The files of a suite that its cases name: read only where they cannot leave the suite.

Messages of this module say what is wrong with a name; the caller says which case has it.
"""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from skillwalker.errors import SuiteError
from skillwalker.faults import closest, quoted
from skillwalker.suites.rubrics import parse_rubric
from skillwalker.user_files import is_special, read_regular, real_path

PROMPTS = "prompts"
SCAFFOLDS = "scaffolds"
RUBRICS = "rubrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFiles:
    """The folder of one suite."""

    folder: Path

    def prompt(self, name: str) -> str:
        """Read a prompt whole, its final newline included.

        Raises:
            SuiteError: it is missing, empty, not UTF-8 or outside the suite.
        """
        return _read_text(self._find(PROMPTS, name), name)

    def rubric(self, name: str) -> Path:
        """Find a rubric and see that it can be graded by.

        Raises:
            SuiteError: it is missing, empty, not UTF-8 or outside the suite, or its form is wrong.
        """
        path = self._find(RUBRICS, name)
        text = _read_text(path, name)
        try:
            parse_rubric(text)
        except SuiteError as error:
            faults = "; ".join(str(error).split("\n"))
            raise SuiteError(f"{quoted(name)}: {faults}") from error
        return path

    def scaffold(self, name: str) -> Path:
        """Find a scaffold, and see that it can be copied and no link in it leads out of the suite.

        Raises:
            SuiteError: it is missing, no folder, leads outside the suite, or holds a pipe or a
                folder that is closed to us.
        """
        path = self._find(SCAFFOLDS, name)
        if not path.is_dir():
            raise SuiteError(f"{quoted(name)} is no folder; a scaffold is a folder that is copied")
        root = self.folder.resolve()
        for entry in _below(path):
            inner = quoted(entry.relative_to(path).as_posix())
            if entry.is_symlink() and not real_path(entry).is_relative_to(root):
                raise SuiteError(
                    f"{quoted(name)} holds the link {inner}, which leads out of the suite; "
                    "copy what it points to"
                )
            if is_special(entry):
                raise SuiteError(
                    f"{quoted(name)} holds {inner}, which is not a regular file (a pipe, a socket "
                    "or a device) and cannot be copied; remove it"
                )
        return path

    def _find(self, part: str, name: str) -> Path:
        written = PurePosixPath(name)
        if written.is_absolute() or ".." in written.parts or "\\" in name:
            raise SuiteError(
                f"{quoted(name)} leaves the suite; name something inside {part}/, "
                "as a path relative to it"
            )
        path = self.folder / part / written
        if not _exists(path):
            raise SuiteError(
                f"{quoted(name)} is not in {part}/ of the suite; {closest(name, self._there(part))}"
            )
        if not real_path(path).is_relative_to(self.folder.resolve()):
            raise SuiteError(
                f"{quoted(name)} is a link that leads out of the suite; copy what it points to"
            )
        return path

    def _there(self, part: str) -> list[str]:
        folder = self.folder / part
        if part == SCAFFOLDS:
            return sorted(path.name for path in folder.glob("*") if path.is_dir())
        files = (path for path in folder.rglob("*") if path.is_file())
        return sorted(path.relative_to(folder).as_posix() for path in files)


def _read_text(path: Path, name: str) -> str:
    try:
        text = read_regular(path).decode()
    except UnicodeDecodeError as error:
        raise SuiteError(
            f"{quoted(name)} is not UTF-8 at byte {error.start}; save the file as UTF-8"
        ) from error
    except OSError as error:
        raise SuiteError(f"{quoted(name)} cannot be read ({error.strerror})") from error
    if not text.strip():
        raise SuiteError(f"{quoted(name)} is empty; write a text into it")
    return text


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long, a folder that may not be entered
        return False


def _below(folder: Path) -> list[Path]:
    def refuse(error: OSError) -> None:
        inner = quoted(Path(error.filename).relative_to(folder).as_posix())
        raise SuiteError(
            f"{quoted(folder.name)} holds the folder {inner}, which cannot be opened "
            f"({error.strerror}); make it readable, or remove it"
        ) from error

    walked = os.walk(folder, onerror=refuse)
    return sorted(Path(where, name) for where, inner, files in walked for name in (*inner, *files))
