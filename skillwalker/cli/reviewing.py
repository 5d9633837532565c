"""A draft of a suite in the user's editor, before anything of it is written."""

import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from skillwalker.cli.environment import read_editor, temporary_folder
from skillwalker.errors import ConfigError, SuiteError
from skillwalker.scratch import scratch_folder

HINT = (
    "Review each case: is the prompt something a user would type, and is its label beyond doubt? "
    "Change or delete what is not; an empty list writes nothing."
)
NOTE = "_review"
"""Key under which the hint stands; it is taken out again."""


def require_editor() -> tuple[str, ...]:
    """Give the words that start the user's editor.

    Raises:
        ConfigError: EDITOR names none.
    """
    try:
        words = tuple(shlex.split(read_editor() or ""))
    except ValueError as error:
        raise ConfigError(f"EDITOR cannot be read as a command ({error}); set it again") from error
    if not words:
        raise ConfigError("--review opens the program that EDITOR names; set it, as EDITOR=nano")
    return words


def review(values: dict[str, object], editor: tuple[str, ...]) -> dict[str, object] | None:
    """Let the user edit a tests.json; None when there is nothing left of it.

    Args:
        values: what would be written.
        editor: the words that start it; see `require_editor`.

    Raises:
        ConfigError: the editor cannot be started.
        SuiteError: it ended with an error, or what it left is no JSON; the text is kept.
    """
    with scratch_folder(temporary_folder()) as folder:
        draft = folder / "tests.json"
        draft.write_text(as_text({NOTE: HINT} | values), "utf-8")
        try:
            _edit(draft, editor)
            edited = _read(draft)
        except SuiteError as error:
            raise SuiteError(f"{error}; {keep(_text_of(draft))}") from error
    edited.pop(NOTE, None)
    return edited if edited.get("tests") else None


def as_text(values: dict[str, object]) -> str:
    """Write a tests.json as people read it."""
    return f"{json.dumps(values, ensure_ascii=False, indent=2)}\n"


def keep(text: str) -> str:
    """Keep what a person has edited or paid for; say where it is.

    Args:
        text: a tests.json, or what was meant to be one.
    """
    handle, path = tempfile.mkstemp(
        prefix="skillwalker-draft-", suffix=".json", dir=temporary_folder()
    )
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return f"nothing was written; the draft is kept in {path}"


def _edit(draft: Path, editor: tuple[str, ...]) -> None:
    try:
        ended = subprocess.run([*editor, str(draft)], check=False)
    except OSError as error:
        raise ConfigError(
            f"EDITOR: {editor[0]} cannot be started ({error.strerror}); set it to another program"
        ) from error
    if ended.returncode:
        raise SuiteError(f"the editor ended with exit code {ended.returncode}")


def _text_of(draft: Path) -> str:
    try:
        return draft.read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _read(draft: Path) -> dict[str, object]:
    text = _text_of(draft)
    try:
        value = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"what was edited is no JSON ({error})") from error
    if not isinstance(value, dict):
        raise SuiteError('what was edited is no object with "tests"')
    return value
